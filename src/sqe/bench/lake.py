"""A suite's tables on disk: generated once as Parquet, loaded once through SQE's own door into Iceberg, checked before each run.

What was loaded is written down (`Loaded`): the snapshot of each table and the digest of every data file. A table whose rows or
columns anyone changed since, by a commit or behind Iceberg's back, is noticed and no figure is measured on it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.places import LocalFolder, Place
from sqe.bench.processes import sqe_server
from sqe.bench.suites.suite import UNPUBLISHED, Suite, Table
from sqe.bench.workspace import CATALOG, print_to_stderr
from sqe.client import FlightClient


@dataclass(frozen=True)
class DataFile:
    path: str
    digest: str
    rows: bool = True  # else it says which rows of others are gone


@dataclass(frozen=True)
class LoadedTable:
    name: str
    rows: int
    state: str  # its snapshot, columns and properties: another after any commit that changed one of them
    files: tuple[DataFile, ...]


@dataclass(frozen=True)
class Loaded:
    """A suite at a scale, as it was when it had been loaded."""

    place: Place
    suite: str
    scale: float
    tables: tuple[LoadedTable, ...]

    @property
    def folder(self) -> Path:
        return self.place.folder

    @property
    def schema(self) -> str:
        return schema_name(self.suite, self.scale)


def schema_name(suite: str, scale: float) -> str:
    return f"{suite}_sf{scale:g}".replace(".", "_")


# Generating.


def generate(folder: Path, suite: Suite, scale: float) -> Path:
    """Parquet files, one a table; those that are there stay."""
    place = folder / "data" / schema_name(suite.name, scale)
    place.mkdir(parents=True, exist_ok=True)
    for table in suite.tables:
        target = place / f"{table.name}.parquet"
        if not target.exists():
            print_to_stderr(f"generating {table.name} of {suite.name} at scale {scale:g}")
            rows = _written(table, scale, target)
            _check_rows(table, scale, rows)
    return place


def _written(table: Table, scale: float, target: Path) -> int:
    """Under another name until it is whole."""
    import pyarrow.parquet as pq

    rows, unfinished = 0, target.with_suffix(".unfinished")
    with pq.ParquetWriter(unfinished, table.schema, compression="zstd") as writer:
        for batch in table.batches(scale):
            writer.write_batch(batch)
            rows += batch.num_rows
    unfinished.rename(target)
    return rows


def _check_rows(table: Table, scale: float, rows: int) -> None:
    published = table.rows(scale)
    if published not in (rows, UNPUBLISHED):
        raise BenchmarkError(f"{table.name} at scale {scale:g} has {rows:,} rows, not the {published:,} that are published")


# Loading.


def load(folder: Path, suite: Suite, scale: float, place: Place | None = None) -> Loaded:
    """Through the Flight door of a server process. A suite that is loaded and unchanged stays as it is."""
    at = place or LocalFolder(folder)
    try:
        return unchanged(at, suite, scale)
    except BenchmarkError as why:
        print_to_stderr(str(why))
    generated = generate(at.folder, suite, scale)
    schema = schema_name(suite.name, scale)
    _record_file(at, schema).unlink(missing_ok=True)
    with sqe_server(at.folder, text=at.server_config("2g")) as (_, address), _client(at, address) as client:
        client.execute(f"CREATE SCHEMA IF NOT EXISTS {CATALOG}.{schema}").close()
        rows = [_load(client, schema, table, generated / f"{table.name}.parquet") for table in suite.tables]
        for statement in suite.after_loading:
            client.execute(statement.format(schema=f"{CATALOG}.{schema}")).close()
        files = [_files(at, client, schema, table.name) for table in suite.tables]
    tables = [
        LoadedTable(table.name, counted, at.state_of(schema, table.name), paths)
        for table, counted, paths in zip(suite.tables, rows, files, strict=True)
    ]
    record = Loaded(at, suite.name, scale, tuple(tables))
    text = json.dumps({"suite": suite.name, "scale": scale, "tables": [asdict(table) for table in record.tables]}, indent=1)
    _record_file(at, schema).parent.mkdir(exist_ok=True)
    _record_file(at, schema).write_text(text)
    return record


def _load(client: FlightClient, schema: str, table: Table, source: Path) -> int:
    import pyarrow.parquet as pq

    name = f"{CATALOG}.{schema}.{table.name}"
    print_to_stderr(f"loading {name}")
    partitions = f"PARTITIONED BY ({table.partitioned_by})" if table.partitioned_by else ""
    properties = f"TBLPROPERTIES ({table.properties})" if table.properties else ""
    columns = ", ".join(f"{field.name} {sql_type(field.type)}" for field in table.schema)
    client.execute(f"CREATE OR REPLACE TABLE {name} ({columns}) {partitions} {properties}").close()
    with pq.ParquetFile(source) as file:
        reader = pa.RecordBatchReader.from_batches(table.schema, file.iter_batches(64 * 1024))
        client.ingest(table.name, reader, mode="append", schema=schema, catalog=CATALOG)
        written = file.metadata.num_rows
    (counted,) = client.execute(f"SELECT count(*) AS n FROM {name}").read_all()["n"].to_pylist()
    if counted != written:
        raise BenchmarkError(f"{name} has {counted:,} rows after {written:,} were loaded")
    return int(counted)


def compute_statistics(loaded: Loaded) -> None:
    """Distinct values, which engines plan with; the tables stay what was loaded."""
    with (
        sqe_server(loaded.place.folder, text=loaded.place.server_config("2g")) as (_, address),
        _client(loaded.place, address) as client,
    ):
        for table in loaded.tables:
            print_to_stderr(f"computing the statistics of {loaded.schema}.{table.name}")
            client.execute(f"CALL {CATALOG}.system.compute_table_stats(table => '{loaded.schema}.{table.name}')").close()


def _files(at: Place, client: FlightClient, schema: str, table: str) -> tuple[DataFile, ...]:
    """Those with rows, and those with deletes."""
    sql = f"SELECT file_path, content FROM {CATALOG}.{schema}.{table}.files ORDER BY file_path"
    listed = client.execute(sql).read_all().to_pylist()
    paths = [(at.path(file["file_path"]), file["content"] == 0) for file in listed]
    return tuple(DataFile(path, at.digest(path), rows) for path, rows in paths)


@contextmanager
def _client(at: Place, address: str) -> Iterator[FlightClient]:
    with FlightClient(address, user=at.user, password=at.password) as client:
        yield client


# Checking.


def unchanged(at: Place, suite: Suite, scale: float) -> Loaded:
    """What was loaded, if it is as it was."""
    schema = schema_name(suite.name, scale)
    record = _read_record(at, suite, scale)
    for table in record.tables:
        if at.state_of(schema, table.name) != table.state:
            raise BenchmarkError(f"{schema}.{table.name} was changed since it was loaded; load it anew")
        for file in table.files:
            if at.digest(file.path) != file.digest:
                raise BenchmarkError(f"A data file of {schema}.{table.name} is not what was loaded; load it anew")
    return record


def _read_record(at: Place, suite: Suite, scale: float) -> Loaded:
    path = _record_file(at, schema_name(suite.name, scale))
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        tables = tuple(
            LoadedTable(table["name"], int(table["rows"]), table["state"], tuple(DataFile(**file) for file in table["files"]))
            for table in content["tables"]
        )
    except FileNotFoundError:
        raise BenchmarkError(f"{suite.name} at scale {scale:g} is not loaded yet") from None
    except (ValueError, KeyError, TypeError):
        raise BenchmarkError(f"The record of {suite.name} at scale {scale:g} cannot be read; it is loaded anew") from None
    if [table.name for table in tables] != [table.name for table in suite.tables]:
        raise BenchmarkError(f"{suite.name} at scale {scale:g} was loaded with other tables; it is loaded anew")
    return Loaded(at, suite.name, scale, tables)


def _record_file(at: Place, schema: str) -> Path:
    return at.folder / "loaded" / f"{at.name}{schema}.json"


def forget_generated(folder: Path, suite: Suite, scale: float) -> None:
    """The Parquet files of `generate`: the tables do not need them any more."""
    shutil.rmtree(folder / "data" / schema_name(suite.name, scale), ignore_errors=True)


def sql_type(kind: pa.DataType) -> str:
    """Spark's name of a type."""
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "TIMESTAMP" if kind.tz else "TIMESTAMP_NTZ"
    for fits, name in _NAMES:
        if fits(kind):
            return name
    raise BenchmarkError(f"No table of a suite may have a column of {kind}")


_NAMES = (
    (pa.types.is_boolean, "BOOLEAN"),
    (pa.types.is_int64, "BIGINT"),
    (pa.types.is_integer, "INT"),
    (pa.types.is_float64, "DOUBLE"),
    (pa.types.is_float32, "FLOAT"),
    (pa.types.is_string, "STRING"),
    (pa.types.is_date, "DATE"),
    (pa.types.is_binary, "BINARY"),
)
