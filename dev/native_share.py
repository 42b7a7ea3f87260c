"""`python -m dev.native_share FOLDER SCALE SUITE…`: of each query of a suite that `sqe-bench load` has put there, what is native,
why the rest is not, and whether the answer is Spark's (docs/native.md)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from sqe.bench.answers import compare
from sqe.bench.lake import schema_name
from sqe.bench.suites.registry import find
from sqe.bench.suites.suite import Query
from sqe.bench.workspace import local_server, local_session, rows_of
from sqe.errors import SqeError
from sqe.server import Server
from sqe.session import Session


def main(folder: str, scale: str, *suites: str) -> None:
    with local_server(Path(folder)) as (server, _):
        for suite in suites:
            session = local_session(server)
            rows_of(server, session, f"USE {schema_name(suite, float(scale))}")
            _share(suite, server, session, find(suite).queries(float(scale)))


def _share(suite: str, server: Server, session: Session, queries: Sequence[Query]) -> None:
    reasons: Counter[str] = Counter()
    whole, equal, asked = 0, 0, 0
    for query in queries:
        if query.kind == "write":
            continue
        asked += 1
        refused = _refused(server, session, query.sql)
        reasons.update({reason.split(": ", 1)[-1] for reason in refused})
        whole += not refused
        verdict = _verdict(server, session, query)
        equal += verdict == "equal"
        print(f"  {query.name}: {'; '.join(refused) or 'native'}; {verdict}", flush=True)
    print(f"{suite}: {whole} of {asked} wholly native, {equal} equal")
    for reason, count in reasons.most_common():
        print(f"  {count:4} {reason}")


def _refused(server: Server, session: Session, text: str) -> list[str]:
    rows_of(server, session, "SET native = auto")
    try:
        plan = str(rows_of(server, session, f"EXPLAIN {text}").column(0)[0])
    except SqeError as error:
        return [f"error: {error.code.name}"]
    _, found, told = plan.partition("== Native ==\n")
    lines = told.strip().splitlines() if found else ["not query: not worth it"]
    return [line.removeprefix("not ") for line in lines if line.startswith("not ")]


def _verdict(server: Server, session: Session, query: Query) -> str:
    answers: list[pa.Table | str] = []
    for mode in ("off", "auto"):
        rows_of(server, session, f"SET native = {mode}")
        try:
            answers.append(rows_of(server, session, query.sql))
        except SqeError as error:
            answers.append(error.code.name)
    ours, theirs = answers
    if isinstance(ours, str) or isinstance(theirs, str):
        return "equal" if isinstance(ours, str) and ours == theirs else f"DIFFERENT {answers}"
    if ours.schema != theirs.schema:
        return "DIFFERENT types"
    found = compare(ours, theirs, ordered=query.ordered, tolerance=query.tolerance)
    return "equal" if found.equal else f"DIFFERENT {found.differences}"


if __name__ == "__main__":
    main(*sys.argv[1:])
