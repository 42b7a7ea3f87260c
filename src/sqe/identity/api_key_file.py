"""The file of an `api_key` provider: hashes of keys and whose they are, read again when it changes.

TOML: a table `[[keys]]` for each key, with `name` and `sha256`, and where wanted `roles`, `groups` and `expires`, as
`sqe-server api-key` prints it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqe.config.problems import nearest
from sqe.identity.names import is_name

log = logging.getLogger("sqe.identity")

# Looked at when somebody logs in, but not more often than this.
RELOAD_SECONDS = 1.0
# Some ten thousand keys.
LARGEST_FILE = 4 << 20

_FIELDS = ("name", "sha256", "roles", "groups", "expires")


@dataclass(frozen=True)
class Entry:
    """A key, by its hash, and the user that it logs in. A user may have several keys: the old and the new one, for a while."""

    name: str
    sha256: bytes
    roles: frozenset[str] = field(default_factory=frozenset)
    groups: frozenset[str] = field(default_factory=frozenset)
    expires: datetime | None = None

    def expired(self, now: float) -> bool:
        return self.expires is not None and now >= self.expires.timestamp()


class Unusable(Exception):
    """Why the file cannot be used, as a sentence for whoever runs the server."""


class BadContent(Unusable):
    """The file is there but what it says makes no sense: a slip of its editor, and no decision to lock everybody out."""


class ApiKeyFile:
    """The entries of the file, by hash, as they are now. Thread-safe."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._next_look = float("-inf")
        self._content = b""
        self._entries: Mapping[bytes, Entry] | None = None
        self._complaint = ""

    def entries(self) -> Mapping[bytes, Entry]:
        """Raises `Unusable` when the file cannot be read, or never could be understood: then there are no entries at all."""
        with self._lock:
            now = self._clock()
            if now >= self._next_look:
                self._look()
                self._next_look = now + RELOAD_SECONDS
            if self._entries is None:
                raise Unusable(self._complaint)
            return self._entries

    def _look(self) -> None:
        # Contents are compared, not times: two changes within one tick of the file system's clock have the same time.
        try:
            content = _content(self._path)
            if content != self._content or self._entries is None:
                self._entries = parsed(content)
                self._content = content
                log.info("%d API keys read", len(self._entries), extra={"file": str(self._path)})
            self._complaint = ""
        except BadContent as bad:
            self._complain(f"{bad}; {'nobody gets in by it' if self._entries is None else 'the keys read before stay in force'}")
        except Unusable as unusable:
            self._entries = None
            self._complain(f"{unusable}; nobody gets in by it")

    def _complain(self, sentence: str) -> None:
        """Once, not at every log-in while the file stays as it is."""
        if sentence != self._complaint:
            log.error("the file of API keys cannot be used: %s", sentence, extra={"file": str(self._path)})
        self._complaint = sentence


def check_file(path: Path) -> str | None:
    """Why the server should not start with this file."""
    try:
        parsed(_content(path))
    except Unusable as unusable:
        return str(unusable)
    return None


def _content(path: Path) -> bytes:
    try:
        # Not blocking: a named pipe in the file's place must not hold up everybody who logs in.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise Unusable(f"{path} is not a file")
            if mode & stat.S_IWOTH:  # whoever may write it can let themselves in
                raise Unusable(f"{path} may be written by everybody")
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > LARGEST_FILE:
        raise BadContent(f"{path.name} is larger than {LARGEST_FILE >> 20} MB")
    return content


def parsed(content: bytes) -> Mapping[bytes, Entry]:
    """By hash. All or nothing: an entry that is not understood may be one that was meant to lock somebody out."""
    import tomllib

    try:
        raw = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise BadContent("it is not UTF-8 text") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        # Python 3.14's error carries the document; its text is the place only.
        where = re.search(r"\(at [^)]*\)", str(error))
        raise BadContent(f"it is not TOML {where[0] if where else ''}".rstrip()) from None
    unknown = [name for name in raw if name != "keys"]
    if unknown:
        raise BadContent(f"unknown key {unknown[0]!r}{nearest(unknown[0], ['keys'])}")
    keys = raw.get("keys", [])
    if not isinstance(keys, list):
        raise BadContent("'keys' must be a list of tables: [[keys]]")
    entries: dict[bytes, Entry] = {}
    for number, item in enumerate(keys, 1):
        entry = _entry(item, f"entry {number}")
        if entry.sha256 in entries:
            raise BadContent(f"entry {number} has the key of {entries[entry.sha256].name!r} again")
        entries[entry.sha256] = entry
    return entries


def _entry(item: Any, where: str) -> Entry:
    if not isinstance(item, dict):
        raise BadContent(f"{where} must be a table")
    for name in item:
        if name not in _FIELDS:
            raise BadContent(f"{where} has an unknown key {name!r}{nearest(name, _FIELDS)}")
    sha256 = item.get("sha256")
    if not isinstance(sha256, str) or not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise BadContent(f"{where} needs 'sha256', 64 hex digits")
    if not is_name(item.get("name")):
        raise BadContent(f"{where} needs 'name', a text that can be printed")
    return Entry(
        item["name"],
        bytes.fromhex(sha256),
        _names(item, "roles", where),
        _names(item, "groups", where),
        _expiry(item.get("expires"), where),
    )


def _names(item: Mapping[str, Any], name: str, where: str) -> frozenset[str]:
    values = item.get(name, [])
    if not isinstance(values, list) or not all(map(is_name, values)):
        raise BadContent(f"{where} needs a list of texts for {name!r}")
    return frozenset(values)


def _expiry(value: Any, where: str) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise BadContent(f"{where} needs a time with a zone for 'expires', such as 2027-01-31T00:00:00Z")
    return value


def written(entry: Entry) -> str:
    """The entry as `parsed` reads it."""
    lines = ["[[keys]]", f"name = {_quoted(entry.name)}", f'sha256 = "{entry.sha256.hex()}"']
    for name, values in (("roles", entry.roles), ("groups", entry.groups)):
        if values:
            lines.append(f"{name} = [{', '.join(_quoted(value) for value in sorted(values))}]")
    if entry.expires is not None:
        lines.append(f"expires = {entry.expires.astimezone(UTC).strftime('%Y-%m-%dT%H:%M:%SZ')}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """JSON's texts are TOML's basic strings, as long as they hold no surrogates."""
    return json.dumps(text, ensure_ascii=False)
