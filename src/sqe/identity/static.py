"""Users written in sqe.toml, with plain passwords or argon2 hashes."""

from __future__ import annotations

from sqe.config.providers import StaticProvider, StaticUser
from sqe.config.values import Secret
from sqe.identity import Identity
from sqe.identity.hashing import verified
from sqe.identity.login import Login
from sqe.identity.provider import Credentials, Password, Provider, Rejected

# Argon2 reads the whole password before it starts; nobody's real one is longer.
LONGEST_PASSWORD = 4096


def is_hash(password: Secret) -> bool:
    return password.reveal().startswith("$argon2")


class Static(Provider):
    """All log-ins take the same time, so that a stranger cannot find out which names exist.

    A hash takes tens of milliseconds to verify. Once one user has one, every attempt verifies one: for a name that is
    unknown, or has a plain password, somebody's hash is verified and the answer thrown away.
    """

    def __init__(self, settings: StaticProvider) -> None:
        self._users = {user.name: user for user in settings.users}
        self._any_hash = next((user.password for user in settings.users if is_hash(user.password)), None)

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Password):
            return None
        user = self._users.get(credentials.user)
        matches = self._matches(user, credentials.password)
        if user is None:
            return None
        if not matches:
            raise Rejected
        return Login(Identity(user.name, frozenset(user.roles), frozenset(user.groups), "static"))

    def _matches(self, user: StaticUser | None, candidate: Secret) -> bool:
        if len(candidate.reveal()) > LONGEST_PASSWORD:
            return False
        if user is not None and is_hash(user.password):
            return verified(user.password, candidate)
        if self._any_hash is not None:
            verified(self._any_hash, candidate)
        return (user.password if user is not None else Secret("")).matches(candidate.reveal())
