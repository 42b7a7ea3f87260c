"""Who is calling: from the headers of a call to a session.

The usual way is the handshake: Basic (or an identity provider's token) in, our own bearer token out; each handshake opens
a session. Clients that never shake hands and send credentials on every call instead get one session a connection, found
again by the address of their socket, so that a ticket of one call is good in the next and no call opens a new session.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyarrow import flight

from sqe.config.values import Secret
from sqe.doors.flight.failures import translated
from sqe.doors.flight.warehouse import chosen_catalogs
from sqe.errors import AUTHENTICATION_FAILED, QUERY_QUEUE_FULL, SqeError
from sqe.identity import provider
from sqe.identity.login import Login, Origin

if TYPE_CHECKING:
    from sqe.identity.authenticator import Authenticator
    from sqe.session import Session, Sessions

DOOR = "flight"

# Sessions of clients that do not shake hands. Beyond it new ones are refused until idle ones have expired.
MAX_CONNECTIONS = 1000


@dataclass(frozen=True)
class Credentials:
    """What the authorization header said. Never logged, never shown."""

    scheme: str
    value: str

    @staticmethod
    def of(headers: dict[str, list[str]]) -> Credentials | None:
        values = headers.get("authorization")
        if not values:
            return None
        scheme, _, value = values[0].partition(" ")
        return Credentials(scheme.lower(), value.strip())

    def presented(self) -> provider.Credentials:
        """What the provider chain judges."""
        match self.scheme:
            case "basic":
                user, password = self._user_and_password()
                return provider.Password(user, Secret(password))
            case "bearer":
                return provider.Bearer(Secret(self.value))
            case _:
                raise _refused()

    def _user_and_password(self) -> tuple[str, str]:
        try:
            # ADBC leaves the padding away.
            decoded = base64.b64decode(self.value + "=" * (-len(self.value) % 4), validate=True).decode("utf-8")
        except (binascii.Error, ValueError):
            raise _refused() from None
        user, colon, password = decoded.partition(":")
        if not colon:
            raise _refused()
        return user, password


def _refused() -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, "Authentication failed")


class Handshake(flight.ServerAuthHandler):  # type: ignore[misc]
    """Lets the Handshake call through; without a handler pyarrow refuses it. The header decides, see `Callers`."""

    def authenticate(self, outgoing: flight.ServerAuthSender, incoming: flight.ServerAuthReader) -> None:
        pass

    def is_valid(self, token: bytes) -> bytes:
        return b""


class Caller(flight.ServerMiddleware):  # type: ignore[misc]
    """One call: who makes it, and the token to answer with when it is a handshake."""

    def __init__(
        self, callers: Callers, credentials: Credentials | None, session: Session | None = None, token: str = ""
    ) -> None:
        self._callers = callers
        self._credentials = credentials
        self._session = session
        self._token = token

    def session(self, context: flight.ServerCallContext) -> Session:
        """Raises when the caller is nobody we know."""
        if self._session is None:
            self._session = self._callers.session_of_connection(context.peer(), self._credentials)
        self._session.touch()
        return self._session

    def sending_headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}"} if self._token else {}


class Callers(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Turns headers into sessions. Thread-safe: gRPC calls it from every thread.

    A header value that is not ASCII, which gRPC's own libraries refuse to send, fails inside pyarrow 26 before it comes here.
    """

    def __init__(
        self, sessions: Sessions, authenticator: Authenticator, *, anonymous: bool, chooses_warehouse: bool = False
    ) -> None:
        self._sessions = sessions
        self._authenticator = authenticator
        self._anonymous = anonymous
        self._chooses_warehouse = chooses_warehouse
        self._lock = threading.Lock()
        self._tokens: dict[tuple[str, bytes], str] = {}

    def start_call(self, info: flight.CallInfo, headers: dict[str, list[str]]) -> Caller:
        try:
            if info.method == flight.FlightMethod.HANDSHAKE:
                return self._logged_in(headers)
            return self._caller(Credentials.of(headers))
        except Exception as error:  # noqa: BLE001 - the boundary: nothing may pass untranslated
            raise translated(error) from None

    def _logged_in(self, headers: dict[str, list[str]]) -> Caller:
        credentials = Credentials.of(headers)
        origin = Origin(DOOR, client=headers.get("user-agent", [""])[0])
        login = self._log_in(credentials, origin)
        catalogs = chosen_catalogs(headers) if self._chooses_warehouse else None
        session = self._sessions.open(login, catalogs=catalogs, origin=origin)
        return Caller(self, credentials, session, self._sessions.token_of(session))

    def _caller(self, credentials: Credentials | None) -> Caller:
        if credentials is not None and credentials.scheme == "bearer":
            known = self._known(credentials.value)
            if known is not None:
                return Caller(self, credentials, known)
        return Caller(self, credentials)

    def session_of_connection(self, peer: str, credentials: Credentials | None) -> Session:
        """The session of a client that sends its credentials with every call. Passwords are checked once a connection."""
        proof = f"{credentials.scheme} {credentials.value}" if credentials else ""
        key = (peer, hashlib.sha256(proof.encode()).digest())
        with self._lock:
            session = self._remembered(key)
        if session is not None:
            return session
        origin = Origin(DOOR, address=peer)
        login = self._log_in(credentials, origin)  # slow on purpose (password hashing): not under the lock
        with self._lock:
            session = self._remembered(key)  # another first call of this connection may have been faster
            if session is None:
                self._make_room()
                session = self._sessions.open(login, origin=origin)
                self._tokens[key] = self._sessions.token_of(session)
        return session

    def renew(self, session: Session, token: bytes, peer: str) -> None:
        """Lets a session go on with a newer token of its own user; the server cannot renew what others obtained."""
        try:
            presented = provider.Bearer(Secret(token.decode("ascii")))
        except UnicodeDecodeError:
            raise _refused() from None
        session.login.succeed(self._authenticator.log_in(presented, Origin(DOOR, address=peer)))

    def _remembered(self, key: tuple[str, bytes]) -> Session | None:
        token = self._tokens.get(key)
        return self._known(token) if token else None

    def _make_room(self) -> None:
        if len(self._tokens) < MAX_CONNECTIONS:
            return
        self._tokens = {key: token for key, token in self._tokens.items() if self._known(token) is not None}
        if len(self._tokens) >= MAX_CONNECTIONS:
            raise SqeError(
                QUERY_QUEUE_FULL,
                f"More than {MAX_CONNECTIONS} connections send their credentials with every call",
                hint="do the Flight handshake once and send the bearer token it answers with",
            )

    def _known(self, token: str) -> Session | None:
        try:
            return self._sessions.by_token(token)
        except SqeError:
            return None

    def _log_in(self, credentials: Credentials | None, origin: Origin) -> Login:
        if credentials is None and not self._anonymous:
            raise _refused()
        return self._authenticator.log_in(credentials.presented() if credentials else provider.Nothing(), origin)
