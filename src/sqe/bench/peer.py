"""Starts the peer process (pyspark_peer.py) on the benchmarks' warehouse, with the Java that our own driver uses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sqe.bench.processes import Child
from sqe.bench.workspace import CATALOG, warehouse


def pyspark(folder: Path, sql: str, memory: str = "") -> Child:
    """Its first answer comes with the rows of `sql`; each line told to it is a query whose `toArrow()` it times."""
    from sqe.engine.install import find_java

    request = json.dumps({"settings": settings(folder, memory), "sql": sql})
    script = Path(__file__).with_name("pyspark_peer.py")
    # -P: the script's own folder holds modules of ours that must not take the place of others.
    return Child([sys.executable, "-P", str(script), request], {"JAVA_HOME": str(find_java().home)})


def settings(folder: Path, memory: str) -> dict[str, str]:
    """What a user of pyspark sets to read the same tables, from Iceberg's documentation; nothing is tuned. `memory` also lifts
    the limit of a result's size, without which `toArrow()` refuses 6 million rows."""
    from sqe.engine.install.jars import ICEBERG, SQLITE

    catalog = f"spark.sql.catalog.{CATALOG}"
    base = {
        "spark.master": "local[*]",
        "spark.jars": f"{ICEBERG.path},{SQLITE.path}",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{warehouse(folder) / 'catalog.db'}",
        f"{catalog}.warehouse": warehouse(folder).as_uri(),
        f"{catalog}.jdbc.schema-version": "V1",
    }
    return base | ({"spark.driver.memory": memory, "spark.driver.maxResultSize": "0"} if memory else {})
