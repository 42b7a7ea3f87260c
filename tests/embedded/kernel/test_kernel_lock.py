"""The kernel reads the planned files and nothing else, whatever SQL it would be given. Only the translator gives it any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.engine.driver import Driver
from tests.waiting import eventually

FORBIDDEN = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '{other}'",
    "SELECT * FROM read_parquet('{folder}/*.parquet')",
    "SELECT * FROM read_parquet('{folder}/../{name}/other.parquet')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM parquet_schema('{other}')",
    "COPY (SELECT 1) TO '{folder}/written.csv'",
    "EXPORT DATABASE '{folder}/written'",
    "ATTACH '{folder}/written.db'",
    "INSTALL httpfs",
    "LOAD '/tmp/any.duckdb_extension'",
    "LOAD httpfs",
    "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
    "SET enable_external_access = true",
    "SET allowed_paths = ['/etc/passwd']",
    "SET allowed_directories = ['/']",
    "SET memory_limit = '100GB'",
    "SET threads = 64",
    "SET temp_directory = '/tmp'",
    "SET lock_configuration = false",
    "SET autoinstall_known_extensions = true",
    "SET extension_directory = '/tmp'",
    "RESET enable_external_access",
    "PRAGMA enable_logging",
]


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    for name in ("planned", "other"):
        pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / f"{name}.parquet")
    return tmp_path / "planned.parquet"


@pytest.fixture
def kernel(driver: Driver, planned: Path, tmp_path: Path) -> Iterator[Any]:
    """An instance as a task has it, opened by hand."""
    assert driver._gateway is not None
    jvm = driver._gateway.jvm
    nothing = getattr(getattr(jvm.scala.collection.immutable, "Nil$"), "MODULE$")
    none = getattr(getattr(jvm.scala, "None$"), "MODULE$")
    package = jvm.org.apache.spark.sql.sqe.kernel
    settings = package.KernelSettings(1 << 28, 2, str(tmp_path / "spilled"), 1)
    files = package.NativeFiles(getattr(nothing, "$colon$colon")(str(planned)), nothing, nothing, nothing, none, False)
    scans, key = getattr(nothing, "$colon$colon")(files), jvm.scala.Tuple2(0, 0)
    instance = package.NativeInstance(package.NativeQuery("", scans, settings, nothing, nothing, key, nothing, none, False))
    instance.open()
    yield instance
    instance.close()


def test_it_reads_what_is_planned(kernel: Any, planned: Path) -> None:
    assert kernel.first(f"SELECT sum(a) FROM read_parquet(['{planned}'])").get() == "6"


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_it_does_nothing_else(kernel: Any, planned: Path, statement: str) -> None:
    folder = planned.parent
    before = sorted(folder.iterdir())
    with pytest.raises(Exception, match=r"Permission|locked|Error"):
        kernel.first(statement.format(folder=folder, name=folder.name, other=folder / "other.parquet"))
    assert sorted(folder.iterdir()) == before


def test_it_leaves_nothing_behind(driver: Driver, kernel: Any, tmp_path: Path) -> None:
    kernel.first("SELECT count(*) FROM (SELECT DISTINCT range, hash(range) FROM range(3000000))")
    kernel.close()
    kernel.close()
    eventually(lambda: not list((tmp_path / "spilled").glob("*")))
    health = driver.health()
    assert health is not None
    assert health.native_open == 0
