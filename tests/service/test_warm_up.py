"""A server that nobody asks anything runs statements of its own for a while (`engine.warm_up`), and leaves nothing of them."""

from __future__ import annotations

from pathlib import Path

import adbc_driver_flightsql.dbapi as flightsql
import pytest

from tests.server_process import ANY_PORTS, ServerProcess, serving
from tests.waiting import eventually

CONFIG = (
    ANY_PORTS
    + """
[[auth.providers]]
type = "static"
users = [{ name = "ada", password = "lovelace" }]

[catalog]
name = "lake"
type = "sqlite"
path = "warehouse"

[audit]
enabled = true
path = "audit"
"""
)


def test_a_server_warms_up_while_it_rests(tmp_path: Path) -> None:
    with serving(ServerProcess, tmp_path, CONFIG, SQE_ENGINE__WARM_UP="2s") as server:
        own = Path(server.driver().cwd()) / "warm-up"
        assert server.metrics()["sqe_driver_warming_up"] == 1
        eventually(lambda: (own / "catalog.db").exists(), 60)
        assert query(server, "SELECT count(*) FROM range(10)") == [(10,)], "users do not wait for it"
        eventually(lambda: server.metrics()["sqe_driver_warming_up"] == 0, 120)

        metrics = server.metrics()
        assert not own.exists()
        assert metrics["sqe_driver_sessions"] == 0
        counted = {name for name, value in metrics.items() if name.startswith("sqe_native_") and "_total" in name and value}
        assert not counted, "natively, too, but nobody's"
        assert sum(value for name, value in metrics.items() if name.startswith("sqe_queries_total")) == 1, "the user's alone"
        assert query(server, "SHOW CATALOGS") == [("lake",)]
    log = server.log.read_text()
    assert "warming up failed" not in log
    assert "own.s." not in "".join(path.read_text() for path in (tmp_path / "audit").rglob("*") if path.is_file())


@pytest.mark.long  # a minute: two drivers begin
def test_a_driver_that_came_back_warms_up_again(tmp_path: Path) -> None:
    with serving(ServerProcess, tmp_path, CONFIG, SQE_ENGINE__WARM_UP="500ms") as server:
        eventually(lambda: server.metrics()["sqe_driver_warming_up"] == 0, 120)
        server.driver().kill()
        eventually(lambda: server.metrics().get("sqe_driver_warming_up") == 1, 60)
        eventually(lambda: server.metrics()["sqe_driver_warming_up"] == 0, 120)


@pytest.mark.parametrize("key", ["0s", "-1s", "11m", "soon"])
def test_how_long_is_checked(tmp_path: Path, key: str) -> None:
    from sqe.config import ConfigErrors, load

    path = tmp_path / "sqe.toml"
    path.write_text(f'[engine]\nwarm_up = "{key}"\n')
    if key == "0s":
        assert load(path, {}).engine.warm_up == 0
    else:
        with pytest.raises(ConfigErrors, match=r"engine\.warm_up"):
            load(path, {})


def query(server: ServerProcess, sql: str) -> list[tuple[object, ...]]:
    login = {"username": "ada", "password": "lovelace"}
    with flightsql.connect(server.uri, db_kwargs=login, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())
