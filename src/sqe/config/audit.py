"""`[audit]`: the log of who did what."""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqe.config.keys import key
from sqe.config.kinds import BOOLEAN, PATH, SECRET, choice, duration, integer, size
from sqe.config.values import Duration, Secret, Size

SHORTEST_KEY = 16


@dataclass(frozen=True)
class Audit:
    """Who did what, one JSON object a line, each sealed with a hash that chains it to the one before; docs/audit.md."""

    enabled: bool = key(BOOLEAN, False, "Write the log.")
    path: Path | None = key(PATH, None, "The file that is written; older ones lie beside it.")
    rotate_size: Size = key(size("64k", "1t"), Size.parse("128m"), "A file that has grown to this size is set aside.")
    rotate_every: Duration = key(
        duration("0s", "365d"), Duration.parse("1d"), "A file that is this old is set aside; `0s` is never."
    )
    keep_files: int = key(integer(0, 100_000, "whole number"), 0, "Files set aside that are kept, the newest; 0 keeps all.")
    fsync: str = key(
        choice(("always", "interval", "never")),
        "interval",
        "When lines are forced to the disk: with every write, once a second, or when the system likes.",
    )
    on_failure: str = key(
        choice(("refuse", "continue")),
        "refuse",
        "While the log cannot be written, statements and log-ins are refused (AUDIT_UNAVAILABLE), or go on and are not logged.",
    )
    hmac_key: Secret | None = key(
        SECRET, None, "Key of the chain. Without it, whoever can write the file can also compute a new chain."
    )


def contradictions(settings: Audit) -> Iterator[tuple[tuple[tuple[str, ...], ...], str]]:
    if settings.enabled and settings.path is None:
        yield (("audit", "enabled"), ("audit", "path")), "audit with enabled = true needs the key 'path'"
    if settings.hmac_key is not None and len(settings.hmac_key.reveal()) < SHORTEST_KEY:
        yield (("audit", "hmac_key"),), f"audit.hmac_key must have at least {SHORTEST_KEY} characters"
