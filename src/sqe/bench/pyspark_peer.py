"""The peer: plain pyspark as its documentation shows it, with Iceberg's jar and the same catalog. A script, not a module of ours:
it imports nothing but pyspark, so that its time is pyspark's.

    python pyspark_peer.py '{"settings": {…}, "sql": "SELECT …"}'

Prints a JSON line when the first rows are there; then for each line on standard input (a query) the seconds of `toArrow()`.
"""

import json
import sys
import time


def main() -> None:
    from pyspark.sql import SparkSession

    request = json.loads(sys.argv[1])
    builder = SparkSession.builder.appName("peer")
    for key, value in request["settings"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    rows = spark.sql(request["sql"]).collect()
    print(json.dumps({"rows": len(rows)}), flush=True)
    for query in sys.stdin:
        started = time.monotonic()
        table = spark.sql(query).toArrow()
        print(json.dumps({"rows": table.num_rows, "seconds": time.monotonic() - started, "bytes": table.nbytes}), flush=True)
        del table


if __name__ == "__main__":
    main()
