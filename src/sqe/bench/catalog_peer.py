"""The raw calls that metadata statements cannot do without: Iceberg's own catalog, asked directly. A script, no module of ours.

    python catalog_peer.py '{"settings": {…}, "catalog": "lake", "schema": "many"}'

Prints a JSON line when the catalog is open; then for each line on standard input (`tables`, `load NAME`, `snapshots NAME`,
`columns`) the seconds that its calls took. Each call crosses py4j, whose own time is measured with calls that do nothing, and
taken off.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

CROSSINGS = 50


def main() -> None:
    from pyspark.sql import SparkSession

    request = json.loads(sys.argv[1])
    builder = SparkSession.builder.appName("peer")
    for key, value in request["settings"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    jvm: Any = spark._jvm
    catalog: Any = spark._jsparkSession.sessionState().catalogManager().catalog(request["catalog"]).icebergCatalog()
    gateway: Any = spark.sparkContext._gateway
    words = gateway.new_array(jvm.String, 1)
    words[0] = request["schema"]
    schema = jvm.org.apache.iceberg.catalog.Namespace.of(words)
    names = catalog.listTables(schema)
    tables = {str(names.get(index).name()): names.get(index) for index in range(names.size())}

    def tables_of_schema() -> int:
        catalog.listTables(schema)
        return 1

    def load(name: str) -> int:
        catalog.loadTable(tables[name]).schema()
        return 2

    def snapshots(name: str) -> int:
        catalog.loadTable(tables[name]).snapshots()
        return 2

    def columns() -> int:
        catalog.listTables(schema)
        for table in tables.values():
            catalog.loadTable(table).schema()
        return 1 + 2 * len(tables)

    calls: dict[str, Callable[..., int]] = {"tables": tables_of_schema, "load": load, "snapshots": snapshots, "columns": columns}
    print(json.dumps({"tables": len(tables)}), flush=True)
    for line in sys.stdin:
        name, *arguments = line.split()
        started = time.perf_counter()
        crossings = calls[name](*arguments)
        seconds = time.perf_counter() - started
        started = time.perf_counter()
        for _ in range(CROSSINGS):
            schema.isEmpty()
        crossing = (time.perf_counter() - started) / CROSSINGS
        print(json.dumps({"seconds": max(seconds - crossings * crossing, 0.0)}), flush=True)


if __name__ == "__main__":
    main()
