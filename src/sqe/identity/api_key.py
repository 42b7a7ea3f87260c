"""API keys, for programs: long random texts whose hashes are kept in a file."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqe.config.providers import ApiKeyProvider
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.api_key_file import ApiKeyFile, Entry, Unusable
from sqe.identity.api_keys import claims_to_be_a_key, digest_of
from sqe.identity.login import Login
from sqe.identity.provider import Bearer, Credentials, Password, Provider, Rejected

# A user name for drivers that insist on one: the key itself says who it is.
ANY_USER = ("", "api_key")


class ApiKey(Provider):
    """Takes keys as bearer tokens, and as passwords where a driver has no tokens."""

    def __init__(self, settings: ApiKeyProvider, *, clock: Callable[[], float] = time.time) -> None:
        self._file = ApiKeyFile(settings.file)
        self._clock = clock

    def identify(self, credentials: Credentials) -> Login | None:
        match credentials:
            case Bearer(token) if claims_to_be_a_key(token.reveal()):
                entry = self._entry(token.reveal())
            case Password(user, password) if claims_to_be_a_key(password.reveal()):
                entry = self._entry(password.reveal())
                if user not in (*ANY_USER, entry.name):
                    raise Rejected
            case _:
                return None
        # The subject tells an audit which of the user's keys it was.
        subject = f"key:{entry.sha256.hex()[:16]}"
        return Login(Identity(entry.name, entry.roles, entry.groups, "api_key", subject))

    def _entry(self, key: str) -> Entry:
        try:
            entries = self._file.entries()
        except Unusable:
            raise SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "API keys cannot be checked at present") from None
        digest = digest_of(key)
        entry = entries.get(digest) if digest is not None else None
        if entry is None or entry.expired(self._clock()):
            raise Rejected
        return entry
