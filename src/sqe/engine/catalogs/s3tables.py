"""AWS S3 Tables: a table bucket's own Iceberg REST catalog, with signed requests."""

from __future__ import annotations

from collections.abc import Mapping

from sqe import errors
from sqe.config.catalogs import table_bucket_region
from sqe.engine.catalogs import rest
from sqe.errors import SqeError


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    bucket = catalog["table_bucket_arn"]
    region = table_bucket_region(bucket)
    if region is None:
        raise SqeError(errors.CONFIGURATION_INVALID, "table_bucket_arn is not the ARN of a table bucket")
    as_rest = {
        "uri": f"https://s3tables.{region}.amazonaws.com/iceberg",
        **catalog,
        "region": region,
        "signing_name": "s3tables",
        "warehouse": bucket,
        "auth": "sigv4",
    }
    return rest.settings(name, as_rest, session_id) | {
        # The endpoint has no place for them and answers with an error.
        "rest-metrics-reporting-enabled": "false",
        "lower-case-names": "true",
    }
