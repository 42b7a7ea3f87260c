"""Asks a real Trino 476 what the differential tests compare with, and keeps the answers beside them.

python -m dev.services up trino
python -m dev.trino_answers                 # expressions and queries whose answer is not kept yet
python -m dev.trino_answers --again         # all of them
python -m dev.trino_answers functions       # SHOW FUNCTIONS, for the translator's signatures
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import trino

from dev.services.stack import Stack

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests" / "differential" / "trino"
SIGNATURES = ROOT / "src" / "sqe" / "sql" / "dialect" / "trino" / "signatures.tsv"


class Trino:
    """One answer a statement: the columns' types and the rows as the protocol has them, or the error's name."""

    def __init__(self, address: str, schema: str = "default") -> None:
        self._address = address
        self._schema = schema

    def ask(self, sql: str) -> dict[str, Any]:
        host, _, port = self._address.removeprefix("http://").partition(":")
        connection = trino.dbapi.connect(
            host=host,
            port=int(port),
            user="tester",
            catalog="lake",
            schema=self._schema,
            timezone="UTC",
            legacy_primitive_types=True,
        )
        cursor = connection.cursor()
        try:
            cursor.execute(sql)
            rows = cursor.fetchall()
        except trino.exceptions.TrinoQueryError as error:
            return {"sql": sql, "error": error.error_name}
        columns = cursor.description or []
        return {"sql": sql, "names": [each[0] for each in columns], "types": [each[1] for each in columns], "rows": rows}


def running(schema: str = "default") -> Trino:
    return Trino(Stack(progress=lambda line: None).status()["trino"].address["http"], schema)


def answers(path: Path) -> dict[str, dict[str, Any]]:
    if not path.exists():
        return {}
    return {each["sql"]: each for each in map(json.loads, filter(None, path.read_text().split("\n")))}


def record(path: Path, statements: list[str], judge: Trino, *, again: bool = False) -> None:
    known = {} if again else answers(path)
    missing = [sql for sql in statements if sql not in known]
    with ThreadPoolExecutor(4) as pool:
        known |= {answer["sql"]: answer for answer in pool.map(judge.ask, missing)}
    lines = (json.dumps(known[sql], ensure_ascii=False, separators=(",", ":")) for sql in statements)
    path.write_text("\n".join(lines) + "\n")
    print(f"{path.name}: {len(statements)} answers, {len(missing)} of them new", file=sys.stderr)


def functions(judge: Trino) -> None:
    lines: dict[str, None] = {}
    for name, result, arguments, kind, *_ in judge.ask("SHOW FUNCTIONS")["rows"]:
        lines["\t".join([name, kind, result, arguments])] = None
    head = "# SHOW FUNCTIONS of Trino 476 (python -m dev.trino_answers functions): name, kind, result, arguments"
    SIGNATURES.write_text("\n".join([head, *lines]) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m dev.trino_answers", description=__doc__)
    parser.add_argument("what", nargs="?", default="answers", choices=["answers", "functions"])
    parser.add_argument("--again", action="store_true", help="ask for what is kept, too")
    arguments = parser.parse_args()
    if arguments.what == "functions":
        functions(running())
        return 0
    sys.path.insert(0, str(TESTS))
    import cases

    record(TESTS / "expressions.jsonl", cases.expressions(), running(), again=arguments.again)
    record(TESTS / "queries.jsonl", cases.queries(), running("shop"), again=arguments.again)
    return 0


if __name__ == "__main__":
    sys.exit(main())
