"""Rows that are in the driver already, and metadata tables that Iceberg reads by rows: the kernel is given them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from partitions import left
from sides import Sides

from sqe.engine.driver import Driver

Explain = Callable[[str], str]

# Of every type that the kernel knows: nothing, extremes, both zeros, text that could end a literal.
ROWS = [
    """(1, CAST(5 AS BIGINT), 'it''s', 7.00BD, DATE '2024-02-29', 1.5D, true, TIMESTAMP '2024-02-29 23:59:59.999999',
        TIMESTAMP_NTZ '1969-12-31 23:59:59', array(1, NULL), map('a', 1), named_struct('x', 1, 'y', 'ä'),
        CAST(0.1 AS FLOAT), CAST(-128 AS TINYINT), CAST(99999999999999999999999999.9999999999 AS DECIMAL(38,10)))""",
    """(2, -9223372036854775808, '', -99.99BD, DATE '0001-01-01', CAST('NaN' AS DOUBLE), false, TIMESTAMP '0001-01-01 00:00:00',
        TIMESTAMP_NTZ '9999-12-31 23:59:59.999999', array(), map(), named_struct('x', NULL, 'y', NULL),
        CAST('-Infinity' AS FLOAT), 127, -0.0000000001BD)""",
    """(2, 9223372036854775807, '"); SELECT 1; --', 0.01BD, DATE '9999-12-31', -0.0D, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL)""",
    """(4, NULL, NULL, NULL, NULL, NULL, true, TIMESTAMP '1970-01-01 00:00:00', NULL, array(2), map('b', NULL, 'c', 3), NULL,
        CAST(-0.0 AS FLOAT), 0, 0BD)""",
    """(5, 0, '𝄞 Ａ', 12.50BD, DATE '1970-01-01', CAST('-Infinity' AS DOUBLE), false, NULL, NULL, array(3, 3), map('', 0), NULL,
        CAST(3.4028235E38 AS FLOAT), 1, 1.5BD)""",
]
COLUMNS = "t(i, l, s, d, day, x, b, at, here, list, pairs, whole, g, n, w)"
# So few that they are written into the kernel's text, and so many that they are given to it as columns.
TABLES = {"written": f"(VALUES {', '.join(ROWS)}) AS {COLUMNS}", "given": f"(VALUES {', '.join(ROWS * 5)}) AS {COLUMNS}"}

LOCAL = [
    "SELECT i, count(*), count(s), max(l), min(l), sum(d), min(day), max(at), max(here), max(w), sum(n) FROM {t} GROUP BY i",
    "SELECT g, w, n, count(*) FROM {t} GROUP BY g, w, n",
    "SELECT x, count(*) FROM {t} GROUP BY x",
    "SELECT * FROM {t} ORDER BY i, l",
    "SELECT i, b.s, b.x, b.whole.y FROM {t} JOIN (SELECT i AS k, s, x, whole FROM {t}) b ON i = k ORDER BY 1, 2, 3",
    "SELECT i, l, rank() OVER (PARTITION BY b ORDER BY i, l) AS r, sum(n) OVER (PARTITION BY i) AS m FROM {t} ORDER BY i, l",
    "SELECT count(DISTINCT b), count(*) FILTER (WHERE pairs['a'] = 1) FROM {t}",
    "SELECT i FROM {t} WHERE d > (SELECT avg(d) FROM {t}) ORDER BY i",
    "SELECT s FROM {t} EXCEPT SELECT s FROM {t} WHERE i = 2",
    "SELECT count(*) FROM {t}",
]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("query", LOCAL)
def test_local_rows_are_given_to_the_kernel(sides: Sides, driver: Driver, query: str, table: str) -> None:
    before = sides.fallbacks()
    sides.same_natively(query.format(t=TABLES[table]), ordered="ORDER BY" in query)
    assert sides.fallbacks() == before
    assert left(driver) == (0, 0)


def test_local_rows_without_columns_are_counted(sides: Sides) -> None:
    assert sides.same_natively("SELECT count(*) FROM (VALUES (1), (2), (3))").to_pydict() == {"count(1)": [3]}
    assert sides.difference("SELECT count(*) FROM (VALUES (1), (2)) WHERE false") is None


def test_local_rows_beside_a_table(sides: Sides, driver: Driver) -> None:
    sides.run("CREATE TABLE numbers AS SELECT id, id % 40 AS k FROM range(1000)")
    names = f"(VALUES {', '.join(f'({n}, {chr(39)}name {n % 7}{chr(39)})' for n in range(40))}) AS names(n, name)"
    sides.same_natively(f"SELECT name, count(*), sum(id) FROM numbers JOIN {names} ON k = n GROUP BY name")
    # The same rows twice, and others: each fragment has its own.
    sides.same_natively(f"SELECT count(*) FROM {names} JOIN {names.replace('names(n, name)', 'others(m, word)')} ON name = word")
    sides.same_natively(f"SELECT max(n) FROM {names.replace('name 3', 'name x')} WHERE name <> 'name x'")
    assert left(driver) == (0, 0)


def test_more_local_rows_than_a_task_should_carry_are_left_to_spark(sides: Sides, explain: Explain) -> None:
    long = "repeat('x', 300000)"
    query = f"SELECT length(max(s)), count(DISTINCT s) FROM (VALUES {', '.join(f'({long} || {n})' for n in range(20))}) AS t(s)"
    assert sides.difference(query) is None
    assert "not Aggregate: many local rows" in explain(query)


@pytest.mark.parametrize(("copies", "tried"), [(2, 0), (20, 1)], ids=["written", "given"])
def test_local_text_that_is_none_is_sparks(sides: Sides, driver: Driver, copies: int, tried: int) -> None:
    """The kernel takes 82, the middle of a letter, for no letter at all, and Spark for one. As a literal it is not even tried."""
    rows = ", ".join(["(CAST(X'82' AS STRING))"] * copies)
    before = sides.fallbacks()
    query = f"SELECT length(s) AS n, count(*) AS c FROM (VALUES {rows}, ('ok')) AS t(s) GROUP BY s ORDER BY n"
    assert sides.difference(query, ordered=True) is None
    assert sides.fallbacks() == before + tried
    assert sides.run(query).to_pydict() == {"n": [1, 2], "c": [copies, 1]}
    assert left(driver) == (0, 0)


def test_an_error_in_local_rows_is_sparks(sides: Sides) -> None:
    assert sides.difference("SELECT sum(n) FROM (VALUES (9223372036854775807), (1)) AS t(n)") is None
    assert sides.difference("SELECT n, 1 / n FROM (VALUES (0), (1)) AS t(n) ORDER BY n") is None


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def lake(sides: Sides, made: set[str]) -> Sides:
    """Partitions, several commits, deleted rows, a tag and a branch: rows in every metadata table."""
    if not made:
        modes = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"
        sides.run(
            f"CREATE TABLE kept PARTITIONED BY (k) TBLPROPERTIES ({modes}) AS "
            "SELECT id, id % 3 AS k, concat('n', id) AS name FROM range(0, 300, 1, 2)"
        )
        for statement in (
            "INSERT INTO kept VALUES (300, 0, NULL), (301, NULL, 'x')",
            "DELETE FROM kept WHERE id IN (1, 2, 150)",
            "ALTER TABLE kept CREATE TAG early",
            "ALTER TABLE kept CREATE BRANCH side",
            "UPDATE kept SET name = 'changed' WHERE id = 7",
        ):
            sides.run(statement)
        made.add("kept")
    return sides


METADATA = [
    "SELECT operation, count(*), min(snapshot_id), max(committed_at) FROM kept.snapshots GROUP BY operation",
    "SELECT summary['operation'], summary['added-records'], count(*) FROM kept.snapshots GROUP BY 1, 2",
    "SELECT is_current_ancestor, count(*) FROM kept.history GROUP BY 1",
    "SELECT type, count(*), max(name) FROM kept.refs GROUP BY type",
    "SELECT count(*), max(latest_schema_id), min(timestamp) FROM kept.metadata_log_entries",
    "SELECT content, sum(added_data_files_count), count(*) FROM kept.manifests GROUP BY content",
    "SELECT sum(record_count), sum(file_count), max(spec_id), min(partition.k) FROM kept.partitions",
    "SELECT content, file_format, count(*), sum(record_count), sum(file_size_in_bytes) FROM kept.files GROUP BY 1, 2",
    "SELECT partition.k, count(*), max(readable_metrics.id.upper_bound) FROM kept.data_files GROUP BY 1",
    "SELECT sum(record_count), max(file_path) FROM kept.delete_files",
    "SELECT status, count(*), sum(data_file.record_count) FROM kept.entries GROUP BY status",
    "SELECT status, count(*), min(sequence_number) FROM kept.all_entries GROUP BY status",
    "SELECT count(DISTINCT file_path), sum(record_count) FROM kept.all_data_files",
    "SELECT count(DISTINCT path), sum(length) FROM kept.all_manifests",
    "SELECT file_path, pos FROM kept.position_deletes ORDER BY file_path, pos",
    "SELECT s.operation, count(*) FROM kept.entries e JOIN kept.snapshots s ON e.snapshot_id = s.snapshot_id GROUP BY 1",
    "SELECT f.partition.k, count(*) FROM kept.files f LEFT JOIN kept.partitions p ON f.spec_id = p.spec_id GROUP BY 1",
    "SELECT file_path FROM kept.files WHERE record_count > 1 ORDER BY file_size_in_bytes DESC, file_path LIMIT 3",
]


@pytest.mark.parametrize("query", METADATA)
def test_metadata_tables_are_given_to_the_kernel(lake: Sides, driver: Driver, query: str) -> None:
    before = lake.fallbacks()
    found = lake.same_natively(query, ordered="ORDER BY" in query)
    assert found.num_rows > 0
    assert lake.fallbacks() == before
    assert left(driver) == (0, 0)


def test_explain_says_who_reads_a_metadata_table(lake: Sides, explain: Explain) -> None:
    plan = explain("SELECT content, sum(record_count) FROM kept.files GROUP BY content")
    assert "kept.files (read by Iceberg)" in plan
    assert plan.endswith("== Native ==\nthe whole query\n")


@pytest.mark.parametrize("query", ["SELECT sum(record_count) FROM kept.files", f"SELECT max(i) FROM {TABLES['given']}"])
def test_one_row_of_them_is_sparks(lake: Sides, explain: Explain, query: str) -> None:
    """Which is faster at that (jvm: Worth)."""
    assert lake.difference(query) is None
    assert "not Aggregate: few rows of columns that the kernel would be given" in explain(query)


def test_a_metadata_table_that_cannot_be_read_is_sparks_error(sides: Sides, driver: Driver) -> None:
    sides.run("CREATE TABLE torn AS SELECT id FROM range(10)")
    (manifest,) = sides.run("SELECT path FROM torn.manifests").column(0).to_pylist()
    with open(manifest.removeprefix("file:"), "r+b") as file:
        file.truncate(50)
    assert sides.difference("SELECT content, sum(record_count) FROM torn.files GROUP BY content") is None
    assert left(driver) == (0, 0)
