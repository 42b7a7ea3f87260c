"""`sqe --host`: the same client against a server."""

from __future__ import annotations

import signal
from pathlib import Path

import pexpect
import pytest
from cli_home import SQE, Cli
from waiting import eventually

from sqe.doors.flight.door import FlightDoor
from sqe.query.handler import QueryHandler

pytestmark = pytest.mark.service

SLOW = "range(1000000000000) WHERE rand() < 0.1"


class Remote:
    """A client that logs in as root; it needs no daemon."""

    def __init__(self, home: Path, door: FlightDoor) -> None:
        self.cli = Cli(home)
        self.cli.env |= {"SQE_PASSWORD": "secret"}
        self.arguments = ("--host", "127.0.0.1", "--port", str(door.port), "-u", "root")


@pytest.fixture
def remote(tmp_path: Path, door: FlightDoor) -> Remote:
    return Remote(tmp_path, door)


def running(handler: QueryHandler) -> int:
    return sum(1 for query in handler.queries() if not query.state.ended)


def test_statements_run_on_the_server_and_look_the_same(remote: Remote) -> None:
    script = "CREATE TABLE away (x INT); INSERT INTO away VALUES (1), (2); SELECT sum(x) AS total FROM away; DROP TABLE away"
    done = remote.cli.run(*remote.arguments, "-e", script)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "OK\nINSERT: 2 rows\n total\n-------\n     3\n(1 row)\nOK\n"
    assert not remote.cli.run_folder.exists()


def test_errors_have_the_same_code_and_sentence(remote: Remote) -> None:
    done = remote.cli.run(*remote.arguments, "-e", "SELECT * FROM nothing_here")
    assert done.returncode == 1
    assert done.stderr == "TABLE_NOT_FOUND: line 1:15: Table nothing_here does not exist\n"


def test_a_wrong_password_says_only_that_log_in_failed(remote: Remote) -> None:
    done = remote.cli.run(*remote.arguments, "-e", "SELECT 1", env={"SQE_PASSWORD": "wrong"})
    assert (done.returncode, done.stderr) == (1, "AUTHENTICATION_FAILED: Authentication failed\n")


@pytest.mark.parametrize("presented", [{"SQE_PASSWORD": "x" * 100_000}, {}], ids=["a password", "a token"])
def test_credentials_that_no_header_takes_are_said_to_be_too_long(remote: Remote, presented: dict[str, str]) -> None:
    arguments = remote.arguments if presented else (*remote.arguments[:4], "--token", "x" * 100_000)
    done = remote.cli.run(*arguments, "-e", "SELECT 1", env=presented)
    assert done.returncode == 1
    assert done.stderr.startswith("INVALID_ARGUMENTS: The credentials have 100")
    assert "xxx" not in done.stderr


def test_no_password_without_a_terminal_is_wrong_usage(remote: Remote) -> None:
    del remote.cli.env["SQE_PASSWORD"]
    done = remote.cli.run(*remote.arguments, "-e", "SELECT 1")
    assert (done.returncode, done.stderr) == (
        2,
        "sqe: the password must be in SQE_PASSWORD when there is no terminal to ask on\n",
    )


def test_a_server_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    done = Cli(tmp_path).run("--host", "127.0.0.1", "--port", "1", "-e", "SELECT 1")
    assert done.returncode == 1
    assert done.stderr.startswith("REMOTE_HOST_GONE: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("sql", [f"SELECT count(*) FROM {SLOW}", f"CREATE TABLE never AS SELECT id FROM {SLOW}"])
def test_ctrl_c_cancels_on_the_server(remote: Remote, handler: QueryHandler, sql: str) -> None:
    client = remote.cli.start(*remote.arguments, "-e", sql)
    eventually(lambda: running(handler) == 1)
    client.send_signal(signal.SIGINT)
    assert client.communicate(timeout=60)[1] == b"USER_CANCELED: The statement was cancelled\n"
    assert client.returncode == 1
    eventually(lambda: running(handler) == 0)


def test_the_shell_asks_for_the_password(remote: Remote) -> None:
    del remote.cli.env["SQE_PASSWORD"]
    terminal = pexpect.spawn(SQE[0], [*SQE[1:], *remote.arguments], env=remote.cli.env, encoding="utf-8", timeout=60)
    terminal.expect_exact("Password for root: ")
    terminal.sendline("secret")
    terminal.expect_exact("sqe> ")
    terminal.send("SELECT 6 * 7 AS answer;\r")
    terminal.expect_exact("(1 row)")
    terminal.expect_exact("sqe> ")
    terminal.sendcontrol("d")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
