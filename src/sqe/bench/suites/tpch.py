"""TPC-H: eight tables by tpchgen-cli (PyPI), 22 texts from Spark's test resources."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.suites.published import texts
from sqe.bench.suites.suite import UNPUBLISHED, Query, Suite, Table

_KEY, _WORDS, _DAY, _MONEY, _COUNT = pa.int64(), pa.string(), pa.date32(), pa.decimal128(15, 2), pa.int32()

_COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "region": {"r_regionkey": _KEY, "r_name": _WORDS, "r_comment": _WORDS},
    "nation": {"n_nationkey": _KEY, "n_name": _WORDS, "n_regionkey": _KEY, "n_comment": _WORDS},
    "supplier": {
        "s_suppkey": _KEY,
        "s_name": _WORDS,
        "s_address": _WORDS,
        "s_nationkey": _KEY,
        "s_phone": _WORDS,
        "s_acctbal": _MONEY,
        "s_comment": _WORDS,
    },
    "customer": {
        "c_custkey": _KEY,
        "c_name": _WORDS,
        "c_address": _WORDS,
        "c_nationkey": _KEY,
        "c_phone": _WORDS,
        "c_acctbal": _MONEY,
        "c_mktsegment": _WORDS,
        "c_comment": _WORDS,
    },
    "part": {
        "p_partkey": _KEY,
        "p_name": _WORDS,
        "p_mfgr": _WORDS,
        "p_brand": _WORDS,
        "p_type": _WORDS,
        "p_size": _COUNT,
        "p_container": _WORDS,
        "p_retailprice": _MONEY,
        "p_comment": _WORDS,
    },
    "partsupp": {"ps_partkey": _KEY, "ps_suppkey": _KEY, "ps_availqty": _COUNT, "ps_supplycost": _MONEY, "ps_comment": _WORDS},
    "orders": {
        "o_orderkey": _KEY,
        "o_custkey": _KEY,
        "o_orderstatus": _WORDS,
        "o_totalprice": _MONEY,
        "o_orderdate": _DAY,
        "o_orderpriority": _WORDS,
        "o_clerk": _WORDS,
        "o_shippriority": _COUNT,
        "o_comment": _WORDS,
    },
    "lineitem": {
        "l_orderkey": _KEY,
        "l_partkey": _KEY,
        "l_suppkey": _KEY,
        "l_linenumber": _COUNT,
        "l_quantity": _MONEY,
        "l_extendedprice": _MONEY,
        "l_discount": _MONEY,
        "l_tax": _MONEY,
        "l_returnflag": _WORDS,
        "l_linestatus": _WORDS,
        "l_shipdate": _DAY,
        "l_commitdate": _DAY,
        "l_receiptdate": _DAY,
        "l_shipinstruct": _WORDS,
        "l_shipmode": _WORDS,
        "l_comment": _WORDS,
    },
}

_FIXED = {"region": 5, "nation": 25}
_AT_SCALE_1 = {"supplier": 10_000, "customer": 150_000, "part": 200_000, "partsupp": 800_000, "orders": 1_500_000}

# An order has one to seven lines: only some scales have a published number.
_LINES = {0.01: 60_175, 0.1: 600_572, 1: 6_001_215, 10: 59_986_052, 100: 600_037_902}

# Their ORDER BY names columns that tell every row from the others.
_ORDERED = {"q1", "q4", "q7", "q8", "q9", "q12", "q15", "q20", "q21", "q22"}

# The small orders of one brand and container: none at the smallest scales.
_VACUOUS_BELOW = {"q17": 0.05}


def rows(table: str, scale: float) -> int:
    if table == "lineitem":
        return _LINES.get(scale, UNPUBLISHED)
    return _FIXED.get(table) or round(_AT_SCALE_1[table] * scale)


def batches(table: str, scale: float) -> Iterator[pa.RecordBatch]:
    """By way of a file: Parquet cannot be read before its end is written."""
    import pyarrow.parquet as pq

    schema = pa.schema(list(_COLUMNS[table].items()))
    with TemporaryDirectory(prefix="sqe-tpch-") as folder:
        _generate(table, scale, folder)
        with pq.ParquetFile(Path(folder) / f"{table}.parquet") as file:
            for batch in file.iter_batches(64 * 1024):
                yield pa.RecordBatch.from_arrays(
                    [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)], schema=schema
                )


def _generate(table: str, scale: float, folder: str) -> None:
    program = Path(sys.executable).with_name("tpchgen-cli")
    if not program.exists():
        raise BenchmarkError("There is no tpchgen-cli; install sqe[bench] with pip or run make setup")
    ran = subprocess.run(
        [program, "parquet", "--scale-factor", f"{scale:g}", "--output-dir", folder, "--tables", table, "--quiet"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise BenchmarkError(f"tpchgen-cli could not make {table}: {ran.stderr.strip().splitlines()[-1:]}")


def queries(scale: float) -> Sequence[Query]:
    return [
        Query(name, text, ordered=name in _ORDERED, vacuous=scale < _VACUOUS_BELOW.get(name, 0))
        for name, text in texts("tpch").items()
    ]


def oracle(scale: float) -> Sequence[Query]:
    """Trino brings a generator of its own, in Java: every column of every table, by sums and extremes."""
    from sqe.bench.targets import sums

    found = []
    for table in SUITE.tables:
        select = "SELECT count(*) AS n, " + ", ".join(sums(column) for column in table.schema)
        theirs = f'{select} FROM tpchstd."sf{scale:g}".{table.name}'
        found.append(Query(f"data-{table.name}", f"{select} FROM {table.name}", dialects=(("trino", theirs),)))
    return found


def _table(name: str) -> Table:
    counted: Callable[[float], int] = partial(rows, name)
    return Table(name, pa.schema(list(_COLUMNS[name].items())), counted, partial(batches, name))


SUITE = Suite("tpch", "TPC-H: 22 questions of a wholesaler", tuple(_table(name) for name in _COLUMNS), queries, oracle=oracle)
