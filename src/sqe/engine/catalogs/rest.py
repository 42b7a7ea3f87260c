"""Catalogs that speak Iceberg's REST protocol: Polaris, Nessie, Unity, Lake Formation and others.

What a session shows them is in `sqe.identity.catalogs`; here is only which of the driver's classes presents it.
"""

from __future__ import annotations

from collections.abc import Mapping

AUTH_MANAGER = "org.apache.spark.sql.sqe.SessionAuth"


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    result = {
        "type": "rest",
        "uri": catalog["uri"],
        "rest.auth.type": AUTH_MANAGER if catalog.get("auth") != "none" else "none",
        "sqe.catalog": name,
        # The catalog hands out keys for just this table and this user; there are no others.
        "header.X-Iceberg-Access-Delegation": "vended-credentials",
        # Not the default, which opens local files for a table whose metadata says so.
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        # A catalog that hangs must not hang a statement: seconds to connect, half a minute to answer, few tries.
        "rest.client.connection-timeout-ms": "5000",
        "rest.client.socket-timeout-ms": "30000",
        "rest.client.max-retries": "2",
        # Nor a store: a task that waits for it keeps its core, also when its statement was cancelled, until this is over.
        "http-client.apache.connection-timeout-ms": "5000",
        "http-client.apache.socket-timeout-ms": "10000",
        # A store that is down is told after 8 s at the latest; Iceberg's own tries take up to 46 s.
        "s3.retry.num-retries": "4",
        "s3.retry.min-wait-ms": "500",
        "s3.retry.max-wait-ms": "4000",
        # Where names without a schema are looked up; the catalog is not asked whether it exists.
        "default-namespace": "default",
    }
    if warehouse := catalog.get("warehouse"):
        result["warehouse"] = warehouse
    return result | _storage(catalog)


def _storage(catalog: Mapping[str, str]) -> dict[str, str]:
    """`[storage]`, for what the catalog leaves open; its own answers come first."""
    result = {"client.region": catalog.get("s3_region", "us-east-1")}
    if endpoint := catalog.get("s3_endpoint"):
        result["s3.endpoint"] = endpoint
    if catalog.get("s3_path_style") == "true":
        result["s3.path-style-access"] = "true"
    if key := catalog.get("s3_access_key"):
        result |= {"s3.access-key-id": key, "s3.secret-access-key": catalog["s3_secret_key"]}
    return result
