"""The authorization header, of whatever protocol: what it says, and what the provider chain is shown of it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity import provider
from sqe.sessions import TOKEN_PREFIX


@dataclass(frozen=True)
class Credentials:
    """What the authorization header said. Never logged, never shown."""

    scheme: str
    value: str

    @staticmethod
    def of(headers: Mapping[str, Sequence[str]]) -> Credentials | None:
        values = headers.get("authorization")
        if not values:
            return None
        if len(values) > 1:  # a proxy before us may have looked at another one of them
            raise refused()
        scheme, _, value = values[0].partition(" ")
        return Credentials(scheme.lower(), value.strip())

    def presented(self) -> provider.Credentials:
        """What the provider chain judges."""
        match self.scheme:
            case "basic":
                user, password = self._user_and_password()
                return provider.Password(user, Secret(password))
            case "bearer" if not self.value.startswith(TOKEN_PREFIX):  # ours, and not known any more
                return provider.Bearer(Secret(self.value))
            case _:
                raise refused()

    def _user_and_password(self) -> tuple[str, str]:
        try:
            # ADBC leaves the padding away.
            decoded = base64.b64decode(self.value + "=" * (-len(self.value) % 4), validate=True).decode("utf-8")
        except (binascii.Error, ValueError):
            raise refused() from None
        user, colon, password = decoded.partition(":")
        if not colon:
            raise refused()
        return user, password


def refused() -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, "Authentication failed")
