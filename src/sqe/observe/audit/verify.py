"""Reads the log back: is every line as it was written, and is none missing?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqe.observe.audit.chain import KEYED, NOTHING_BEFORE, BadLine, Chain, Line, Link, parsed
from sqe.observe.audit.files import LONGEST_LINE


class Tampered(Exception):
    """The first line that is not as it should be."""

    def __init__(self, path: Path, number: int, reason: str) -> None:
        super().__init__(f"{path}: line {number}: {reason}")


@dataclass
class Verified:
    """What a whole log holds."""

    files: int = 0
    lines: int = 0
    repaired: int = 0  # lines that a crash cut, and a later start of the server marked
    lost: int = 0  # entries that the server itself says it could not write
    first: Link | None = None
    head: Link | None = None
    stopped: bool = False  # the last line says that the server stopped


def verified(paths: Sequence[Path], chain: Chain) -> Verified:
    """Raises `Tampered` or `OSError`. Files may come in any order; together they must be one piece of a chain."""
    result = Verified()
    for path in sorted(paths, key=_first_seq):
        _verify_file(path, chain, result)
        result.files += 1
    return result


def is_keyed(paths: Sequence[Path]) -> bool:
    """Whether a first line says that a key is needed. For a better message only: `verified` believes no line."""
    for path in paths:
        for line in _lines(path):
            try:
                return parsed(line.removesuffix(b"\n")).alg == KEYED
            except BadLine:
                continue
    return False


def _first_seq(path: Path) -> int:
    for line in _lines(path):
        try:
            return parsed(line.removesuffix(b"\n")).link.seq
        except BadLine:
            continue
    return 0


def _verify_file(path: Path, chain: Chain, result: Verified) -> None:
    torn: bytes | None = None
    number = 0
    at_start = True
    for number, raw in enumerate(_lines(path), 1):
        try:
            line = chain.opened(raw.removesuffix(b"\n")) if raw.endswith(b"\n") else _unended()
        except BadLine as reason:
            if torn is not None or not _may_be_torn(raw):
                raise Tampered(path, number - (torn is not None), str(reason)) from None
            torn = raw.removesuffix(b"\n")
            continue
        if torn is not None:
            _check_repair(path, number, line, torn)
            result.repaired += 1
            torn = None
        _check_link(path, number, line, result, at_start=at_start)
        at_start = False
        result.lines += 1
        result.head = line.link
        result.first = result.first or line.link
        result.stopped = line.fields.get("event") == "server_stopped"
        if line.fields.get("event") == "entries_lost":
            result.lost += int(line.fields.get("count", 0))
    if torn is not None:
        raise Tampered(path, number, "it is cut off, and no start of the server has marked that as a crash's work")
    if at_start:
        raise Tampered(path, 1, "the file has no lines")


def _unended() -> Line:
    raise BadLine("it is not a whole line of an audit log")


def _may_be_torn(raw: bytes) -> bool:
    """A line that still has its shape was whole once: no crash changes a byte within."""
    try:
        parsed(raw.removesuffix(b"\n"))
    except BadLine:
        return len(raw) < LONGEST_LINE
    return not raw.endswith(b"\n")


def _check_repair(path: Path, number: int, line: Line, torn: bytes) -> None:
    marked = (line.fields.get("event"), line.fields.get("torn_bytes"), line.fields.get("torn_sha256"))
    if marked != ("audit_repaired", len(torn), hashlib.sha256(torn).hexdigest()):
        raise Tampered(path, number - 1, "it is not a whole line of an audit log")


def _check_link(path: Path, number: int, line: Line, result: Verified, *, at_start: bool) -> None:
    before = result.head
    if before is None:
        _check_beginning(path, number, line)
    elif line.link.seq != before.seq + 1:
        raise Tampered(
            path, number, f"it has seq {line.link.seq}, but {before.seq + 1} comes next: {_what(line, before, at_start)}"
        )
    elif line.prev != before.hash:
        raise Tampered(path, number, "it does not follow the line before it")


def _what(line: Line, before: Link, at_start: bool) -> str:
    if line.link.seq <= before.seq:
        return "lines were inserted or their order was changed"
    return "a file, or lines at the end of the one before, are missing" if at_start else "lines were removed"


def _check_beginning(path: Path, number: int, line: Line) -> None:
    if line.link.seq == 1 and line.prev != NOTHING_BEFORE:
        raise Tampered(path, number, "the first line of a log does not refer to another one")
    if line.link.seq > 1 and line.fields.get("event") not in ("audit_continued", "audit_repaired"):
        raise Tampered(path, number, f"it has seq {line.link.seq}, and the lines before it in this file are missing")


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            yield line
