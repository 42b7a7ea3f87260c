"""What was attached to one warehouse (kept beside it, encrypted) or to one server (kept in memory: sqe.toml is its memory)."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sqe.attached.key import secrets_key
from sqe.errors import CONFIGURATION_INVALID, SqeError

log = logging.getLogger("sqe.attached")

FILE = "attached.enc"


@dataclass(frozen=True)
class Secret:
    name: str
    type: str
    values: Mapping[str, str] = field(repr=False)
    scope: str = ""


@dataclass(frozen=True)
class Contents:
    catalogs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict)


class Attachments:
    """Shared by all sessions of a warehouse or server; safe to call from many threads."""

    def __init__(self, warehouse: Path | None = None, key_file: Path | None = None) -> None:
        self._file = warehouse / FILE if warehouse else None
        self._key_file = key_file or Path.home() / ".sqe" / "secrets.key"
        self._lock = threading.RLock()
        self._contents = Contents()
        self._seen: tuple[int, int] | None = None  # the file's state when it was read last
        self.version = 0  # grows with every change

    def look(self) -> Contents:
        """What is there now, also by another process. A file that cannot be read is as good as none, and is told in the log."""
        with self._lock:
            try:
                self._read_again()
            except SqeError as error:
                if self._seen != (state := self._state()):
                    log.warning("attached catalogs and secrets are left out: %s", error)
                    self._contents, self._seen = Contents(), state
                    self.version += 1
            return self._contents

    def change(self, change: Callable[[Contents], Contents]) -> None:
        """One at a time, over all processes; the file is replaced at once or not at all."""
        with self._lock, self._alone():
            self._seen = None
            self._read_again()
            changed = change(self._contents)
            if self._file is not None:
                self._write(self._file, changed)
                self._seen = self._state()
            self._contents = changed
            self.version += 1

    def _state(self) -> tuple[int, int] | None:
        if self._file is None:
            return None
        try:
            facts = os.stat(self._file)
        except OSError:
            return (0, 0)
        return (facts.st_mtime_ns, facts.st_ino)

    def _read_again(self) -> None:
        state = self._state()
        if self._file is None or state == self._seen:
            return
        self._contents = Contents() if state == (0, 0) else self._decrypted(self._file)
        self._seen = state
        self.version += 1

    def _decrypted(self, file: Path) -> Contents:
        from cryptography.fernet import Fernet, InvalidToken

        try:
            found: dict[str, Any] = json.loads(Fernet(secrets_key(self._key_file)).decrypt(file.read_bytes()))
            secrets = {name: Secret(**each) for name, each in found["secrets"].items()}
            return Contents(found["catalogs"], secrets)
        except (InvalidToken, ValueError, KeyError, TypeError, OSError):
            raise SqeError(
                CONFIGURATION_INVALID,
                f"The file {file} was written with another key or is damaged",
                hint="remove it to begin anew",
            ) from None

    def _write(self, file: Path, contents: Contents) -> None:
        from cryptography.fernet import Fernet

        secrets = {name: asdict(replace(each, values=dict(each.values))) for name, each in contents.secrets.items()}
        plain = json.dumps({"catalogs": {name: dict(each) for name, each in contents.catalogs.items()}, "secrets": secrets})
        made = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
                out.write(Fernet(secrets_key(self._key_file)).encrypt(plain.encode()))
                out.flush()
                os.fsync(out.fileno())
            os.replace(made, file)
        except OSError as refused:
            raise SqeError(CONFIGURATION_INVALID, f"The file {file} cannot be written: {refused.strerror}") from None

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self._file is None:
            yield
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as refused:
            raise SqeError(
                CONFIGURATION_INVALID, f"The folder {self._file.parent} cannot be written: {refused.strerror}"
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
