"""Who is calling: from the headers of a call to a session.

The usual way is the handshake: Basic (or an identity provider's token) in, our own bearer token out; each handshake opens
a session. Clients that never shake hands and send credentials on every call instead get one session a connection, found
again by their connection, so that a ticket of one call is good in the next and no call opens a new session.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
from typing import TYPE_CHECKING

from pyarrow import flight

from sqe.config.values import Secret
from sqe.doors.addresses import Addresses
from sqe.doors.credentials import Credentials, refused
from sqe.doors.flight.failures import translated
from sqe.doors.flight.warehouse import chosen_catalogs
from sqe.doors.tls.connections import Connection, Connections
from sqe.errors import QUERY_QUEUE_FULL, SqeError
from sqe.identity import provider
from sqe.identity.login import Login, Origin
from sqe.limits import CallsAtOnce, Refusals

if TYPE_CHECKING:
    from sqe.identity.authenticator import Authenticator
    from sqe.session import Session
    from sqe.sessions import Sessions

DOOR = "flight"

# The handshake's on a plain port: pyarrow does not tell where it comes from.
UNKNOWN = Connection("")

# Sessions of clients that do not shake hands. Beyond it new ones are refused until idle ones have expired.
MAX_CONNECTIONS = 1000


# Calls whose verb waits for its client to send something, in a thread that a stranger must not have.
UPLOADS = (flight.FlightMethod.DO_PUT, flight.FlightMethod.DO_EXCHANGE)

Headers = dict[str, list[str]]


class Handshake(flight.ServerAuthHandler):  # type: ignore[misc]
    """Lets the Handshake call through; without a handler pyarrow refuses it. The header decides, see `Callers`."""

    def authenticate(self, outgoing: flight.ServerAuthSender, incoming: flight.ServerAuthReader) -> None:
        pass

    def is_valid(self, token: bytes) -> bytes:
        return b""


class Caller(flight.ServerMiddleware):  # type: ignore[misc]
    """One call: who makes it, and the token to answer with when it is a handshake."""

    def __init__(
        self,
        callers: Callers,
        headers: Headers,
        connection: Connection | None,
        session: Session | None = None,
        token: str = "",
        login: Login | None = None,
    ) -> None:
        self._callers = callers
        self._headers = headers
        self._connection = connection
        self._session = session
        self._token = token
        self._login = login
        self._counted: str | None = None

    def session(self, context: flight.ServerCallContext) -> Session:
        """Raises when the caller is nobody we know."""
        if self._session is None:
            self._session = self._callers.session_of_connection(self._known_connection(context), self._headers, self._login)
        self.count()
        self._session.touch()
        return self._session

    def count(self) -> None:
        """Among the calls of its user, as soon as the user is known. Raises when there are too many."""
        if self._session is not None and self._counted is None:
            self._callers.calls.begin(self._session.identity.user)
            self._counted = self._session.identity.user

    def peer(self, context: flight.ServerCallContext) -> str:
        """The client's address, also behind TLS, where gRPC sees none, and behind trusted proxies."""
        return self._callers.addresses.client(self._known_connection(context).address, self._headers)

    def call_completed(self, exception: Exception | None) -> None:
        if self._counted is not None:
            self._callers.calls.end(self._counted)

    def _known_connection(self, context: flight.ServerCallContext) -> Connection:
        return self._connection or Connection(context.peer(), mark=context.peer())

    def sending_headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}"} if self._token else {}


class Callers(flight.ServerMiddlewareFactory):  # type: ignore[misc]
    """Turns headers into sessions. Thread-safe: gRPC calls it from every thread.

    A header value that is not ASCII, which gRPC's own libraries refuse to send, fails inside pyarrow 26 before it comes here.
    """

    def __init__(
        self,
        sessions: Sessions,
        authenticator: Authenticator,
        *,
        anonymous: bool,
        chooses_warehouse: bool = False,
        connections: Connections | None = None,
        addresses: Addresses | None = None,
        calls: CallsAtOnce | None = None,
    ) -> None:
        """`connections` are those of the TLS front; with them, calls that did not come through it are refused."""
        self.addresses = addresses or Addresses()
        self.calls = calls or CallsAtOnce(0, Refusals())
        self._sessions = sessions
        self._authenticator = authenticator
        self._anonymous = anonymous
        self._chooses_warehouse = chooses_warehouse
        self._connections = connections
        self._lock = threading.Lock()
        self._tokens: dict[tuple[str, bytes], str] = {}

    def start_call(self, info: flight.CallInfo, headers: Headers) -> Caller:
        try:
            connection = self._connection(headers)
            if info.method == flight.FlightMethod.HANDSHAKE:
                return self._logged_in(headers, connection)
            caller = self._caller(info, headers, connection)
            caller.count()
            return caller
        except Exception as error:  # noqa: BLE001 - the boundary: nothing may pass untranslated
            raise translated(error) from None

    def _connection(self, headers: Headers) -> Connection | None:
        """None on a plain port, where gRPC tells the address, but not yet at a handshake."""
        if self._connections is None:
            return None
        connection = self._connections.of(headers)
        if connection is None or connection.expired:
            raise refused()
        return connection

    def _logged_in(self, headers: Headers, connection: Connection | None) -> Caller:
        origin = self._origin(connection or UNKNOWN, headers)
        login = self._log_in(Credentials.of(headers), origin, connection or UNKNOWN)
        catalogs = chosen_catalogs(headers) if self._chooses_warehouse else None
        session = self._sessions.open(login, catalogs=catalogs, origin=origin)
        return Caller(self, headers, connection, session, self._sessions.token_of(session))

    def _caller(self, info: flight.CallInfo, headers: Headers, connection: Connection | None) -> Caller:
        credentials = Credentials.of(headers)
        if credentials is not None and credentials.scheme == "bearer":
            known = self._known(credentials.value, connection or UNKNOWN)
            if known is not None:
                return Caller(self, headers, connection, known)
        login = None
        if info.method in UPLOADS and not self._proved(credentials, connection):
            login = self._log_in(credentials, self._origin(connection or UNKNOWN, headers), connection or UNKNOWN)
        return Caller(self, headers, connection, login=login)

    def _proved(self, credentials: Credentials | None, connection: Connection | None) -> bool:
        """Whether this connection has logged in with these before; where it is not known yet, whether any has."""
        digest = _digest(credentials)
        with self._lock:
            if connection is not None:
                return (connection.mark, digest) in self._tokens
            return credentials is not None and any(hmac.compare_digest(digest, known) for _, known in self._tokens)

    def session_of_connection(self, connection: Connection, headers: Headers, login: Login | None) -> Session:
        """The session of a client that sends its credentials with every call. Passwords are checked once a connection,
        unless that has just been done (`login`)."""
        credentials = Credentials.of(headers)
        key = (connection.mark, _digest(credentials))
        with self._lock:
            session = self._remembered(key, connection)
        if session is not None:
            return session
        origin = self._origin(connection, headers)
        if login is None:  # slow on purpose (password hashing): not under the lock
            login = self._log_in(credentials, origin, connection)
        with self._lock:
            session = self._remembered(key, connection)  # another first call of this connection may have been faster
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
            raise refused() from None
        session.login.succeed(self._authenticator.log_in(presented, Origin(DOOR, address=peer)))

    def _remembered(self, key: tuple[str, bytes], connection: Connection) -> Session | None:
        token = self._tokens.get(key)
        return self._known(token, connection) if token else None

    def _make_room(self) -> None:
        if len(self._tokens) < MAX_CONNECTIONS:
            return
        self._tokens = {key: token for key, token in self._tokens.items() if self._sessions.knows(token)}
        if len(self._tokens) >= MAX_CONNECTIONS:
            raise SqeError(
                QUERY_QUEUE_FULL,
                f"More than {MAX_CONNECTIONS} connections send their credentials with every call",
                hint="do the Flight handshake once and send the bearer token it answers with",
            )

    def _known(self, token: str, connection: Connection) -> Session | None:
        try:
            return self._sessions.by_token(token, connection.fingerprint)
        except SqeError:
            return None

    def _log_in(self, credentials: Credentials | None, origin: Origin, connection: Connection) -> Login:
        return self._authenticator.log_in(self._presented(credentials, connection), origin)

    def _presented(self, credentials: Credentials | None, connection: Connection) -> provider.Credentials:
        """A certificate speaks for a client that says nothing else; a handshake without a name says nothing."""
        presented = credentials.presented() if credentials else provider.Nothing()
        nameless = isinstance(presented, provider.Password) and not presented.user and not presented.password
        if connection.certificate and (credentials is None or nameless):
            return provider.Certificate(connection.certificate)
        if credentials is None and not self._anonymous:
            raise refused()
        return presented

    def _origin(self, connection: Connection, headers: Headers) -> Origin:
        address = self.addresses.client(connection.address, headers)
        return Origin(DOOR, address, headers.get("user-agent", [""])[0], connection.fingerprint)


def _digest(credentials: Credentials | None) -> bytes:
    proof = f"{credentials.scheme} {credentials.value}" if credentials else ""
    return hashlib.sha256(proof.encode()).digest()
