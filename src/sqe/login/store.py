"""Where log-ins are kept: one file a server in `~/.sqe/credentials`, for their owner alone.

Everything goes through an open handle of the folder, and nothing follows a link: what was checked is what is used.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from sqe.errors import CONFIGURATION_INVALID, IDENTITY_PROVIDER_UNAVAILABLE, SqeError

if TYPE_CHECKING:
    from sqe.config.values import Secret

# Longer than a renewal takes with all its time-outs: whoever holds the lock longer hangs.
LOCK_SECONDS = 60.0
LARGEST_FILE = 1 << 20

_FORMAT = 1
_NO_LINKS = os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class KeptLogin:
    """What one log-in left: who issued it, to which client, and the tokens."""

    server: str  # grpc://host:port or grpc+tls://host:port
    issuer: str
    client_id: str
    scopes: tuple[str, ...]
    user: str  # for people; empty when the provider did not say
    access: Secret
    expires_at: float
    obtained_at: float
    refresh: Secret | None = None

    def due_at(self) -> float:
        """When the next access token should be fetched: a minute before its end, or when two thirds of a short life are over."""
        return self.expires_at - min(60.0, (self.expires_at - self.obtained_at) / 3)

    def renewed(self, access: Secret, expires_at: float, obtained_at: float, refresh: Secret | None) -> KeptLogin:
        """A provider that rotates refresh tokens sends a new one; one that does not means the old one."""
        return replace(self, access=access, expires_at=expires_at, obtained_at=obtained_at, refresh=refresh or self.refresh)


def default_folder() -> str:
    return os.path.join(os.path.expanduser("~"), ".sqe", "credentials")


class Store:
    """All kept log-ins of this user. Raises `SqeError` when the folder or a file is not safe to use."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder or default_folder()

    def read(self, server: str) -> KeptLogin | None:
        with self._opened(create=False) as folder:
            return None if folder is None else self._read(folder, _file_name(server), server)

    def write(self, login: KeptLogin) -> None:
        """Replaces what is kept for the server, at once or not at all."""
        with self._opened(create=True) as folder:
            assert folder is not None
            self._write(folder, _file_name(login.server), _as_json(login))

    def remove(self, server: str) -> bool:
        with self._opened(create=False) as folder:
            if folder is None:
                return False
            try:
                os.unlink(_file_name(server), dir_fd=folder)
            except FileNotFoundError:
                return False
            return True

    def servers(self) -> list[str]:
        """The servers that a log-in is kept for."""
        with self._opened(create=False) as folder:
            if folder is None:
                return []
            names = [name for name in os.listdir(folder) if name.endswith(".json")]
            found = [self._read(folder, name) for name in names]
        return sorted(login.server for login in found if login is not None)

    @contextmanager
    def locked(self, server: str) -> Iterator[None]:
        """One process at a time renews the log-in of a server: a refresh token may be good for one use only."""
        with self._opened(create=True) as folder:
            lock = os.open(f"{_file_name(server)}.lock", os.O_RDWR | os.O_CREAT | _NO_LINKS, 0o600, dir_fd=folder)
            try:
                self._take(lock)
                yield
            finally:
                os.close(lock)

    def _take(self, lock: int) -> None:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise SqeError(
                        IDENTITY_PROVIDER_UNAVAILABLE, "Another process has been renewing this log-in for a minute"
                    ) from None
                time.sleep(0.05)

    @contextmanager
    def _opened(self, *, create: bool) -> Iterator[int | None]:
        """A handle of the folder, which belongs to this user alone; None when there is none."""
        try:
            folder = self._open(create)
        except OSError as error:
            raise self._unusable(error) from None
        if folder is None:
            yield None
            return
        try:
            yield folder
        except OSError as error:
            raise self._unusable(error) from None
        finally:
            os.close(folder)

    def _open(self, create: bool) -> int | None:
        if create:
            os.makedirs(os.path.dirname(self.folder), 0o700, exist_ok=True)
            with suppress(FileExistsError):
                os.mkdir(self.folder, 0o700)
        try:
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | _NO_LINKS)
        except FileNotFoundError:
            return None
        try:
            state = os.fstat(folder)
            if state.st_uid != os.geteuid():
                raise _unsafe(f"The folder {self.folder} belongs to another user")
            if state.st_mode & 0o077:
                os.fchmod(folder, 0o700)
        except BaseException:
            os.close(folder)
            raise
        return folder

    def _read(self, folder: int, name: str, server: str | None = None) -> KeptLogin | None:
        path = os.path.join(self.folder, name)
        try:
            # Not blocking: a pipe in the place of the file must not hang its reader.
            file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _NO_LINKS, dir_fd=folder)
        except FileNotFoundError:
            return None
        with open(file, "rb") as opened:
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o077:
                raise _unsafe(f"{path} is not a file that only you can read")
            content = opened.read(LARGEST_FILE)
        login = _from_json(content)
        if login is None or (server is not None and login.server != server):
            raise SqeError(CONFIGURATION_INVALID, f"{path} holds no log-in", hint="log in again with sqe login")
        return login

    def _write(self, folder: int, name: str, content: bytes) -> None:
        temporary = f".{name}.{os.urandom(8).hex()}"
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINKS, 0o600, dir_fd=folder)
        try:
            with open(file, "wb") as opened:
                opened.write(content)
                opened.flush()
                os.fsync(file)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise

    def _unusable(self, error: OSError) -> SqeError:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            return _unsafe(f"Something in {self.folder} is a link, or not what it should be")
        return SqeError(CONFIGURATION_INVALID, f"The folder {self.folder} cannot be used: {error.strerror}")


def _unsafe(what: str) -> SqeError:
    return SqeError(CONFIGURATION_INVALID, what, hint="remove it and log in again with sqe login")


def _file_name(server: str) -> str:
    """Readable, and never a way out of the folder. Two servers never share one: the whole name is in its hash."""
    from hashlib import sha256

    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", server.partition("://")[2]).lstrip(".")[:80]
    return f"{readable}-{sha256(server.encode()).hexdigest()[:12]}.json"


def _as_json(login: KeptLogin) -> bytes:
    values = {each.name: getattr(login, each.name) for each in fields(login)}
    values |= {"access": login.access.reveal(), "refresh": login.refresh.reveal() if login.refresh else None}
    return json.dumps({"format": _FORMAT, **values}, indent=1).encode()


def _from_json(content: bytes) -> KeptLogin | None:
    from sqe.config.values import Secret  # loads the whole configuration: only for those who have logged in

    try:
        values: dict[str, Any] = json.loads(content)
        if values.pop("format") != _FORMAT:
            return None
        access, refresh, scopes = values.pop("access"), values.pop("refresh"), values.pop("scopes")
        login = KeptLogin(**values, scopes=tuple(scopes), access=Secret(access), refresh=Secret(refresh) if refresh else None)
        texts = (login.server, login.issuer, login.client_id, login.user, access, refresh or "", *login.scopes)
        times = (login.expires_at, login.obtained_at)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    right = all(isinstance(text, str) for text in texts) and all(isinstance(moment, (int, float)) for moment in times)
    return login if right and access else None
