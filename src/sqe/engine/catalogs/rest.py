"""Catalogs that speak Iceberg's REST protocol: Polaris, Nessie, Unity, Lake Formation and others.

What a session shows them is in `sqe.identity.catalogs`; here is only which of the driver's classes presents it.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqe.engine.catalogs import aws, identity, storage

AUTH_MANAGER = "org.apache.spark.sql.sqe.SessionAuth"


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    result = {
        "type": "rest",
        "uri": catalog["uri"],
        "sqe.session": session_id,
        "sqe.catalog": name,
        # The catalog hands out keys for just this table and this user, or signs their requests one by one; there are no others.
        # Asked for one of the two: Nessie, asked for both, signs, which costs a call for every request to the store.
        "header.X-Iceberg-Access-Delegation": catalog.get("access_delegation", "vended-credentials"),
        # Not the default, which opens local files for a table whose metadata says so.
        "io-impl": storage.S3_FILES_VENDED_FIRST if identity.is_chosen(catalog) else storage.S3_FILES,
        # A catalog that hangs must not hang a statement: seconds to connect, half a minute to answer, few tries.
        "rest.client.connection-timeout-ms": "5000",
        "rest.client.socket-timeout-ms": "30000",
        "rest.client.max-retries": "2",
        # Else a thread a session and a request a scan, with the filter of the statement in it.
        "rest-metrics-reporting-enabled": "false",
        # Where names without a schema are looked up; the catalog is not asked whether it exists.
        "default-namespace": "default",
    }
    if warehouse := catalog.get("warehouse"):
        result["warehouse"] = warehouse
    return result | _auth(catalog) | storage.s3(catalog)


def _auth(catalog: Mapping[str, str]) -> dict[str, str]:
    match catalog.get("auth"):
        case "none":
            return {"rest.auth.type": "none"}
        case "attached_bearer":  # what a secret of ATTACH says
            return {"rest.auth.type": "oauth2", "token": catalog["attached_token"], "token-refresh-enabled": "false"}
        case "attached_oauth2":
            endpoint = catalog.get("attached_token_endpoint") or f"{catalog['uri'].rstrip('/')}/v1/oauth/tokens"
            return {
                "rest.auth.type": "oauth2",
                "credential": f"{catalog['attached_client_id']}:{catalog['attached_client_secret']}",
                "oauth2-server-uri": endpoint,
                "scope": catalog.get("attached_oauth_scope", "catalog"),
            }
        case "attached_basic":
            return {
                "rest.auth.type": "basic",
                "rest.auth.basic.username": catalog["attached_user"],
                "rest.auth.basic.password": catalog["attached_password"],
            }
        case "sigv4":
            return aws.signed(catalog)
        case _:
            return {"rest.auth.type": AUTH_MANAGER}
