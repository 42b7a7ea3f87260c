"""`python -m sqe.bench.engines.embedded_process '{"catalog", "folder", "schema"}'`: answers by `sqe.connect()`."""

from __future__ import annotations

import json
import sys
from typing import Any

import sqe
from sqe.bench.engines.serving import serve


def main() -> None:
    request = json.loads(sys.argv[1])
    with sqe.connect(catalogs={request["catalog"]: request["folder"]}) as connection:

        def run(sql: str, parameters: list[Any]) -> Any:
            with connection.cursor() as cursor:
                cursor.execute(sql, parameters or None)
                return cursor.fetch_arrow_table() if cursor.description else None

        run(f"USE {request['schema']}", [])
        serve(run, sqe.__version__)


if __name__ == "__main__":
    main()
