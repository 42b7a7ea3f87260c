"""The audit log of a real `sqe-server`: log-ins, statements, the end; checked by the command; nothing starts without it."""

from __future__ import annotations

import json
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as flightsql
import psutil
import pytest
import server_process
from server_process import ANY_PORTS, COMMAND, ServerProcess, environment
from waiting import eventually

pytestmark = pytest.mark.service

CONFIG = (
    ANY_PORTS
    + """
[[auth.providers]]
type = "static"
users = [{ name = "root", password = "very secret", roles = ["admin"], groups = ["eu"] }]

[catalog]
name = "lake"
path = "warehouse"

[audit]
enabled = true
path = "audit/audit.jsonl"
hmac_key = { env = "AUDIT_KEY" }
"""
)

KEY = {"AUDIT_KEY": "sixteen letters!"}


def serving(folder: Path) -> AbstractContextManager[ServerProcess]:
    return server_process.serving(ServerProcess, folder, CONFIG, **KEY)


WRONG = "hunter3"


def query(uri: str, *statements: str, password: str = "very secret") -> None:
    options = {"username": "root", "password": password}
    with flightsql.connect(uri, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
        for sql in statements:
            cursor.execute(sql)
            cursor.fetchall()


def refused(uri: str, sql: str) -> bool:
    try:
        query(uri, sql)
    except flightsql.Error as error:
        if "AUDIT_UNAVAILABLE" not in str(error):
            raise
        return True
    return False


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def verify(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "audit", "verify", str(path), "--key-env", "AUDIT_KEY"],
        capture_output=True,
        text=True,
        env=environment(**KEY),
        check=False,
    )


def test_everything_that_people_do_is_in_the_log_and_can_be_checked(tmp_path: Path) -> None:
    path = tmp_path / "audit" / "audit.jsonl"
    with serving(tmp_path) as server:
        query(server.uri, "CREATE TABLE t AS SELECT 1 AS id", "SELECT id, 'it''s' AS word FROM t")
        with pytest.raises(flightsql.Error, match="TABLE_NOT_FOUND"):
            query(server.uri, "SELECT 'hunter2' AS password FROM missing")
        with pytest.raises(flightsql.Error, match="Authentication failed"):
            query(server.uri, "SELECT 1", password=WRONG)
        eventually(lambda: any(entry["event"] == "login_failed" for entry in entries(path)))

    written = entries(path)
    assert [written[0]["event"], written[-1]["event"]] == ["server_started", "server_stopped"]
    made, read, failed = statements = [entry for entry in written if entry["event"] == "statement"]
    assert (made["class"], made["writes"], made["outcome"]) == ("ddl", ["lake.default.t"], "finished")
    assert (read["reads"], read["rows"], read["sql"]) == (["lake.default.t"], 1, "SELECT id, 'it''s' AS word FROM t")
    assert (failed["code"], failed["reads"]) == ("TABLE_NOT_FOUND", ["lake.default.missing"])
    assert failed["sql"] == "SELECT '***' AS password FROM missing"
    for entry in statements:
        assert (entry["user"], entry["roles"], entry["groups"], entry["provider"]) == ("root", ["admin"], ["eu"], "static")
        assert entry["catalogs"] == [{"catalog": "lake", "auth": "none", "personal": False}]
    logins = [entry for entry in written if entry["event"] == "login"]
    assert {entry["session"] for entry in logins} == {made["session"], failed["session"]}
    assert sum(entry["event"] == "logout" for entry in written) == len(logins)
    assert next(entry for entry in written if entry["event"] == "login_failed")["user"] == "root"
    text = path.read_text()
    assert not [word for word in ("very secret", "hunter", "sixteen letters") if word in text]

    checked = verify(path)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith(f"OK: {len(written)} lines in 1 file, seq 1 to {len(written)}, head {written[-1]['hash']}")
    assert written[-1]["hash"] in (tmp_path / "log").read_text(), "the server's own log has the head"

    path.write_text(text.replace('"rows":1,', '"rows":0,', 1))
    checked = verify(path)
    number = written.index(read) + 1
    assert (checked.returncode, checked.stdout) == (1, "")
    assert f"line {number}: its hash does not match" in checked.stderr


def test_nothing_starts_while_the_log_cannot_be_written_and_a_killed_server_leaves_a_chain(tmp_path: Path) -> None:
    path = tmp_path / "audit" / "audit.jsonl"
    with serving(tmp_path) as server:
        query(server.uri, "SELECT 1")
        limited = server.python()
        before = limited.rlimit(psutil.RLIMIT_FSIZE)
        options = {"username": "root", "password": "very secret"}
        with flightsql.connect(server.uri, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
            eventually(lambda: sum(entry["event"] == "login" for entry in entries(path)) == 2)
            limited.rlimit(psutil.RLIMIT_FSIZE, (path.stat().st_size + 20, before[1]))  # as good as a full disk
            cursor.execute("SELECT 2")  # the log is not known to be broken yet: its line waits in memory
            cursor.fetchall()
            eventually(lambda: refused(server.uri, "SELECT 'nobody comes in'"))
            with pytest.raises(flightsql.Error, match="AUDIT_UNAVAILABLE"):
                cursor.execute("SELECT 'nothing runs'")
            limited.rlimit(psutil.RLIMIT_FSIZE, before)
            eventually(lambda: not refused(server.uri, "SELECT 3"))
        eventually(lambda: any(entry.get("sql") == "SELECT 3" for entry in entries(path)))
        server.process.kill()
    with path.open("ab") as file:
        file.write(b'{"seq":')  # and in the middle of a line
    with serving(tmp_path) as server:
        query(server.uri, "SELECT 4")
    said = [json.loads(line).get("sql") for line in path.read_text().splitlines() if line != '{"seq":']
    assert [sql for sql in said if sql] == ["SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4"]
    checked = verify(path)
    assert checked.returncode == 0, checked.stderr
    assert "note: 1 cut by a crash" in checked.stdout
