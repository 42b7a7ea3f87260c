"""`python -m sqe.bench.engines.duckdb_process '{"table": ["file", …]}'`: answers statements on these files."""

from __future__ import annotations

import json
import sys
from tempfile import TemporaryDirectory
from typing import Any

from sqe.bench.engines.serving import serve


def main() -> None:
    # Else what does not fit into memory lies in the folder that the command was called in, and stays there.
    with TemporaryDirectory(prefix="sqe-duckdb-") as spilled:
        _answer(spilled)


def _answer(spilled: str) -> None:
    import duckdb

    connection = duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "temp_directory": spilled}
    )
    connection.execute("SET TimeZone = 'UTC'")
    # Not in `main`, which every other schema looks into as well.
    connection.execute("CREATE SCHEMA original; SET schema = 'original'")
    for table, files in json.loads(sys.argv[1]).items():
        listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        connection.execute(f'CREATE VIEW "{table}" AS SELECT * FROM read_parquet([{listed}])')

    def run(sql: str, parameters: list[Any]) -> Any:
        return connection.execute(sql, parameters).to_arrow_table()

    serve(run, duckdb.__version__)


if __name__ == "__main__":
    main()
