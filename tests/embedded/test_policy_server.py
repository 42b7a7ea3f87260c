"""A server with `[policy]`: its grants are kept over a restart, and one without the section knows none of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.config import Settings, load
from sqe.errors import SqeError
from sqe.server import Server

CONFIG = """
[auth]
admin_roles = ["admin"]

[[auth.providers]]
type = "static"
users = [{ name = "root", password = "x", roles = ["admin"] }, { name = "alice", password = "x", roles = ["analyst"] }]

[catalog]
name = "lake"
type = "sqlite"
path = "warehouse"
"""


def settings(folder: Path, policy: str) -> Settings:
    path = folder / "sqe.toml"
    path.write_text(CONFIG + policy, encoding="utf-8")
    return load(path, {})


def run(server: Server, sql: str) -> list[dict[str, object]]:
    from sqe.identity import Identity

    session = server.sessions.open(Identity("root", frozenset({"admin"})))
    with server.handler.submit(session, sql, door="test") as query:
        found: list[dict[str, object]] = query.read_all().to_pylist()
    server.sessions.close(session)
    return found


def test_grants_outlive_the_server(tmp_path: Path) -> None:
    with Server(settings(tmp_path, '[policy]\nengines = ["grants"]\n')) as server:
        run(server, "CREATE TABLE t (x INT)")
        run(server, "GRANT SELECT ON t TO ROLE analyst ROWS WHERE (x > 1)")
    assert (tmp_path / "policy.db").is_file()
    with Server(settings(tmp_path, "[policy]\n")) as server:
        assert [row["row_filter"] for row in run(server, "SHOW GRANTS ON t")] == ["x > 1"]
        # Static users' roles are known although nobody of that name is logged in.
        assert run(server, "CHECK ACCESS select ON t FOR USER alice")[0]["allowed"] is True
        assert run(server, "CHECK ACCESS insert ON t FOR USER alice")[0]["allowed"] is False


def test_policies_that_do_not_load_stop_the_start(tmp_path: Path) -> None:
    (tmp_path / "wrong.cedar").write_text("permit (")
    with (
        pytest.raises(SqeError, match="cedar_policies cannot be used"),
        Server(settings(tmp_path, '[policy]\nengines = ["grants", "cedar"]\ncedar_policies = "wrong.cedar"\n')),
    ):
        pass
