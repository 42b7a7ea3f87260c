"""Files as tables: what DuckDB's users expect to find in them, wherever they lie."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions
from tests.embedded.file_servers import Site, s3_store, serve

Sql = Callable[[str], pa.Table]


@pytest.fixture(scope="module")
def sessions(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    warehouse = tmp_path_factory.mktemp("warehouse")
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(warehouse)}}, "lake", files=FileRights(own=True))
    yield sessions
    sessions.close_all()


# Text of a file, its name's ending, the columns with their types, the first row.
TEXTS = [
    ("a,b\n1,x\n2,y\n", "csv", {"a": pa.int64(), "b": pa.string()}, (1, "x")),
    ("a;b\n1,5;x\n2,5;y\n", "csv", {"a": pa.string(), "b": pa.string()}, ("1,5", "x")),
    ("a\tb\n1.5\ttrue\n2\tfalse\n", "tsv", {"a": pa.float64(), "b": pa.bool_()}, (1.5, True)),
    ("1|2.5\n3|4\n", "csv", {"column0": pa.int64(), "column1": pa.float64()}, (1, 2.5)),
    ("first,last\nAda,Berg\nBo,Dahl\n", "csv", {"first": pa.string(), "last": pa.string()}, ("Ada", "Berg")),
    ("n,d\n1,2026-01-31\n2,\n", "csv", {"n": pa.int64(), "d": pa.date32()}, (1, date(2026, 1, 31))),
    ("n,d\n1,31/12/2025\n2,01/02/2026\n", "csv", {"n": pa.int64(), "d": pa.date32()}, (1, date(2025, 12, 31))),
    ("n,d\n1,12/31/2025\n2,01/02/2026\n", "csv", {"n": pa.int64(), "d": pa.date32()}, (1, date(2025, 12, 31))),
    (
        "n,t\n1,2026-01-31 10:11:12\n2,2026-01-31T10:11:12.5\n",
        "csv",
        {"n": pa.int64(), "t": pa.timestamp("us", "UTC")},
        (1, datetime(2026, 1, 31, 10, 11, 12, tzinfo=UTC)),
    ),
    ('a,b\n1,"two\nlines, quoted ""so"""\n', "csv", {"a": pa.int64(), "b": pa.string()}, (1, 'two\nlines, quoted "so"')),
    ("\ufeffa,a,\n1,2,3\n", "csv", {"a": pa.int64(), "a_1": pa.int64(), "column2": pa.int64()}, (1, 2, 3)),
    ("zip,n\n99999999999999999999,1\n1,2\n", "csv", {"zip": pa.float64(), "n": pa.int64()}, (1e20, 1)),
    ('{"a": 1, "b": "x"}\n{"a": 2.5}\n', "jsonl", {"a": pa.float64(), "b": pa.string()}, (1.0, "x")),
    (
        '[{"a": {"d": "2026-01-31", "l": [1, 2]}},\n {"a": {"e": null}}]',
        "json",
        {"a": pa.struct([("d", pa.date32()), ("l", pa.list_(pa.field("element", pa.int64()))), ("e", pa.string())])},
        ({"d": date(2026, 1, 31), "l": [1, 2], "e": None},),
    ),
    ('{\n "a": true,\n "t": "2026-01-31T00:00:00Z"\n}\n', "json", {"a": pa.bool_(), "t": pa.timestamp("us", "UTC")}, None),
    ('{"mixed": 1}\n{"mixed": {"x": 1}}\n', "ndjson", {"mixed": pa.string()}, ("1",)),
]


def test_columns_and_types_of_text_are_found_out(sql: Sql, tmp_path: Path) -> None:
    for number, (text, ending, columns, first) in enumerate(TEXTS):
        path = tmp_path / f"{number}.{ending}"
        path.write_text(text, encoding="utf-8")
        rows = sql(f"SELECT * FROM '{path}'")
        assert {field.name: field.type for field in rows.schema} == columns, text
        if first is not None:
            assert tuple(rows.to_pylist()[0].values()) == first, text


def test_options_say_what_cannot_be_seen(sql: Sql, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("# a remark\n01^n/a^02.03.2026\n'2^'^b^04.05.2026\n")
    rows = sql(
        f"SELECT * FROM read_csv('{path}', delim => '^', quote => '''', header => false, comment => '#', nullstr => 'n/a', "
        "columns => 'code STRING, name STRING, day DATE', dateformat => '%d.%m.%Y')"
    )
    assert rows.to_pylist() == [
        {"code": "01", "name": None, "day": date(2026, 3, 2)},
        {"code": "2^", "name": "b", "day": date(2026, 5, 4)},
    ]
    path.write_text("a\n1\nx\n")
    assert sql(f"SELECT * FROM read_csv('{path}', all_varchar => true)").schema.types == [pa.string()]
    path.write_text("a,b\n" + "1,2\n" * 30 + "x,3\n")
    with pytest.raises(SqeError, match="INVALID_FUNCTION_ARGUMENT"):
        sql(f"SELECT * FROM read_csv('{path}', sample_size => 10)")
    assert sql(f"SELECT count(*) AS n FROM (SELECT a FROM read_csv('{path}', sample_size => 10, ignore_errors => true))")
    assert sql(f"SELECT max(a) AS a FROM read_csv('{path}', sample_size => -1)").to_pylist() == [{"a": "x"}]


def test_compressed_text_is_read(sql: Sql, tmp_path: Path) -> None:
    text = b"a,b\n1,x\n"
    (tmp_path / "1.csv.gz").write_bytes(gzip.compress(text))
    (tmp_path / "2.csv.bz2").write_bytes(bz2.compress(text))
    (tmp_path / "3.csv.xz").write_bytes(lzma.compress(text))
    with pa.CompressedOutputStream(str(tmp_path / "4.csv.zst"), "zstd") as file:
        file.write(text)
    for path in sorted(tmp_path.iterdir()):
        assert sql(f"SELECT * FROM '{path}'").to_pylist() == [{"a": 1, "b": "x"}], path
    assert len(sql(f"SELECT * FROM '{tmp_path}/*.csv.*'")) == 4


def test_files_are_united_by_name(sql: Sql, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": pa.array([1], pa.int32()), "old": ["a"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"new": [2.5], "id": pa.array([2**40], pa.int64())}), tmp_path / "2.parquet")
    assert sql(f"SELECT * FROM '{tmp_path}/*.parquet' ORDER BY id").to_pylist() == [
        {"id": 1, "old": "a", "new": None},
        {"id": 2**40, "old": None, "new": 2.5},
    ]
    (tmp_path / "1.csv").write_text("id,name\n1,x\n")
    (tmp_path / "2.csv").write_text("name;id\ny;two\n")
    rows = sql(f"SELECT id, name FROM read_csv(array('{tmp_path}/1.csv', '{tmp_path}/2.csv')) ORDER BY id").to_pylist()
    assert rows == [{"id": "1", "name": "x"}, {"id": "two", "name": "y"}]
    with pytest.raises(SqeError, match="different columns"):
        sql(f"SELECT * FROM read_csv('{tmp_path}/*.csv', union_by_name => false)")
    pq.write_table(pa.table({"id": [date(2026, 1, 1)]}), tmp_path / "3.parquet")
    with pytest.raises(SqeError, match="The column id is"):
        sql(f"SELECT * FROM '{tmp_path}/*.parquet'")


def test_folders_patterns_and_partitions(sql: Sql, tmp_path: Path) -> None:
    for year in (2025, 2026):
        folder = tmp_path / "sales" / f"year={year}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"n": [year * 10]}), folder / "part.parquet")
        (folder / "_SUCCESS").write_text("")
    for path in (f"{tmp_path}/sales/*/*.parquet", f"{tmp_path}/**/*.parquet", f"{tmp_path}/sales/year={{2025,2026}}/p*.parquet"):
        rows = sql(f"SELECT n, year FROM '{path}' ORDER BY n").to_pylist()
        assert rows == [{"n": 20250, "year": 2025}, {"n": 20260, "year": 2026}], path
    assert sql(f"SELECT n FROM read_parquet('{tmp_path}/sales') WHERE year = 2026").to_pylist() == [{"n": 20260}]
    named = sql(f"SELECT filename FROM read_parquet('{tmp_path}/sales', filename => true, hive_partitioning => false)")
    assert (named.column_names, len(named)) == (["filename"], 2)


def test_other_formats(sql: Sql, tmp_path: Path) -> None:
    orc.write_table(pa.table({"o": [1, 2]}), str(tmp_path / "x.orc"))
    assert sql(f"SELECT sum(o) AS s FROM '{tmp_path}/x.orc'").to_pylist() == [{"s": 3}]
    (tmp_path / "note.txt").write_text("two\nlines")
    assert sql(f"SELECT content, size FROM '{tmp_path}/note.txt'").to_pylist() == [{"content": "two\nlines", "size": 9}]
    sql("CREATE TABLE folder_table TBLPROPERTIES ('write.format.default' = 'avro') AS SELECT 7L AS seven")
    avro = sql("SELECT file_path FROM folder_table.files").to_pylist()[0]["file_path"]
    assert sql(f"SELECT seven FROM '{avro}'").to_pylist() == [{"seven": 7}]
    sql("INSERT INTO folder_table VALUES (8)")
    folder = avro.split("/data/")[0]
    first = sql("SELECT snapshot_id FROM folder_table.snapshots ORDER BY committed_at LIMIT 1").to_pylist()[0]["snapshot_id"]
    assert sql(f"SELECT count(*) AS n FROM read_iceberg('{folder}')").to_pylist() == [{"n": 2}]
    assert sql(f"SELECT count(*) AS n FROM '{folder}'").to_pylist() == [{"n": 2}]
    assert sql(f"SELECT count(*) AS n FROM read_iceberg('{folder}', snapshot_id => {first}L)").to_pylist() == [{"n": 1}]


@pytest.mark.long  # the first Delta table of a driver takes 20 s: its log is read by Spark jobs
def test_delta_tables(sql: Sql, tmp_path: Path) -> None:
    """Written by hand, as its protocol says: two commits, the second one takes a file away."""
    folder = tmp_path / "delta"
    (folder / "_delta_log").mkdir(parents=True)
    for name in ("one", "two"):
        pq.write_table(pa.table({"name": [name]}), folder / f"{name}.parquet")
    kind = {"type": "struct", "fields": [{"name": "name", "type": "string", "nullable": True, "metadata": {}}]}

    def add(name: str) -> dict[str, object]:
        size = (folder / f"{name}.parquet").stat().st_size
        return {
            "add": {"path": f"{name}.parquet", "partitionValues": {}, "size": size, "modificationTime": 0, "dataChange": True}
        }

    meta = {"id": "x", "format": {"provider": "parquet", "options": {}}, "partitionColumns": [], "configuration": {}}
    first = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": meta | {"schemaString": json.dumps(kind)}},
        add("one"),
    ]
    second = [{"remove": {"path": "one.parquet", "deletionTimestamp": 1, "dataChange": True}}, add("two")]
    for version, actions in enumerate((first, second)):
        (folder / "_delta_log" / f"{version:020}.json").write_text("\n".join(json.dumps(action) for action in actions))
    assert sql(f"SELECT * FROM '{folder}'").to_pylist() == [{"name": "two"}]
    assert sql(f"SELECT * FROM read_delta('{folder}', version => 0)").to_pylist() == [{"name": "one"}]
    with pytest.raises(SqeError, match="NOT_FOUND"):
        sql(f"SELECT * FROM read_delta('{tmp_path}')")


def test_files_take_part_in_statements(handler: QueryHandler, session: Session, sql: Sql, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,name\n1,x\n2,y\n")
    sql(f"CREATE TABLE taken AS SELECT * FROM '{tmp_path}/a.csv'")
    sql(f"INSERT INTO taken SELECT id + 10, name FROM '{tmp_path}/a.csv'")
    file = f"'{tmp_path}/a.csv'"
    joined = f"SELECT count(*) AS n FROM taken t JOIN {file} f ON t.id = f.id WHERE t.id IN (SELECT id FROM {file})"
    assert sql(joined).to_pylist() == [{"n": 2}]
    sql(f"CREATE VIEW over_file AS SELECT * FROM '{tmp_path}/a.csv'")
    assert len(sql("SELECT * FROM over_file")) == 2
    # FROM is no table's everywhere.
    assert sql(
        "SELECT trim(BOTH FROM ' x ') AS a, extract(YEAR FROM '2020-01-01') AS b, 'a' IS DISTINCT FROM 'b' AS c"
    ).to_pylist() == [{"a": "x", "b": 2020, "c": True}]
    with handler.submit(session, f"SELECT * FROM '{tmp_path}/a.csv'", door="test") as query:
        query.read_all()
    assert query.touched.reads == (f"{tmp_path}/a.csv",)
    assert handler.prepare(session, f"SELECT * FROM '{tmp_path}/a.csv'").schema.names == ["id", "name"]


WRONG = [
    ("SELECT * FROM '{dir}/none*.csv'", "NOT_FOUND: No file fits"),
    ("SELECT * FROM '{dir}/none.csv'", "NOT_FOUND: The file .* does not exist"),
    ("SELECT * FROM read_csv('{dir}/a.csv', headr => true)", "did you mean header"),
    ("SELECT * FROM read_csv('{dir}/a.csv', header => 'yes')", "header has a value of the wrong type"),
    ("SELECT * FROM read_parquet('{dir}/a.csv')", "damaged or not of this format"),
    ("SELECT * FROM read_json('{dir}/a.csv')", "is not JSON|has no records"),
    ("SELECT * FROM '{dir}/noending'", "its name does not tell"),
    ("SELECT * FROM 'relative.csv'", "not a full one"),
    ("SELECT * FROM read_csv(concat('{dir}', name)) , (SELECT 'a' AS name)", "."),
    ("SELECT * FROM 'ftp://host/x.csv'", "Files of ftp: cannot be read"),
    ("SELECT * FROM 'gs://bucket/x.csv'", "are read with a secret"),
    ("SELECT * FROM read_csv()", "needs the path"),
    ("SELECT * FROM '{dir}/empty.csv'", "is empty"),
    ("SELECT * FROM '{dir}/broken.csv.gz'", "not compressed as its name says"),
    ("SELECT * FROM '{dir}/nanos.parquet'", "nanoseconds"),
]


def test_what_cannot_be_read_is_said_in_one_sentence(sql: Sql, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,x\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "broken.csv.gz").write_bytes(b"no gzip at all")
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("ns"))}), tmp_path / "nanos.parquet", version="2.6")
    for statement, words in WRONG:
        with pytest.raises(SqeError, match=words) as caught:
            sql(statement.format(dir=tmp_path))
        assert not any(word in str(caught.value) for word in ("Exception", "org.apache")), statement


def test_files_behind_http(sql: Sql, tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": list(range(100_000))}), tmp_path / "n.parquet", row_group_size=10_000)
    site = Site({"/a%20b.csv": b"a,b\n1,x\n", "/n.parquet": (tmp_path / "n.parquet").read_bytes()}, {"/moved.csv": "/a%20b.csv"})
    with serve(site):
        assert sql(f"SELECT * FROM '{site.address}/a%20b.csv?signature=abc'").to_pylist() == [{"a": 1, "b": "x"}]
        assert sql(f"SELECT * FROM '{site.address}/moved.csv'").to_pylist() == [{"a": 1, "b": "x"}]
        for site.ranges in (True, False):
            assert sql(f"SELECT count(*) AS n, max(n) AS m FROM '{site.address}/n.parquet'").to_pylist() == [
                {"n": 100_000, "m": 99_999}
            ]
        with pytest.raises(SqeError, match="NOT_FOUND"):
            sql(f"SELECT * FROM '{site.address}/none.csv'")
    with pytest.raises(SqeError, match="cannot be reached"):
        sql("SELECT * FROM 'http://127.0.0.1:1/a.csv'")


def test_datasets_of_a_hub(driver: Driver, handler: QueryHandler, sessions: Sessions) -> None:
    files = {f"/datasets/us/birds/resolve/main/data/{name}.csv": f"name\n{name}\n".encode() for name in ("wren", "tit", "owl")}
    files["/datasets/us/birds/resolve/main/README.csv"] = b"no\nbird\n"
    files["/datasets/us/birds/resolve/refs%2Fpr%2F1/data/jay.csv"] = b"name\njay\n"
    with serve(Site(files)) as site:
        rights = FileRights(own=True, hub=site.address)
        session = replace(sessions.open(Identity("reader")), files=rights, id="hubreader")

        def names(path: str) -> list[str]:
            with handler.submit(session, f"SELECT name FROM '{path}' ORDER BY name", door="test") as query:
                return list(query.read_all()["name"].to_pylist())

        assert names("hf://datasets/us/birds/data/*.csv") == ["owl", "tit", "wren"]
        assert names("hf://datasets/us/birds@main/data/owl.csv") == ["owl"]
        assert names("hf://datasets/us/birds@refs%2Fpr%2F1/**/*.csv") == ["jay"]
        with pytest.raises(SqeError, match="No file fits hf://datasets/us/birds/"):
            names("hf://datasets/us/birds/none/*.csv")
        with pytest.raises(SqeError, match="Write hf://datasets"):
            names("hf://models/us/birds/x.csv")
        session.close()


def test_files_in_s3(handler: QueryHandler, sessions: Sessions) -> None:
    with s3_store() as (endpoint, store):
        for name in ("2026/1.csv", "2026/2.csv", "other.csv"):
            store.put_object(Bucket="landing", Key=name, Body=f"name\n{name}\n".encode())
        options = {"s3_endpoint": endpoint, "s3_path_style": "true", "s3_access_key": "key", "s3_secret_key": "secret"}
        session = replace(sessions.open(Identity("reader")), files=FileRights(own=True, storage=options), id="s3reader")

        def count(path: str) -> int:
            with handler.submit(session, f"SELECT name FROM '{path}'", door="test") as query:
                return len(query.read_all())

        assert [count(f"s3://landing/{path}") for path in ("2026/*.csv", "**/*.csv", "other.csv")] == [2, 3, 1]
        assert count("s3a://landing/other.csv") == 1
        with pytest.raises(SqeError, match="NOT_FOUND"):
            count("s3://landing/none.csv")
        session.close()
