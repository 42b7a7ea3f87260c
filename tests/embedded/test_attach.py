"""ATTACH, DETACH and secrets: who may, what lasts, and that nobody ever reads a secret again."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.attached import Attachments
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.events import QueryEvent
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions
from tests.embedded.file_servers import Site, serve

Run = Callable[[Session, str], list[dict[str, object]]]
OWNER = Identity("owner", roles=frozenset({"admin"}))
WORD = "tell-nobody-7f3a"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def run(handler: QueryHandler) -> Run:
    def run(session: Session, text: str) -> list[dict[str, object]]:
        with handler.submit(session, text, door="test") as query:
            table: pa.Table = query.read_all()
        return table.to_pylist()

    return run


def opened(driver: Driver, home: Path) -> Sessions:
    """As after a restart: nothing is shared with an earlier one but the files."""
    attachments = Attachments(home / "w", home / "secrets.key")
    return Sessions(
        driver,
        {"lake": {"type": "sqlite", "path": str(home / "w")}},
        "lake",
        files=FileRights(own=True),
        attachments=lambda _: attachments,
    )


@pytest.fixture
def sessions(driver: Driver, home: Path) -> Iterator[Sessions]:
    sessions = opened(driver, home)
    yield sessions
    sessions.close_all()


def test_attached_catalogs_are_used_and_survive_a_restart(driver: Driver, sessions: Sessions, run: Run, home: Path) -> None:
    session, neighbour = sessions.open(OWNER), sessions.open(OWNER)
    run(neighbour, "SELECT 1")
    run(session, f"ATTACH '{home}/other' AS other")
    run(session, "CREATE SCHEMA other.s")
    run(session, "CREATE TABLE other.s.t AS SELECT 1 AS n")
    assert {"catalog": "other"} in run(neighbour, "SHOW CATALOGS")
    assert run(neighbour, "SELECT n FROM Other.s.t") == [{"n": 1}]
    with pytest.raises(SqeError, match="ALREADY_EXISTS"):
        run(session, f"ATTACH '{home}/third' AS OTHER")
    run(session, f"ATTACH IF NOT EXISTS '{home}/third' AS other")
    sessions.close_all()
    again = opened(driver, home)
    session = again.open(OWNER)
    assert run(session, "SELECT n FROM other.s.t") == [{"n": 1}]
    neighbour = again.open(OWNER)
    assert run(neighbour, "SELECT count(*) AS c FROM other.s.t") == [{"c": 1}]
    run(session, "DETACH other")
    for each in (session, neighbour):
        with pytest.raises(SqeError, match=r"TABLE_NOT_FOUND|CATALOG_NOT_FOUND"):
            run(each, "SELECT n FROM other.s.t")
    assert {"catalog": "other"} not in run(neighbour, "SHOW CATALOGS")
    run(session, "DETACH IF EXISTS other")
    again.close_all()


def test_a_secret_opens_files_and_is_seen_by_nobody(
    handler: QueryHandler, driver: Driver, sessions: Sessions, run: Run, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[QueryEvent] = []
    handler.events.subscribe(told.append)
    caplog.set_level("DEBUG")
    session = sessions.open(OWNER)
    with serve(Site({"/a.csv": b"a\n1\n"}, token=WORD)) as site:
        with pytest.raises(SqeError, match="NOT_FOUND"):
            run(session, f"SELECT * FROM '{site.address}/a.csv'")
        run(session, f"CREATE SECRET hidden (TYPE bearer, TOKEN '{WORD}', SCOPE '{site.address}/')")
        assert run(session, f"SELECT * FROM '{site.address}/a.csv'") == [{"a": 1}]
        plans = [
            run(session, f"EXPLAIN {how} SELECT * FROM '{site.address}/a.csv'") for how in ("EXTENDED", "FORMATTED", "ANALYZE")
        ]
        assert WORD not in repr(plans)
        sessions.close_all()
        again = opened(driver, home)
        session = again.open(OWNER)
        assert run(session, f"SELECT * FROM '{site.address}/a.csv'") == [{"a": 1}]
    for wrong in (
        f"CREATE SECRET hidden (TYPE bearer, TOKEN '{WORD}')",
        f"CREATE /* x */ OR -- y\n REPLACE SECRET hidden (TYPE bearer '{WORD}')",
        f"CREATE SECRET x (TYPE nothing, TOKEN '{WORD}')",
        f"CREATE SECRET x (TYPE bearer, TOKN '{WORD}')",
        f"CREATE PERSISTENT SECRET x (TYPE bearer, TOKEN '{WORD}')",
        f"CREATE SECRET x (TYPE bearer, TOKEN '{WORD}') '{WORD}'",
        f"CREATE SECRET IF NOT EXISTS x (TYPE bearer, TOKEN '{WORD}', SCOPE 'nowhere')",
    ):
        with pytest.raises(SqeError) as caught:
            run(session, wrong)
        assert WORD not in str(caught.value), wrong
        with pytest.raises(SqeError) as caught:
            handler.prepare(session, wrong + "'")
        assert WORD not in str(caught.value), wrong
    assert run(session, "SHOW SECRETS")[0] | {"scope": ""} == {"name": "hidden", "type": "bearer", "scope": ""}
    seen = json.dumps([run(session, "SHOW SECRETS"), run(session, "SHOW SESSION")]) + caplog.text
    seen += repr(run(session, "SELECT query, error_message FROM system.runtime.queries")) + repr(told) + repr(session)
    assert WORD not in seen
    for file in home.rglob("*"):
        assert not file.is_file() or WORD.encode() not in file.read_bytes(), file
    for name in ("w/attached.enc", "secrets.key"):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600, name
    again.close_all()


def test_a_catalog_is_opened_with_its_secret(sessions: Sessions, run: Run, home: Path) -> None:
    session = sessions.open(OWNER)
    run(session, "CREATE SECRET login (TYPE basic, USER 'me', PASSWORD 'word')")
    uri, folder = f"jdbc:sqlite:{home}/meta.db", home / "files"
    run(session, f"ATTACH '{uri}' AS base (TYPE jdbc, WAREHOUSE '{folder}', SECRET login)")
    run(session, "CREATE SCHEMA base.s")
    assert run(session, "SHOW SCHEMAS IN base") == [{"namespace": "s"}]
    with pytest.raises(SqeError, match="base needs the secret login"):
        run(session, "DROP SECRET login")
    run(session, "DETACH base")
    run(session, "DROP SECRET login")
    assert run(session, "SHOW SECRETS") == []


def test_only_administrators_may(sessions: Sessions, run: Run, home: Path) -> None:
    session = sessions.open(Identity("eve", roles=frozenset({"analyst"})))
    for text in (
        f"ATTACH '{home}/x' AS x",
        "DETACH lake",
        "CREATE SECRET s (TYPE bearer, TOKEN 't')",
        "CREATE OR REPLACE SECRET s (TYPE bearer, TOKEN 't')",
        "DROP SECRET s",
        "SHOW SECRETS",
    ):
        with pytest.raises(SqeError, match="PERMISSION_DENIED"):
            run(session, text)
    assert not (home / "w" / "attached.enc").exists()


WRONG = [
    ("ATTACH 'http://127.0.0.1:1/' AS down (TYPE rest)", "ICEBERG_CATALOG_ERROR"),
    ("ATTACH '/tmp/x' AS system", "reserved"),
    ("ATTACH '/tmp/x' AS \"a b\"", "letters, digits"),
    ("ATTACH '/tmp/x' AS lake", "ALREADY_EXISTS"),
    ("ATTACH '/tmp/x' AS y (TYPE oracle)", "no catalog type oracle"),
    ("ATTACH '/tmp/x' AS y (TYPE sqlite, WAREHOUSE 'z')", "no option WAREHOUSE"),
    ("ATTACH 'jdbc:postgresql://u:p@host/db' AS y (WAREHOUSE '/tmp/w')", "no password in it"),
    ("ATTACH 'jdbc:postgresql://host/db' AS y", "needs the option WAREHOUSE"),
    ("ATTACH 'http://h/' AS y (SECRET none)", "secret none does not exist"),
    ("ATTACH 'arn:aws:s3tables:eu-west-1:1:bucket/b' AS y", "needs a secret"),
    ("DETACH lake", "belongs to the configuration"),
    ("DETACH nothing", "CATALOG_NOT_FOUND"),
    ("DROP SECRET nothing", "NOT_FOUND"),
    ("ATTACH '/tmp/x'", "SYNTAX_ERROR"),
]


def test_what_is_wrong_is_said_and_leaves_nothing(sessions: Sessions, run: Run) -> None:
    session = sessions.open(OWNER)
    for text, words in WRONG:
        with pytest.raises(SqeError, match=words):
            run(session, text)
    assert run(session, "SHOW CATALOGS") == [{"catalog": "lake"}]


def test_a_file_of_another_key_is_not_used_and_not_overwritten(driver: Driver, sessions: Sessions, run: Run, home: Path) -> None:
    session = sessions.open(OWNER)
    run(session, "CREATE SECRET s (TYPE bearer, TOKEN 't')")
    kept = (home / "w" / "attached.enc").read_bytes()
    sessions.close_all()
    (home / "secrets.key").unlink()
    again = opened(driver, home)
    session = again.open(OWNER)
    assert run(session, "SELECT 1 AS one") == [{"one": 1}]
    with pytest.raises(SqeError, match="written with another key"):
        run(session, "CREATE SECRET other (TYPE bearer, TOKEN 't')")
    assert (home / "w" / "attached.enc").read_bytes() == kept
    (home / "secrets.key").chmod(0o644)
    with pytest.raises(SqeError, match="can be read by others"):
        run(session, "CREATE SECRET other (TYPE bearer, TOKEN 't')")
    again.close_all()
