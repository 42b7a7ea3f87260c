"""TPC-DS: 24 tables by the Trino project's generator (Maven), 99 questions with their variants from Spark's test resources.

Names and types of the columns come from the same resources at run time, so the tables are known when they are first asked for.
"""

from __future__ import annotations

import re
import struct
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import overload

import pyarrow as pa

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.suites.published import SPARK_TESTS, TPCDS_GENERATOR, texts
from sqe.bench.suites.suite import UNPUBLISHED, Query, Suite, Table

# The specification's own numbers. Other scales do not grow in proportion.
_AT_SCALE_1 = {
    "call_center": 6,
    "catalog_page": 11_718,
    "catalog_returns": 144_067,
    "catalog_sales": 1_441_548,
    "customer": 100_000,
    "customer_address": 50_000,
    "customer_demographics": 1_920_800,
    "date_dim": 73_049,
    "household_demographics": 7_200,
    "income_band": 20,
    "inventory": 11_745_000,
    "item": 18_000,
    "promotion": 300,
    "reason": 35,
    "ship_mode": 20,
    "store": 12,
    "store_returns": 287_514,
    "store_sales": 2_880_404,
    "time_dim": 86_400,
    "warehouse": 5,
    "web_page": 60,
    "web_returns": 71_763,
    "web_sales": 719_384,
    "web_site": 30,
}

# By the first column of each table.
_FIRST_COLUMNS = {
    "cc_call_center_sk": "call_center",
    "cp_catalog_page_sk": "catalog_page",
    "cr_returned_date_sk": "catalog_returns",
    "cs_sold_date_sk": "catalog_sales",
    "c_customer_sk": "customer",
    "ca_address_sk": "customer_address",
    "cd_demo_sk": "customer_demographics",
    "d_date_sk": "date_dim",
    "hd_demo_sk": "household_demographics",
    "ib_income_band_sk": "income_band",
    "inv_date_sk": "inventory",
    "i_item_sk": "item",
    "p_promo_sk": "promotion",
    "r_reason_sk": "reason",
    "sm_ship_mode_sk": "ship_mode",
    "s_store_sk": "store",
    "sr_returned_date_sk": "store_returns",
    "ss_sold_date_sk": "store_sales",
    "t_time_sk": "time_dim",
    "w_warehouse_sk": "warehouse",
    "wp_web_page_sk": "web_page",
    "wr_returned_date_sk": "web_returns",
    "ws_sold_date_sk": "web_sales",
    "web_site_sk": "web_site",
}

_SCHEMAS = "org/apache/spark/sql/TPCDSSchema.class"
_COLUMN = re.compile(r"`(\w+)`\s+(INT|DATE|CHAR|VARCHAR|DECIMAL)(?:\((\d+)(?:,\s*(\d+))?\))?")


@cache
def schemas() -> dict[str, pa.Schema]:
    from sqe.engine.install.jars import ensure_jars

    (jar,) = ensure_jars([SPARK_TESTS])
    with zipfile.ZipFile(jar) as content:
        constants = _text_constants(content.read(_SCHEMAS))
    found = {}
    for text in constants:
        columns = _COLUMN.findall(text)
        if columns and columns[0][0] in _FIRST_COLUMNS:
            found[_FIRST_COLUMNS[columns[0][0]]] = pa.schema([(name, _type(kind, *size)) for name, kind, *size in columns])
    if set(found) != set(_AT_SCALE_1):
        raise BenchmarkError("The tables of TPC-DS are not where Spark's tests had them")
    return found


def _type(kind: str, precision: str, scale: str) -> pa.DataType:
    if kind == "DECIMAL":
        return pa.decimal128(int(precision), int(scale))
    return {"INT": pa.int32(), "DATE": pa.date32()}.get(kind, pa.string())


def _text_constants(compiled: bytes) -> list[str]:
    """Of a Java class file: its constants lie one after another, each with a tag that tells its size."""
    sizes = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
    (count,) = struct.unpack_from(">H", compiled, 8)
    place, index, found = 10, 1, []
    while index < count:
        tag = compiled[place]
        if tag == 1:
            (length,) = struct.unpack_from(">H", compiled, place + 1)
            found.append(compiled[place + 3 : place + 3 + length].decode("utf-8", "replace"))
            place += 3 + length
        else:
            place += 1 + sizes[tag]
        index += 2 if tag in (5, 6) else 1  # long and double count twice
    return found


def batches(table: str, scale: float) -> Iterator[pa.RecordBatch]:
    import pyarrow.csv as csv

    schema = schemas()[table]
    path = Path(_generated(scale).name) / f"{table}.dat"
    if not path.exists():
        raise BenchmarkError(f"The generator of TPC-DS did not make {table}")
    with csv.open_csv(
        path,
        csv.ReadOptions(column_names=schema.names, encoding="latin1", block_size=4 << 20),
        csv.ParseOptions(delimiter="|", quote_char=False),
        csv.ConvertOptions(column_types=schema, null_values=[""], strings_can_be_null=True),
    ) as reader:
        for batch in reader:
            yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)


@cache
def _generated(scale: float) -> TemporaryDirectory[str]:
    """All tables at once, because returns are made with the sales that they belong to; gone with this process."""
    from sqe.engine.install import find_java
    from sqe.engine.install.jars import ensure_jars

    (jar,) = ensure_jars([TPCDS_GENERATOR])
    folder = TemporaryDirectory(prefix="sqe-tpcds-")
    arguments = ["--scale", f"{scale:g}", "--directory", folder.name, "--do-not-terminate", "--overwrite"]
    ran = subprocess.run(
        [find_java().executable, "-Xmx512m", "-jar", jar, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise BenchmarkError(f"The generator of TPC-DS ended with {ran.returncode}: {ran.stderr.strip()[:300]}")
    return folder


def rows(table: str, scale: float) -> int:
    return _AT_SCALE_1[table] if scale == 1 else UNPUBLISHED


def queries(scale: float) -> Sequence[Query]:
    """The 99 with the second parts of some (q14b …) as of version 1.4, and those that version 2.7 words otherwise."""
    first = [Query(name, text) for name, text in texts("tpcds").items()]
    return first + [Query(f"v2.7-{name}", text) for name, text in texts("tpcds-v2.7.0").items()]


class _Tables(Sequence[Table]):
    def __len__(self) -> int:
        return len(_AT_SCALE_1)

    @overload
    def __getitem__(self, index: int) -> Table: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Table]: ...
    def __getitem__(self, index: int | slice) -> Table | Sequence[Table]:
        names = list(_AT_SCALE_1)[index]
        return self._table(names) if isinstance(names, str) else [self._table(name) for name in names]

    def _table(self, name: str) -> Table:
        return Table(name, schemas()[name], partial(rows, name), partial(batches, name))


SUITE = Suite("tpcds", "TPC-DS: 99 questions of a retailer, with variants", _Tables(), queries)
