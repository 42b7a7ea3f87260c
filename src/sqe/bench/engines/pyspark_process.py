"""`python -m sqe.bench.engines.pyspark_process '{"settings": {…}, "schema": "…"}'`: `toArrow()` of each statement."""

from __future__ import annotations

import json
import sys
from typing import Any

from sqe.bench.engines.serving import serve


def main() -> None:
    import pyspark
    from pyspark.sql import SparkSession

    request = json.loads(sys.argv[1])
    builder = SparkSession.builder.appName("peer")
    for key, value in request["settings"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sql(f"USE {request['schema']}")

    def run(sql: str, parameters: list[Any]) -> Any:
        return (spark.sql(sql, args=parameters) if parameters else spark.sql(sql)).toArrow()

    serve(run, pyspark.__version__)


if __name__ == "__main__":
    main()
