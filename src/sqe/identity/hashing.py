"""Argon2, which takes 64 MB and tens of milliseconds of several cores on purpose: only so many at once."""

from __future__ import annotations

import os
import threading

from sqe.config.values import Secret
from sqe.errors import TOO_MANY_REQUESTS, SqeError

# More than cores would only take memory; strangers can ask for as many as they have connections.
_AT_ONCE = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))
LONGEST_WAIT_SECONDS = 5.0


def verified(hashed: Secret, candidate: Secret) -> bool:
    from argon2 import PasswordHasher  # 30 ms of imports that a server with plain passwords never needs
    from argon2.exceptions import InvalidHashError, VerificationError

    if not _AT_ONCE.acquire(timeout=LONGEST_WAIT_SECONDS):
        raise SqeError(TOO_MANY_REQUESTS, "Too many log-in attempts", hint="try again in 5 s")
    try:
        return PasswordHasher().verify(hashed.reveal(), candidate.reveal())
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False
    finally:
        _AT_ONCE.release()
