"""The client's side of the embedded daemon: find it, start it once, ask it, stop it.

The daemon listens on a unix socket in its run folder (places.py). Who can connect has a daemon; who cannot takes the folder's
lock, tries again, and only then starts one: of two clients that come at once one starts the daemon and the other waits for the
lock. The starter waits on a pipe that the daemon inherits and answers when its socket is bound. A socket file without a
listener is what a killed daemon leaves; the next one removes it.
"""

from __future__ import annotations

import os
import socket
import sys

from sqe.cli import places
from sqe.cli.backend import Failure
from sqe.doors.shell import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# How long a daemon that was told to leave may take before it is killed.
LEAVE_SECONDS = 20.0


class DaemonPaths:
    """Where a daemon can be reached. `flight_socket` speaks Flight SQL: `grpc+unix://` + its path."""

    __slots__ = ("flight_socket", "folder", "shell_socket")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.shell_socket = os.path.join(folder, "shell.sock")
        self.flight_socket = os.path.join(folder, "flight.sock")

    @property
    def log(self) -> str:
        return os.path.join(self.folder, "daemon.log")

    @property
    def pid_file(self) -> str:
        return os.path.join(self.folder, "daemon.pid")


def ensure_daemon(memory_limit: str | None = None, notice: Callable[[str], object] | None = None) -> DaemonPaths:
    """A daemon of this installation whose engine is up; starts one when there is none. Raises Failure.

    `notice` gets a sentence about what is being waited for (the first set-up takes minutes); without it, stderr does.
    """
    from sqe.cli.thin import Connection

    with Connection.to_daemon(memory_limit or "") as connection:
        connection.wait_until_ready(notice or _tell)
        return connection.paths


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def reach(memory_limit: str = "") -> tuple[socket.socket, DaemonPaths]:
    """A fresh connection to the user's daemon, which is started when it is not there."""
    paths = DaemonPaths(places.run_folder(memory_limit))
    sock = connect(paths)
    if sock is not None:
        return sock, paths
    try:
        places.make_private(paths.folder)
    except places.PlaceError as error:
        raise Failure("CONFIGURATION_INVALID", str(error)) from None
    with _Lock(os.path.join(paths.folder, "start.lock")):
        sock = connect(paths)
        if sock is None:
            _start(paths, _arguments(paths, memory_limit))
            sock = connect(paths)
    if sock is None:
        raise _did_not_start(paths)
    return sock, paths


def connect(paths: DaemonPaths) -> socket.socket | None:
    """A connection when a daemon listens there, in a folder where nobody else can pretend to be one."""
    if not places.is_private(paths.folder):
        return None
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.connect(paths.shell_socket)
    except OSError as error:
        sock.close()
        if isinstance(error, (FileNotFoundError, ConnectionRefusedError)):
            return None
        raise Failure("CONFIGURATION_INVALID", f"The socket {paths.shell_socket} cannot be used: {error.strerror}") from None
    return sock


class PrivateDaemon:
    """A daemon for one client (`--no-daemon`), in a folder of its own. It leaves when the client does, even killed:
    it watches a pipe whose other end only the client holds."""

    def __init__(self, memory_limit: str = "") -> None:
        import tempfile

        self.paths = DaemonPaths(tempfile.mkdtemp(prefix="sqe-"))
        watched, self._held = os.pipe()
        try:
            arguments = [*_arguments(self.paths, memory_limit), "--private", "--watch-fd", str(watched)]
            self._process = _start(self.paths, arguments, watched)
        except BaseException:
            os.close(self._held)
            raise
        finally:
            os.close(watched)

    def reach(self) -> tuple[socket.socket, DaemonPaths]:
        sock = connect(self.paths)
        if sock is None:
            raise _did_not_start(self.paths)
        return sock, self.paths

    def close(self) -> None:
        os.close(self._held)
        # Waited for, so that a script that goes on may rely on the engine being gone.
        self._process.wait()


def _arguments(paths: DaemonPaths, memory_limit: str) -> list[str]:
    arguments = ["--folder", paths.folder]
    return [*arguments, "--memory-limit", memory_limit] if memory_limit else arguments


def _start(paths: DaemonPaths, arguments: list[str], *inherited: int) -> Any:
    """Start the daemon in a session of its own (no Ctrl-C of ours reaches it) and wait until its socket is bound."""
    import subprocess

    ready, answer = os.pipe()
    with open(paths.log, "ab") as log:
        # -P: no module in the current folder may take the place of one of ours.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "sqe.daemon_main", *arguments, "--ready-fd", str(answer)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            pass_fds=(answer, *inherited),
            start_new_session=True,
        )
    os.close(answer)
    with open(ready, "rb") as pipe:
        said = pipe.read().decode(errors="replace").strip()
    if said == "ready":
        return process
    raise Failure("SERVER_STARTING_UP", said) if said else _did_not_start(paths)


def _did_not_start(paths: DaemonPaths) -> Failure:
    return Failure("SERVER_STARTING_UP", f"The embedded engine did not start; its log is {paths.log}")


class _Lock:
    """An exclusive lock on a file, gone with its process."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        import fcntl

        self._file = open(self._path, "ab")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()


def running() -> Iterator[tuple[DaemonPaths, dict[str, Any]]]:
    """The user's daemons with what each says about itself (empty when it does not answer)."""
    for folder in places.run_folders():
        paths = DaemonPaths(folder)
        sock = connect(paths)
        if sock is None:
            continue
        with sock:
            sock.settimeout(5)
            yield paths, _ask(sock, wire.STATUS)


def _ask(sock: socket.socket, kind: bytes) -> dict[str, Any]:
    try:
        sock.sendall(wire.frame(kind, {}))
        return wire.fields(wire.Reader(sock).next()[1])
    except (OSError, wire.ConnectionLost, wire.WireError):
        return {}


def status() -> tuple[str, bool]:
    """What `sqe daemon status` prints, and whether a daemon runs."""
    lines = [_describe(paths, state) for paths, state in running()]
    return ("\n".join(lines) if lines else "no daemon is running"), bool(lines)


def _describe(paths: DaemonPaths, state: dict[str, Any]) -> str:
    if not state:
        return f"a daemon that does not answer: folder {paths.folder}"
    phase = "running" if state["ready"] else "starting"
    minutes, seconds = divmod(int(state["uptime"]), 60)
    limit = os.path.basename(paths.folder)
    memory = "" if limit == "default" else f", memory limit {limit}"
    return (
        f"{phase}: pid {state['pid']}, version {state['version']}, up {minutes}m {seconds}s, sessions {state['sessions']}, "
        f"running queries {state['queries']}{memory}, folder {paths.folder}"
    )


def stop() -> str:
    """Stop all daemons of the user and wait until they are gone; what `sqe daemon stop` prints."""
    stopped = [_stop(DaemonPaths(folder)) for folder in places.run_folders()]
    return "\n".join(line for line in stopped if line) or "no daemon is running"


def _stop(paths: DaemonPaths) -> str:
    sock = connect(paths)
    if sock is None:
        return ""
    with sock:
        sock.settimeout(LEAVE_SECONDS)
        try:
            sock.sendall(wire.frame(wire.LEAVE, {}))
            # The connection ends with the process: nothing is left of the daemon when this returns.
            while sock.recv(4096):
                pass
        except TimeoutError:
            return _kill(paths)
        except OSError:
            pass
    return "stopped"


def _kill(paths: DaemonPaths) -> str:
    import signal

    try:
        with open(paths.pid_file, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGKILL)
    except (OSError, ValueError):
        return f"the daemon in {paths.folder} does not answer and could not be killed"
    return "killed (it did not answer)"
