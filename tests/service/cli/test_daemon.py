"""The embedded daemon's life: started once, found again, replaced, gone."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
from pathlib import Path

import psutil
import pytest
from cli_home import SQE, Cli
from waiting import eventually

import sqe

pytestmark = pytest.mark.service

SLOW = "SELECT count(*) FROM range(1000000000000) WHERE rand() < 0.1"
HEAVY = {
    "pyarrow",
    "prompt_toolkit",
    "pygments",
    "rich",
    "asyncio",
    "argparse",
    "typing",
    "dataclasses",
    "pathlib",
    "subprocess",
    "py4j",
}


def running_queries(cli: Cli, count: int) -> bool:
    return f"running queries {count}" in cli.run("daemon", "status").stdout


def test_the_warm_path_imports_nothing_heavy(cli: Cli) -> None:
    program = (
        "import sys; before = set(sys.modules); from sqe.cli.main import main;"
        "code = main(['-f', 'csv', '-e', 'SELECT 1 AS one']);"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([SQE[0], "-c", program], capture_output=True, text=True, env=cli.env, check=True)
    assert done.stdout == "one\n1\n"
    imported = set(done.stderr.split())
    assert "sqe.cli.thin" in imported
    assert {name for name in imported if name.split(".")[0] in HEAVY} == set()


def test_clients_that_come_at_once_start_one_daemon_and_a_killed_one_is_replaced(own_cli: Cli) -> None:
    clients = [own_cli.start("-f", "csv", "-e", f"SELECT {number} AS n") for number in range(3)]
    answers = sorted(client.communicate(timeout=120)[0] for client in clients)
    assert answers == [b"n\n0\n", b"n\n1\n", b"n\n2\n"]
    first = own_cli.daemon()
    assert sum(1 for process in psutil.process_iter() if _is_daemon(process, own_cli)) == 1
    assert stat.S_IMODE(own_cli.run_folder.stat().st_mode) == 0o700

    # Killed in the middle of a statement: one sentence for it, and nothing is left of the driver either.
    children = first.children(recursive=True)
    victim = own_cli.start("-e", SLOW)
    eventually(lambda: running_queries(own_cli, 1))
    first.kill()
    _, said = victim.communicate(timeout=60)
    assert victim.returncode == 1
    assert (
        said.decode() == "REMOTE_HOST_GONE: The embedded engine ended before it answered; the next statement starts a new one\n"
    )
    assert psutil.wait_procs(children, timeout=30)[1] == []

    # Its socket is still there, and nobody listens on it.
    assert (own_cli.run_folder / "shell.sock").exists()
    assert own_cli.rows("SELECT 5 AS n") == "n\n5\n"
    assert own_cli.daemon().pid != first.pid


def _is_daemon(process: psutil.Process, cli: Cli) -> bool:
    try:
        return "sqe.daemon_main" in process.cmdline() and str(cli.run_folder) in process.cmdline()
    except psutil.Error:
        return False


def test_a_daemon_leaves_when_nobody_needs_it(own_cli: Cli) -> None:
    assert own_cli.run("-e", "SELECT 1", env={"SQE_DAEMON_IDLE": "0.5"}).returncode == 0
    daemon = own_cli.daemon()
    children = daemon.children(recursive=True)
    assert psutil.wait_procs([daemon, *children], timeout=60)[1] == []
    assert sorted(os.listdir(own_cli.run_folder)) == ["daemon.lock", "daemon.log", "start.lock"]
    assert own_cli.run("daemon", "status").stdout == "no daemon is running\n"
    assert own_cli.run("daemon", "stop").stdout == "no daemon is running\n"


def test_a_daemon_of_another_installation_makes_room_when_it_is_free(own_cli: Cli) -> None:
    assert own_cli.rows("SELECT 1 AS n") == "n\n1\n"
    old = own_cli.daemon()
    package = Path(sqe.__file__).parent
    shutil.copytree(package, own_cli.folder / "other" / "src" / "sqe", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(package.parents[1] / "jvm", own_cli.folder / "other" / "jvm", ignore=shutil.ignore_patterns("__pycache__"))
    other = {"PYTHONPATH": str(own_cli.folder / "other" / "src")}

    busy = own_cli.start("-e", SLOW)
    eventually(lambda: running_queries(own_cli, 1))
    refused = own_cli.run("-e", "SELECT 2 AS n", env=other)
    assert refused.returncode == 1
    assert refused.stderr == (
        f"QUERY_REJECTED: The embedded daemon belongs to another installation (version {sqe.__version__}) "
        "and is running a statement [wait for it, or end it with: sqe daemon stop]\n"
    )
    busy.send_signal(signal.SIGINT)
    assert busy.communicate(timeout=60)[1].startswith(b"USER_CANCELED: ")

    assert own_cli.run("-f", "csv", "-e", "SELECT 2 AS n", env=other).stdout == "n\n2\n"
    assert psutil.wait_procs([old], timeout=60)[1] == []
    assert own_cli.daemon().pid != old.pid


def test_without_a_daemon_nothing_is_left_even_of_a_killed_client(own_cli: Cli) -> None:
    done = own_cli.run("--no-daemon", "-f", "csv", "-e", "CREATE TABLE t AS SELECT 7 AS x; SELECT * FROM t")
    assert done.stdout == "x\n7\n"
    assert own_cli.run("daemon", "status").returncode == 1

    client = own_cli.start("--no-daemon", "-f", "csv", "-e", f"SELECT * FROM t; {SLOW}")
    assert client.stdout is not None
    assert client.stdout.readline() == b"x\n"
    family = psutil.Process(client.pid).children(recursive=True)
    assert len(family) >= 2  # the private server and its driver
    client.kill()
    client.communicate(timeout=60)
    assert psutil.wait_procs(family, timeout=60)[1] == []


def test_a_client_that_is_killed_frees_its_session(cli: Cli) -> None:
    client = cli.start("-e", SLOW)
    eventually(lambda: running_queries(cli, 1))
    client.kill()
    client.wait(60)
    eventually(lambda: running_queries(cli, 0))
    eventually(lambda: "sessions 0" in cli.run("daemon", "status").stdout)


def test_ctrl_c_cancels_a_statement_within_moments(cli: Cli) -> None:
    client = cli.start("-e", SLOW)
    eventually(lambda: running_queries(cli, 1))
    client.send_signal(signal.SIGINT)
    assert client.communicate(timeout=30)[1] == b"USER_CANCELED: The statement was cancelled\n"
    assert client.returncode == 1
    assert running_queries(cli, 0)


def test_an_engine_that_cannot_start_says_why(own_cli: Cli) -> None:
    done = own_cli.run("-e", "SELECT 1", env={"SQE_ENGINE__JAVA": "/nowhere"})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("CONFIGURATION_INVALID: ")


def test_a_memory_limit_has_a_daemon_of_its_own(own_cli: Cli) -> None:
    done = own_cli.run("--memory-limit", "768m", "-f", "csv", "-e", "SELECT 1 AS n")
    assert done.stdout == "n\n1\n", done.stderr
    assert "memory limit 768m" in own_cli.run("daemon", "status").stdout
    (driver,) = [process for process in _daemon_of(own_cli, "768m").children() if "-Xmx768m" in process.cmdline()]
    assert own_cli.run("daemon", "stop").stdout == "stopped\n"
    assert not driver.is_running()


def _daemon_of(cli: Cli, limit: str) -> psutil.Process:
    return psutil.Process(int((cli.run_folder.parent / limit / "daemon.pid").read_text()))


def test_a_run_folder_of_somebody_else_is_refused(own_cli: Cli) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    folder = own_cli.folder / "run" / "sqe"
    folder.mkdir(parents=True)
    os.chown(folder, 12345, 12345)
    done = own_cli.run("-e", "SELECT 1")
    assert done.returncode == 1
    assert done.stderr.startswith(f"CONFIGURATION_INVALID: The folder {folder} belongs to another user")


def test_somebody_who_speaks_another_protocol_is_dropped(cli: Cli) -> None:
    cli.rows("SELECT 1")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(cli.run_folder / "shell.sock"))
        sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert sock.recv(100) == b""
    assert cli.rows("SELECT 1 AS n") == "n\n1\n"


def test_attached_catalogs_and_secrets_are_there_after_a_restart(own_cli: Cli) -> None:
    word = "tell-nobody-91c2"
    own_cli.rows(f"ATTACH '{own_cli.folder}/other' AS other")
    own_cli.rows("CREATE SCHEMA other.s")
    own_cli.rows("CREATE TABLE other.s.t AS SELECT 1 AS n")
    own_cli.rows(f"CREATE SECRET store (TYPE aws, KEY_ID 'key', SECRET '{word}', SCOPE 's3://landing/')")
    first = own_cli.daemon().pid
    own_cli.stop()
    assert own_cli.rows("SELECT n FROM other.s.t") == "n\n1\n"
    assert own_cli.daemon().pid != first
    assert own_cli.rows("SHOW SECRETS") == "name,type,scope\nstore,aws,s3://landing/\n"
    own_cli.rows("DETACH other")
    own_cli.rows("DROP SECRET store")
    # Neither in the warehouse, nor in a log, nor in what the shell remembers.
    assert not [file for file in own_cli.folder.rglob("*") if file.is_file() and word.encode() in file.read_bytes()]
