"""API keys, for programs: long random texts whose hashes are kept in a file."""

from __future__ import annotations

import time
from collections.abc import Callable

from sqe.config.providers import ApiKeyProvider
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.api_key_file import ApiKeyFile, Entry, Unusable
from sqe.identity.api_keys import claims_to_be_a_key, digest_of
from sqe.identity.login import Login, Renewer
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
        return self._login(entry)

    def again(self, digest: bytes) -> Login:
        """The same key, as the file has it now."""
        return self._login(self._entry_of(digest))

    def _login(self, entry: Entry) -> Login:
        # The subject tells an audit which of the user's keys it was.
        subject = f"key:{entry.sha256.hex()[:16]}"
        return Login(Identity(entry.name, entry.roles, entry.groups, "api_key", subject), renewer=_Again(self, entry.sha256))

    def _entry(self, key: str) -> Entry:
        return self._entry_of(digest_of(key))

    def _entry_of(self, digest: bytes | None) -> Entry:
        try:
            entries = self._file.entries()
        except Unusable:
            raise SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "API keys cannot be checked at present") from None
        entry = entries.get(digest) if digest is not None else None
        if entry is None or entry.expired(self._clock()):
            raise Rejected
        return entry


class _Again(Renewer):
    """A key that was taken out of the file, or has expired, ends the sessions that it opened."""

    def __init__(self, provider: ApiKey, digest: bytes) -> None:
        self._provider = provider
        self._digest = digest

    def renew(self, login: Login) -> Login:
        return self._provider.again(self._digest)
