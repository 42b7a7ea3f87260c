"""The log-in kept for one server, as clients use it: its token is renewed when that is due, by one process at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, INVALID_ARGUMENTS, SqeError
from sqe.login.store import KeptLogin, Store

if TYPE_CHECKING:  # loads the whole configuration
    from sqe.config.values import Secret

DEFAULT_PORT = 50051
# After an outage of the provider, while the token at hand is still good.
RETRY_SECONDS = 30.0

Renew = Callable[[KeptLogin], KeptLogin]

_NETWORK_SCHEMES = {"grpc": "grpc", "grpc+tcp": "grpc", "grpc+tls": "grpc+tls"}


def server_name(uri: str) -> str | None:
    """One name for all spellings of a server's address; None for what is no server in the network.

    With and without TLS are two servers: a token that came over TLS is never sent in the clear.
    """
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname or "", parts.port or DEFAULT_PORT
    except ValueError:
        raise SqeError(INVALID_ARGUMENTS, "The server's address makes no sense; it is grpc://host:port") from None
    scheme = _NETWORK_SCHEMES.get(parts.scheme)
    if scheme is None or not host:
        return None
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def kept_for(uri: str, store: Store | None = None) -> ServerLogin | None:
    """The log-in for the server at `uri`; None when nobody has logged in there."""
    server = server_name(uri)
    store = store or Store()
    kept = store.read(server) if server else None
    return ServerLogin(kept, store) if kept else None


class ServerLogin:
    """A source of access tokens (`sqe.client.upkeep.TokenSource`). Thread-safe."""

    def __init__(
        self, kept: KeptLogin, store: Store, *, renew: Renew | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._kept = kept
        self._store = store
        self._renew = renew or _ask_provider
        self._clock = clock
        self._not_before = 0.0
        self._lock = threading.Lock()

    @property
    def kept(self) -> KeptLogin:
        return self._kept

    def due(self) -> bool:
        return self._due(self._kept)

    def token(self) -> Secret:
        """Raises AUTHENTICATION_FAILED when a person has to log in again."""
        with self._lock:
            if self.due():
                with self._store.locked(self._kept.server):
                    self._kept = self._renewed(self._another_process_renewed())
            return self._kept.access

    def _due(self, kept: KeptLogin) -> bool:
        now = self._clock()
        if now >= kept.expires_at:
            return True
        return kept.refresh is not None and now >= max(kept.due_at(), self._not_before)

    def _another_process_renewed(self) -> KeptLogin:
        found = self._store.read(self._kept.server)
        if found is None:
            raise _log_in_again("You have logged out from this server")
        # Nobody becomes somebody else under a session that is open.
        if (found.issuer, found.user) != (self._kept.issuer, self._kept.user):
            raise SqeError(AUTHENTICATION_FAILED, "Another person has logged in to this server since", hint="connect again")
        return found

    def _renewed(self, kept: KeptLogin) -> KeptLogin:
        if not self._due(kept):
            return kept
        if kept.refresh is None:
            raise _log_in_again("Your log-in has expired")
        try:
            renewed = self._renew(kept)
        except SqeError as error:
            if error.code is not IDENTITY_PROVIDER_UNAVAILABLE or self._clock() >= kept.expires_at:
                raise
            self._not_before = self._clock() + RETRY_SECONDS
            return kept
        self._store.write(renewed)
        return renewed


def _log_in_again(why: str) -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, why, hint="log in again with sqe login")


def _ask_provider(kept: KeptLogin) -> KeptLogin:
    from sqe.identity.options import LoginOption
    from sqe.login.provider import LoginProvider  # loads an HTTP client

    return LoginProvider(LoginOption(kept.issuer, kept.client_id, kept.scopes)).renew(kept)
