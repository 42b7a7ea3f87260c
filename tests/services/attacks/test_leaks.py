"""Where secrets could lie about: processes, files, threads, ports, metrics, errors. After real work by a real user, none do."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import psutil
import pytest
from clients import Addresses, Login, log_lines
from running import RunningServer, refusal, rows


@pytest.fixture(scope="module")
def token(server: RunningServer, canary: str, login: Login) -> str:
    """Of a user who has just worked: the catalog has seen it, keys were vended, files were read."""
    token = login.password("alice")
    with server.connected(token=token) as connection:
        assert rows(connection, f"SELECT count(*) FROM {canary}") == [(1,)]
        refusal(connection, "SELECT * FROM lake.alice.missing")
    return token


@pytest.fixture(scope="module")
def words(token: str, lake: Addresses) -> list[str]:
    vended = [line["vended"] for line in log_lines(lake["gateway"]["audit"]) if line["vended"]][-20:]
    return [token, token.rpartition(".")[2], "alice-password", "sqe-secret", "eyJ", "sqe-session-", *vended]


def leaked(text: str, words: list[str]) -> list[str]:
    return [word for word in words if word in text]


def processes(server: RunningServer) -> list[psutil.Process]:
    return [server.python(), *server.python().children(recursive=True)]


def test_no_process_shows_a_secret_to_the_machine_s_other_users(server: RunningServer, words: list[str]) -> None:
    """Command lines are everybody's to read, the environment and thread names are for the account."""
    for process in processes(server):
        kept = Path(f"/proc/{process.pid}")
        threads = [name.read_text() for name in kept.glob("task/*/comm")]
        shown = [*process.cmdline(), *threads, (kept / "environ").read_bytes().decode(errors="replace")]
        assert not leaked("\n".join(shown), words)


def test_the_driver_does_not_inherit_the_server_s_environment(server: RunningServer) -> None:
    allowed = {"PATH", "HOME", "LANG", "TZ", "LD_LIBRARY_PATH", "SPARK_LOCAL_IP", "SPARK_USER"}
    assert set(server.driver().environ()) <= allowed


def test_the_driver_s_folder_is_its_own_and_holds_no_secret(server: RunningServer, words: list[str]) -> None:
    folder = Path(server.driver().cwd())
    assert folder.stat().st_mode & 0o077 == 0
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in files for word in words if word.encode() in path.read_bytes()]


def test_nothing_listens_but_the_doors_and_the_driver_s_own_channels(server: RunningServer) -> None:
    """Spark's UI would be a port of the driver's more; what it keeps for itself is on loopback."""
    doors = {int(server.ready[name].rpartition(":")[2]) for name in ("flight_sql", "trino_http", "metrics", "health")}
    listening = {
        connection.laddr.port: connection.laddr.ip
        for process in processes(server)
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
    assert set(listening) >= doors
    assert {address.removeprefix("::ffff:") for address in listening.values()} <= {"127.0.0.1", "::1"}
    for port in set(listening) - doors:
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http://127.0.0.1:{port}/api/v1/applications", trust_env=False, timeout=5)


def test_spark_keeps_no_page_and_no_log_of_events(server: RunningServer) -> None:
    opened = [file.path for process in processes(server) for file in process.open_files()]
    assert not [path for path in opened if re.search(r"eventlog|spark-events|history", path)]


def test_metrics_and_health_speak_of_no_user_and_no_secret(server: RunningServer, words: list[str]) -> None:
    for door, path in (("metrics", "/metrics"), ("health", "/healthz"), ("health", "/readyz")):
        said = httpx.get(f"http://{server.ready[door]}{path}", trust_env=False)
        assert said.status_code == 200
        assert not leaked(f"{said.headers} {said.text}", [*words, "alice"])


def test_the_log_at_its_most_talkative_has_no_secret(server: RunningServer, words: list[str]) -> None:
    log = server.log.read_text()
    assert '"level": "debug"' in log
    assert not leaked(log, [word for word in words if word != "eyJ"])
    assert not re.search(r"eyJ[\w-]{10}", log)


def test_statements_with_secrets_are_logged_without_them(server: RunningServer) -> None:
    with server.connected("alice") as connection:
        refusal(connection, "ALTER TABLE lake.alice.missing SET TBLPROPERTIES ('s3.secret-access-key' = 'wJalrXUtnFEMI')")
        refusal(connection, "SELECT * FROM missing WHERE password = 'correct horse battery'")
    log = server.log.read_text()
    assert "s3.secret-access-key" not in log or "wJalrXUtnFEMI" not in log
    assert "correct horse battery" not in log
