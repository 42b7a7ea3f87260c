"""What an API key looks like, and the only form in which it is kept.

SHA-256 and not argon2: a slow hash makes up for passwords that can be guessed. A key has 256 bits from the system's random
source, which nobody guesses at any speed, and the hash is computed for every log-in: a slow one would only serve those who want
to keep the server busy. A fast hash also makes the lookup one step: what it compares are hashes, which nobody can steer towards
those in the file, so the time it takes says nothing about them.
"""

from __future__ import annotations

import re

# Tells "not mine" from "mine and wrong", and lets scanners find keys that were committed to a repository.
PREFIX = "sqe_"
# 32 random bytes in base64url.
_KEY = re.compile(r"sqe_[A-Za-z0-9_-]{43}")


def claims_to_be_a_key(text: str) -> bool:
    return text.startswith(PREFIX)


def digest_of(key: str) -> bytes | None:
    """The SHA-256 of a key; None for a text that no key can be, however long it is."""
    return _digest(key) if _KEY.fullmatch(key) else None


def made_key() -> tuple[str, bytes]:
    """A new key and its hash."""
    import secrets

    key = PREFIX + secrets.token_urlsafe(32)
    return key, _digest(key)


def _digest(key: str) -> bytes:
    import hashlib  # loads OpenSSL: not at start-up

    return hashlib.sha256(key.encode("ascii")).digest()
