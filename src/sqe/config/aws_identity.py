"""`[storage] s3_identity`: which keys belong to which identity, and what contradicts it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqe.config.sections import Storage

KEYS = "keys"

# What each identity cannot do without, and what it takes.
_NEEDS: dict[str, tuple[str, ...]] = {"web_identity": ("s3_role_arn", "s3_token_file")}
_TAKES: dict[str, tuple[str, ...]] = {
    "profile": ("s3_profile", "s3_profile_file"),
    "web_identity": ("s3_role_arn", "s3_token_file", "s3_sts_endpoint"),
}
IDENTITIES = (KEYS, "environment", *_TAKES)
OPTIONS = tuple(name for names in _TAKES.values() for name in names)


def findings(storage: Storage) -> Iterator[tuple[tuple[str, ...], str]]:
    """The keys of `[storage]` that are involved, and a sentence."""
    identity = storage.s3_identity
    missing = [f"storage.{name}" for name in _NEEDS.get(identity, ()) if getattr(storage, name) is None]
    if missing:
        yield ("s3_identity",), f"storage.s3_identity = {identity!r} needs {' and '.join(missing)}"
    for owner, names in _TAKES.items():
        for name in names:
            if owner != identity and getattr(storage, name) is not None:
                yield (name,), f"storage.{name} is not used with storage.s3_identity = {identity!r}"
    if identity != KEYS and storage.s3_access_key is not None:
        yield (
            ("s3_access_key",),
            f"storage.s3_access_key is not used with storage.s3_identity = {identity!r}",
        )
