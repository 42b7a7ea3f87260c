"""A Hive Metastore (Thrift). The client and Thrift are among pyspark's jars: Hive 2.3, which metastores up to 3.1 understand."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.engine.catalogs import identity, storage


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    result = {
        "type": "hive",
        "uri": catalog["uri"],
        # A metastore that hangs must not hang a statement for Hive's default of ten minutes.
        "hadoop.hive.metastore.client.socket.timeout": "60s",
        "hadoop.hive.metastore.connect.retries": "2",
        "hadoop.hive.metastore.failure.retries": "1",
    }
    warehouse = catalog.get("warehouse")
    if warehouse is None:
        # Where tables lie, the metastore says: in S3 when there are keys to it.
        return result | (storage.files("s3://", catalog) if "s3_access_key" in catalog or identity.is_chosen(catalog) else {})
    return result | {"warehouse": storage.location(warehouse)} | storage.files(warehouse, catalog)
