"""Statistics reach Spark's estimates (jvm: MeasuredScans), change plans and no answers; small tables get theirs after writes."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from waiting import eventually

from sqe.engine.driver import Driver
from sqe.query.events import QueryEvent, State
from sqe.query.handler import QueryHandler
from sqe.query.statistics import TableStatistics
from sqe.session import Session
from sqe.sessions import Sessions

Sql = Callable[[str], pa.Table]

FILTERED = "SELECT count(*) AS n FROM orders JOIN items ON orders.item = items.id WHERE items.kind = 7"


@pytest.fixture(autouse=True)
def _settings(driver: Driver, session: Session, sql: Sql) -> None:
    """So that estimates are made, tables of some thousand rows are large ones, and joins are Spark's."""
    sql("SET native = off")
    by_estimates(driver, session, "true")
    setting(driver, session, "spark.sql.autoBroadcastJoinThreshold", "500k")


def setting(driver: Driver, session: Session, name: str, value: str) -> None:
    driver.call("configureSession", session.in_engine(), json.dumps({name: value}))


def by_estimates(driver: Driver, session: Session, flag: str) -> None:
    setting(driver, session, "spark.sql.cbo.enabled", flag)


@pytest.fixture
def tables(sql: Sql) -> Iterator[None]:
    sql("CREATE TABLE items AS SELECT id, CAST(id % 1000 AS INT) AS kind, concat('note ', id) AS note FROM range(60000)")
    sql("CREATE TABLE orders AS SELECT id, id % 60000 AS item FROM range(100000)")
    sql("CALL lake.system.compute_table_stats(table => 'default.orders')")
    yield
    sql("DROP TABLE items")
    sql("DROP TABLE orders")


def plan(sql: Sql, query: str) -> str:
    return "\n".join(sql(f"EXPLAIN {query}")["plan"].to_pylist())


def broadcasts(sql: Sql, query: str = FILTERED) -> bool:
    text = plan(sql, query)
    assert ("BroadcastHashJoin" in text) != ("SortMergeJoin" in text), text
    return "BroadcastHashJoin" in text


@pytest.mark.usefixtures("tables")
def test_what_a_filter_leaves_is_broadcast_once_the_values_are_counted(driver: Driver, session: Session, sql: Sql) -> None:
    assert not broadcasts(sql)
    sql("CALL lake.system.compute_table_stats(table => 'default.items')")
    assert broadcasts(sql)
    assert sql(FILTERED)["n"].to_pylist() == [100]
    assert not broadcasts(sql, FILTERED.replace("items.kind = 7", "items.kind < 900"))
    by_estimates(driver, session, "false")
    assert not broadcasts(sql)


@pytest.mark.usefixtures("tables")
def test_statistics_of_an_ancestor_count_while_the_table_is_about_as_large(sql: Sql) -> None:
    (first,) = sql("SELECT snapshot_id FROM items.snapshots")["snapshot_id"].to_pylist()
    sql("INSERT INTO items VALUES (60000, 7, 'one more')")
    sql("CALL lake.system.compute_table_stats(table => 'default.items')")
    assert not broadcasts(sql, FILTERED.replace("JOIN items", f"JOIN items VERSION AS OF {first}"))
    sql("INSERT INTO items VALUES (60001, 7, 'another one')")
    assert broadcasts(sql)
    sql("INSERT INTO items SELECT id + 100000, kind, note FROM items")
    sql("INSERT INTO items SELECT id + 300000, kind, '' FROM items WHERE id < 5000")
    assert not broadcasts(sql)


@pytest.mark.usefixtures("tables")
def test_an_estimate_of_much_more_is_not_believed(driver: Driver, session: Session, sql: Sql) -> None:
    sql("CALL lake.system.compute_table_stats(table => 'default.items')")
    assert broadcasts(sql)
    setting(driver, session, "spark.sql.autoBroadcastJoinThreshold", "100k")
    assert not broadcasts(sql)
    assert broadcasts(sql, FILTERED.replace("SELECT", "SELECT /*+ BROADCAST(items) */", 1))


QUERIES = [
    "SELECT count(*), sum(l.n) FROM odd l JOIN odd r ON l.word = r.word WHERE l.at > TIMESTAMP_NTZ '2024-01-05 00:00:00'",
    "SELECT count(*) FROM odd l JOIN odd r ON l.empty = r.empty",
    "SELECT count(*) FROM odd l LEFT JOIN odd r ON l.empty = r.empty WHERE r.empty IS NULL AND l.flag",
    "SELECT count(*) FROM odd l JOIN odd r ON l.n = r.n WHERE l.price BETWEEN 3.5 AND 20 AND r.ratio < 100",
    "SELECT count(*) FROM odd l JOIN odd r ON l.bytes = r.bytes WHERE l.bytes IN (X'61', X'62') OR l.flag = false",
    "SELECT count(*) FROM odd l WHERE l.n IN (SELECT n FROM odd WHERE day >= DATE '2024-01-20' AND word IN ('w1', 'w2', 'none'))",
    "SELECT count(*) FROM odd l WHERE NOT EXISTS (SELECT 1 FROM odd r WHERE r.n = l.n + 1 AND r.local < r.day)",
    "SELECT l.word, count(*) FROM odd l JOIN odd r ON l.day = r.day AND l.word = r.word WHERE l.n < 0 GROUP BY l.word",
    "SELECT a.word, a.n, b.n FROM (SELECT word, count(*) AS n FROM odd GROUP BY word) a JOIN "
    "(SELECT word, max(n) AS n FROM odd GROUP BY word) b ON a.word = b.word ORDER BY 1",
    "SELECT count(*) FROM odd l JOIN odd r ON l.place.city = r.place.city AND l.deep IS NOT NULL WHERE l.n <=> NULL OR l.n = 3",
    "SELECT count(*) FROM odd l JOIN nothing r ON l.n = r.n WHERE r.n > 3",
    "SELECT count(*) FROM odd l JOIN odd r ON l.loud = r.loud WHERE l.loud = 'W1' AND r.loud > 'a'",
]  # fmt: skip


@pytest.fixture
def odd(sql: Sql) -> Iterator[None]:
    """Of all types, with nulls, with deleted rows, and a column that is all null."""
    sql(
        "CREATE TABLE odd AS SELECT IF(id % 7 = 0, NULL, id) AS n, concat('w', id % 10) AS word, CAST(NULL AS STRING) AS empty,"
        " id % 3 = 0 AS flag, CAST(id / 10 AS DECIMAL(9,2)) AS price, IF(id = 5, DOUBLE('NaN'), DOUBLE(id)) AS ratio,"
        " DATE '2024-01-01' + CAST(id % 31 AS INT) AS day, TIMESTAMP_NTZ '2024-01-01 00:00:00' + make_interval(0,0,0,0,id) AS at,"
        " TIMESTAMP '2024-01-01 00:00:00' + make_interval(0,0,0,0,id) AS local, CAST(chr(97 + id % 26) AS BINARY) AS bytes,"
        " named_struct('city', concat('c', id % 4)) AS place, array(id) AS deep, concat('w', id % 5) COLLATE UTF8_LCASE AS loud"
        " FROM range(2000)"
    )
    sql("ALTER TABLE odd SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    sql("DELETE FROM odd WHERE n > 1900 AND n < 1990")
    sql("CREATE TABLE nothing (n BIGINT, word STRING)")
    yield
    sql("DROP TABLE odd")
    sql("DROP TABLE nothing")


@pytest.mark.usefixtures("odd")
def test_answers_are_the_same_with_and_without(driver: Driver, session: Session, sql: Sql) -> None:
    def answers() -> list[list[dict[str, object]]]:
        return [sorted(sql(query).to_pylist(), key=str) for query in QUERIES]

    by_estimates(driver, session, "false")
    without = answers()
    by_estimates(driver, session, "true")
    assert answers() == without
    sql("CALL lake.system.compute_table_stats(table => 'default.odd')")
    assert answers() == without
    setting(driver, session, "spark.sql.cbo.joinReorder.enabled", "true")
    assert answers() == without


@pytest.mark.usefixtures("tables")
def test_a_limit_holds_whatever_was_estimated(sql: Sql) -> None:
    """Spark 4.1 takes estimates of stages that have not run yet for the most that there can be (SPARK-57956)."""
    sql("ALTER TABLE items ADD COLUMNS (again INT, once_more INT)")
    sql("INSERT OVERWRITE items SELECT id, kind, note, kind, kind FROM items")
    sql("CALL lake.system.compute_table_stats(table => 'default.items')")
    top = "WITH top AS (SELECT id % 1 AS k FROM range(0, 2, 1, 1) OFFSET 1), b AS (SELECT * FROM VALUES (0), (0) AS b(k)) "
    assert sql(f"{top} SELECT 1 AS c FROM top LEFT JOIN b USING (k) LIMIT 1").num_rows == 1
    joined = "FROM orders JOIN items ON orders.item = items.id WHERE kind = 7 AND again = 7 AND once_more = 7"
    assert sql(f"SELECT orders.id {joined} ORDER BY orders.id LIMIT 1").num_rows == 1
    assert sql(f"SELECT DISTINCT item {joined} ORDER BY item DESC")["item"].to_pylist() == list(range(59007, 0, -1000))


@pytest.mark.usefixtures("tables")
def test_scans_stay_scans_for_the_kernel_for_reuse_and_for_pruning(driver: Driver, session: Session, sql: Sql) -> None:
    sql("CALL lake.system.compute_table_stats(table => 'default.items')")
    both = "SELECT item, count(*) AS n FROM orders JOIN items ON orders.item = items.id WHERE items.kind = 7 GROUP BY item"
    twice = f"SELECT count(*) AS c FROM ({both}) a JOIN ({both}) b ON a.n = b.n AND a.item <> b.item"
    assert "ReusedExchange" in "\n".join(sql(f"EXPLAIN ANALYZE {twice}")["plan"].to_pylist())
    setting(driver, session, "spark.sqe.native", "require")
    assert sql(FILTERED)["n"].to_pylist() == [100]
    setting(driver, session, "spark.sqe.native", "off")
    sql("CREATE TABLE parts PARTITIONED BY (kind) AS SELECT id, id % 20 AS kind, concat('n', id) AS note FROM range(30000)")
    sql("CALL lake.system.compute_table_stats(table => 'default.parts')")
    pruned = "SELECT count(*) AS n FROM parts JOIN items ON parts.kind = items.id WHERE items.note = 'note 3'"
    assert "dynamicpruning" in plan(sql, pruned) or "RuntimeFilters: [dynamic" in plan(sql, pruned)
    assert sql(pruned)["n"].to_pylist() == [1500]
    sql("DROP TABLE parts")


@pytest.mark.long
def test_planning_takes_about_as_long(driver: Driver, session: Session, sql: Sql) -> None:
    """A thousand files, whose manifests are read once with and without."""
    sql("CREATE TABLE wide (id BIGINT, kind INT, a STRING, b STRING, c DATE, d DECIMAL(12,2)) PARTITIONED BY (kind)")
    sql(
        "INSERT INTO wide SELECT id, CAST(id % 1000 AS INT), concat('a', id), concat('b', id), DATE '2024-01-01', 1.5"
        " FROM range(100000)"
    )
    sql("CALL lake.system.compute_table_stats(table => 'default.wide')")
    query = "SELECT l.a, r.b, l.c, r.d FROM wide l JOIN wide r ON l.id = r.id WHERE l.id > 5 AND r.c > DATE '2020-01-01'"

    def millis(flag: str) -> float:
        by_estimates(driver, session, flag)
        begun = time.perf_counter()
        plan(sql, query)
        return (time.perf_counter() - begun) * 1000

    for flag in ("true", "false") * 5:
        millis(flag)
    rounds = [(millis("true"), millis("false")) for _ in range(15)]
    ours, plain = (statistics.median(each) for each in zip(*rounds, strict=True))
    print(f"planning two scans of 1,000 files: {ours:.0f} ms with statistics, {plain:.0f} ms without")
    sql("DROP TABLE wide")
    assert ours < plain * 1.3 + 20


# After writes.


@pytest.fixture
def kept(handler: QueryHandler, sessions: Sessions) -> Iterator[list[QueryEvent]]:
    """The statements that were run for statistics."""
    statements: list[QueryEvent] = []
    keeper = TableStatistics(handler, sessions.by_id, 32 << 20)
    handler.events.subscribe(keeper.observe)
    handler.events.subscribe(lambda event: statements.append(event) if event.door == "statistics" and event.state.ended else None)
    keeper.start()
    yield statements
    keeper.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "sqe-statistics"]


def counted(sql: Sql, table: str) -> float | None:
    rows = sql(f"SHOW STATS FOR {table}").to_pylist()
    return next(row["distinct_values_count"] for row in rows if row["column_name"] == "id")


def test_a_small_table_gets_its_statistics_after_a_write(kept: list[QueryEvent], sql: Sql) -> None:
    sql("CREATE TABLE fresh AS SELECT id FROM range(20000)")
    eventually(lambda: len(kept) > 0)  # told when the statement has ended, which is after its commit can be seen
    assert 19_000 < (counted(sql, "fresh") or 0) < 21_000
    assert [(event.state, event.identity.user, event.writes) for event in kept] == [
        (State.FINISHED, "tester", ("lake.default.fresh",))
    ]
    sql("INSERT INTO fresh VALUES (-1)")  # too little to count again
    sql("CREATE TABLE tiny AS SELECT id FROM range(9999)")  # small enough to be known without
    sql("INSERT INTO fresh SELECT id + 20000 FROM range(20000)")
    eventually(lambda: len(kept) > 1)
    assert 38_000 < (counted(sql, "fresh") or 0) < 42_000
    assert counted(sql, "tiny") is None
    assert len(kept) == 2
    (snapshots,) = sql("SELECT count(*) AS n FROM fresh.snapshots")["n"].to_pylist()
    assert snapshots == 3
    sql("DROP TABLE fresh")
    sql("DROP TABLE tiny")


def test_a_table_that_is_gone_or_a_session_that_is_closed_is_left(
    handler: QueryHandler, sessions: Sessions, kept: list[QueryEvent], session: Session, sql: Sql
) -> None:
    other = sessions.open(session.login)
    with handler.submit(other, "SELECT 1 AS n", door="test") as held:  # nothing is computed while a statement runs
        sql("CREATE TABLE leaving AS SELECT id FROM range(20000)")
        sql("DROP TABLE leaving")
        assert not kept
        held.read_all()
    sessions.close(other)
    sql("CREATE TABLE staying AS SELECT id FROM range(20000)")
    eventually(lambda: len(kept) > 0)
    assert counted(sql, "staying") is not None
    assert [event.writes for event in kept] == [("lake.default.staying",)]
    sql("DROP TABLE staying")
