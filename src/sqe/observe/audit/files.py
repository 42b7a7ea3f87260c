"""The files of the log: opened with care, appended to, set aside when they are full or old, repaired after a crash.

The file that is written has the configured name. One that is set aside gets the number of its first line into its name
(`audit.000000000001.jsonl`); the first line of the next one names it and carries its last hash on.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from sqe.config.audit import Audit
from sqe.observe.audit.chain import START, BadLine, Chain, Link, parsed
from sqe.observe.audit.entries import timestamp

# Statements are cut, lists are cut: no line comes near it.
LONGEST_LINE = 4 << 20

Entry = Mapping[str, Any]


class Unusable(OSError):
    """The log cannot be written, and why: for the server's own log and the administrator."""


class AuditFiles:
    """Not thread-safe: the writer's thread alone has it. Every method may raise `OSError`."""

    def __init__(self, settings: Audit, chain: Chain) -> None:
        if settings.path is None:
            raise ValueError("the audit log has no path")
        self._path = settings.path
        self._settings = settings
        self._chain = chain
        self._fd = -1
        self._size = 0
        self._first_seq = 0
        self._born = 0.0
        self._unsynced = False
        self.link: Link | None = None  # of the last line that is in a file

    @property
    def is_open(self) -> bool:
        return self._fd >= 0

    def open(self, now: float) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._fd = _opened(self._path)
        try:
            self._continue(now)
        except BaseException:
            self.close()
            raise

    def append(self, entries: Sequence[Entry], now: float) -> None:
        """All of them or none. Sets the file aside first when it is time."""
        if not self._is_in_place():
            self.close()
            self.open(now)
        elif self._size and self._is_due(now):
            self._set_aside(now)
        self._write(entries)

    def sync(self) -> None:
        if self._unsynced and self.is_open:
            os.fsync(self._fd)
            self._unsynced = False

    def close(self) -> None:
        if self.is_open:
            fd, self._fd = self._fd, -1
            os.close(fd)

    def _write(self, entries: Sequence[Entry], lead: bytes = b"") -> None:
        link = self.link or START
        lines = [lead]
        for entry in entries:
            line, link = self._chain.sealed(entry, link)
            lines.append(line)
        data = memoryview(b"".join(lines))
        written = 0
        try:
            while written < len(data):
                written += os.write(self._fd, data[written:])
        except OSError:
            self._take_back()
            raise
        self._size += len(data)
        self._unsynced = True
        self.link = link
        self._first_seq = self._first_seq or link.seq - len(entries) + 1

    def _take_back(self) -> None:
        """What a full disk took of the lines. Where that fails too, the next opening repairs it."""
        try:
            os.ftruncate(self._fd, self._size)
        except OSError:
            self.close()

    # Opening.

    def _continue(self, now: float) -> None:
        """Goes on behind the last whole line, here or in the newest file that was set aside."""
        content = _Content(self._fd)
        self._size, self._born, self._first_seq = content.size, now, 0
        older = _newest(set_aside(self._path))
        last = content.last_line()
        if last is None:
            before = self.link or (_last_link(older) if older else START)
        else:
            before = self._checked(last)
            self._born = _time_of(content.first_line(), now)
            self._first_seq = _seq_of(content.first_line())
            if self.link is not None and self.link != before:
                raise Unusable(f"{self._path} is not the file that was written before")
        self.link = before
        lead = b""
        entries: list[Entry] = []
        if torn := content.torn():
            lead = b"\n"
            entries.append(_entry("audit_repaired", now, torn_bytes=len(torn), torn_sha256=hashlib.sha256(torn).hexdigest()))
        if last is None and before.seq:
            entries.append(_entry("audit_continued", now, previous_file=older.name if older else None))
        if entries:
            self._write(entries, lead)
        if last is not None and parsed(last).alg != self._chain.alg:
            self._set_aside(now)

    def _checked(self, last: bytes) -> Link:
        """A broken end is not built upon. One that was sealed otherwise cannot be checked; the next line is in a new file."""
        try:
            return parsed(last).link if parsed(last).alg != self._chain.alg else self._chain.opened(last).link
        except BadLine as reason:
            raise Unusable(
                f"the last line of {self._path} is not intact ({reason}); see sqe-server audit verify, then move the file away"
            ) from None

    def _is_in_place(self) -> bool:
        """Somebody may have moved or deleted the file: lines must not vanish into it."""
        if not self.is_open:
            return False
        try:
            there, ours = os.stat(self._path, follow_symlinks=False), os.fstat(self._fd)
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    # Setting aside.

    def _is_due(self, now: float) -> bool:
        every = self._settings.rotate_every
        return self._size >= self._settings.rotate_size or bool(every and now - self._born >= every)

    def _set_aside(self, now: float) -> None:
        if self._settings.fsync != "never":
            self.sync()
        aside = self._path.with_name(f"{self._path.stem}.{self._first_seq:012d}{self._path.suffix}")
        if os.path.lexists(aside):
            raise Unusable(f"{aside} is in the way")
        os.rename(self._path, aside)
        self.close()
        self._fd = _opened(self._path)
        self._size, self._born, self._first_seq = 0, now, 0
        self._write([_entry("audit_continued", now, previous_file=aside.name)])
        self._forget_oldest()

    def _forget_oldest(self) -> None:
        if keep := self._settings.keep_files:
            for old in set_aside(self._path)[:-keep]:
                with suppress(OSError):  # tried again with the next file
                    old.unlink()


def set_aside(path: Path) -> list[Path]:
    """The files beside it that were set aside, oldest first."""
    name = re.compile(rf"{re.escape(path.stem)}\.\d{{12}}{re.escape(path.suffix)}")
    try:
        return sorted(each for each in path.parent.iterdir() if name.fullmatch(each.name))
    except FileNotFoundError:
        return []


def _newest(files: Sequence[Path]) -> Path | None:
    return files[-1] if files else None


def _opened(path: Path) -> int:
    """A plain file of our own, locked. No link is followed: it could point at any file that the server may write."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        fd = os.open(path, flags, 0o600)
    except OSError as refused:
        if refused.errno == errno.ELOOP:
            raise Unusable(f"{path} is a symbolic link") from None
        raise
    try:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            raise Unusable(f"{path} is not a plain file with one name")
        if stat.S_IMODE(facts.st_mode) != 0o600:
            os.fchmod(fd, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise Unusable(f"{path} is being written by another process") from None
    except BaseException:
        os.close(fd)
        raise
    return fd


class _Content:
    """What lies in a file: its first line, its last whole one, and what a crash left behind that."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.size = os.fstat(fd).st_size
        start = max(0, self.size - LONGEST_LINE)
        self._tail = self._read(LONGEST_LINE, start)
        self._whole = self._tail.rfind(b"\n") + 1
        if start and not self._whole:
            raise Unusable("its end is not a line of an audit log; see sqe-server audit verify, then move the file away")

    def first_line(self) -> bytes:
        return self._read(LONGEST_LINE, 0).split(b"\n", 1)[0]

    def last_line(self) -> bytes | None:
        if not self._whole:
            return None
        return self._tail[: self._whole - 1].rpartition(b"\n")[2]

    def torn(self) -> bytes:
        return self._tail[self._whole :]

    def _read(self, length: int, start: int) -> bytes:
        parts = []
        while length > 0 and (part := os.pread(self._fd, length, start)):
            parts.append(part)
            start, length = start + len(part), length - len(part)
        return b"".join(parts)


def _last_link(path: Path) -> Link:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        last = _Content(fd).last_line()
    finally:
        os.close(fd)
    try:
        return parsed(last or b"").link
    except BadLine:
        raise Unusable(f"the last line of {path} is not intact; see sqe-server audit verify, then move the file away") from None


def _time_of(line: bytes, otherwise: float) -> float:
    try:
        return datetime.fromisoformat(str(parsed(line).fields["ts"])).timestamp()
    except (BadLine, KeyError, ValueError):
        return otherwise


def _seq_of(line: bytes) -> int:
    try:
        return parsed(line).link.seq
    except BadLine:
        return 0


def _entry(event: str, now: float, **facts: Any) -> Entry:
    return {"ts": timestamp(now), "event": event, **facts}
