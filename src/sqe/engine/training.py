"""Trains the class archive: boots a driver and walks the paths that a first user walks, so that their classes are in it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

# Aggregates, joins and sorts both ways: which of them runs one depends on what is in it.
_WALK = """
SET native = off
SELECT 1 AS one
CREATE TABLE t (id BIGINT, name STRING, amount DECIMAL(10,2), at TIMESTAMP) USING iceberg
INSERT INTO t VALUES (1, 'a', 1.50, TIMESTAMP '2026-01-01 00:00:00'), (2, 'b', 2.50, TIMESTAMP '2026-01-02 00:00:00')
SELECT * FROM t
SELECT * FROM t WHERE id = 2
SELECT name, sum(amount) AS total FROM t GROUP BY name ORDER BY name
SELECT a.id, b.name FROM t a JOIN t b ON a.id = b.id ORDER BY 1 LIMIT 5
SELECT count(*) FROM t
SET native = auto
SELECT name, sum(amount) AS total FROM t GROUP BY name ORDER BY name
SELECT a.id, b.name FROM t a JOIN t b ON a.id = b.id ORDER BY 1 LIMIT 5
UPDATE t SET name = 'c' WHERE id = 2
DELETE FROM t WHERE id = 1
MERGE INTO t USING (SELECT 3 AS id, 'd' AS name) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)
SELECT * FROM t.snapshots
CREATE VIEW v AS SELECT id FROM t
SELECT * FROM v
SHOW TABLES
SHOW SCHEMAS
DESCRIBE t
EXPLAIN SELECT * FROM t
CREATE TABLE u USING iceberg AS SELECT id, explode(array(1, 2)) AS n FROM t
SELECT * FROM nothing_here
DROP TABLE u
"""


def trainer(java: str | None = None) -> Callable[[Sequence[str]], None]:
    """What `install.ensure` calls when there is something to train, with the Java that the archive is for."""
    return lambda flags: train(flags, java)


def train(flags: Sequence[str], java: str | None = None) -> None:
    """Runs a driver with `flags` to its clean end; that is when the JVM writes the archive."""
    import pyarrow as pa

    from sqe.engine.driver import Driver
    from sqe.engine.process import LaunchOptions
    from sqe.errors import SqeError
    from sqe.identity import Identity
    from sqe.query.handler import QueryHandler
    from sqe.query.ingest import IngestMode, TableName
    from sqe.sessions import Sessions

    driver = Driver(LaunchOptions(memory="1g", java=java, extra_flags=tuple(flags)))
    driver.start()
    try:
        with tempfile.TemporaryDirectory(prefix="sqe-train-") as warehouse:
            sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(Path(warehouse) / "w")}}, "lake")
            handler = QueryHandler(driver)
            session = sessions.open(Identity("trainer"))
            for sql in _WALK.strip().splitlines():
                with suppress(SqeError), handler.submit(session, sql, door="training") as query:  # one walks the path of an error
                    query.read_all()
            handler.tables(session, with_schema=True)
            handler.prepare(session, "SELECT * FROM t WHERE id = ? AND name LIKE ?")
            handler.ingest(session, TableName("i"), IngestMode.CREATE, pa.table({"id": [1, 2]}).to_reader(), door="training")
            handler.close()
            sessions.close_all()
    finally:
        driver.stop(patience_seconds=300)
