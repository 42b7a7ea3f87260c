"""The daemon's run folder: the lock that makes it the only one, its sockets, its pid, its log."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import socket
import tempfile
import zlib
from contextlib import suppress

from sqe.cli.daemon import DaemonPaths

LARGEST_LOG = 4 << 20


class Taken(Exception):
    """Another daemon owns the folder."""


class RunFolder:
    """Owned by one process, from construction to `release`."""

    def __init__(self, folder: str) -> None:
        self.paths = DaemonPaths(folder)
        self._lock = open(os.path.join(folder, "daemon.lock"), "ab")  # noqa: SIM115 - held as long as the daemon listens
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Taken from None
        self._released = False
        self.throw_away = _throw_away_root(folder)
        # What a killed daemon left behind.
        shutil.rmtree(self.throw_away, ignore_errors=True)
        self._unlink_sockets()
        with open(self.paths.pid_file, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))

    def listen(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.paths.shell_socket)
        os.chmod(self.paths.shell_socket, 0o600)
        listener.listen(128)
        return listener

    def new_throw_away(self) -> str:
        os.makedirs(self.throw_away, 0o700, exist_ok=True)
        if os.lstat(self.throw_away).st_uid != os.geteuid():
            return tempfile.mkdtemp(prefix="sqe-throw-away-")
        return tempfile.mkdtemp(dir=self.throw_away)

    def release(self) -> None:
        """Give the folder up: another daemon may take it while this one is still going down."""
        if self._released:
            return
        self._released = True
        self._unlink_sockets()
        with suppress(FileNotFoundError):
            os.unlink(self.paths.pid_file)
        self._lock.close()

    def remove(self) -> None:
        """For a folder made for one client."""
        shutil.rmtree(self.paths.folder, ignore_errors=True)

    def _unlink_sockets(self) -> None:
        for path in (self.paths.shell_socket, self.paths.flight_socket):
            with suppress(FileNotFoundError):
                os.unlink(path)


def _throw_away_root(folder: str) -> str:
    """Not in the run folder, which may be a small file system in memory."""
    return os.path.join(tempfile.gettempdir(), f"sqe-throw-away-{os.getuid()}-{zlib.crc32(os.fsencode(folder)):08x}")


class BoundedLog(io.StringIO):
    """A log file that is set aside when it is full; the one before that is forgotten."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path
        self._open()

    def _open(self) -> None:
        self._file = open(self._path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 - lives as long as the process
        # What libraries print goes to the same file.
        os.dup2(self._file.fileno(), 1)
        os.dup2(self._file.fileno(), 2)

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._file.tell() > LARGEST_LOG:
            os.replace(self._path, f"{self._path}.1")
            self._file.close()
            self._open()
        return self._file.write(text)

    def flush(self) -> None:
        self._file.flush()
