"""Who is calling: from the headers of a request to a session.

HTTP has no connection to hang a session on. A log-in is remembered by a keyed hash of what was presented, so that a password is
checked once and not with every poll; the raw password is not kept. Below a log-in there is one session for each place and set of
settings that its client asks for, because a Spark session can stand in one place only; requests that ask for the same share it.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqe import errors
from sqe.doors.credentials import Credentials, refused
from sqe.doors.trino.properties import settings_of
from sqe.doors.trino.request import ClientRequest, Headers
from sqe.doors.trino.roles import Roles, enabled
from sqe.errors import SqeError
from sqe.identity import provider
from sqe.identity.login import Origin

if TYPE_CHECKING:
    from sqe.doors.addresses import Addresses
    from sqe.identity.authenticator import Authenticator
    from sqe.identity.live import LiveLogin
    from sqe.session import Session
    from sqe.sessions import Sessions

DOOR = "trino"

# What every session of this door begins with.
DIALECT = {"sql_dialect": "trino"}

# Sessions of one log-in. Beyond it the one that was used least recently makes room.
MOST_PLACES = 32

# A log-in that nobody used for this long is forgotten, and its credentials are checked again.
IDLE_SECONDS = 15 * 60.0


@dataclass(frozen=True)
class Peer:
    """The other end of a connection, as the HTTP server knows it."""

    address: str
    certificate: bytes | None = None
    expires_at: float = float("inf")  # the certificate's end

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(self.certificate).hexdigest() if self.certificate else ""


@dataclass(frozen=True)
class Presented:
    """What a request shows for itself."""

    credentials: provider.Credentials
    key: bytes
    origin: Origin
    name: str = ""  # beside a password: what the client calls itself


@dataclass
class KnownLogin:
    """Somebody who was let in."""

    login: LiveLogin
    origin: Origin
    name: str
    anonymous: bool
    catalogs: frozenset[str] = frozenset()
    since: float = field(default_factory=time.monotonic)
    used: float = field(default_factory=time.monotonic)
    tokens: OrderedDict[_Place, str] = field(default_factory=OrderedDict)  # of its sessions

    @property
    def user(self) -> str:
        return self.login.identity.user


@dataclass(frozen=True)
class _Place:
    catalog: str
    schema: str
    settings: tuple[tuple[str, str], ...]
    roles: Roles = None


class Callers:
    """Thread-safe. `recognised` is quick; `log_in` and `session` may wait for others, and belong into a thread."""

    def __init__(
        self,
        sessions: Sessions,
        authenticator: Authenticator,
        *,
        anonymous: bool,
        addresses: Addresses,
        max_age_seconds: float = 8 * 3600.0,
    ) -> None:
        self._sessions = sessions
        self._authenticator = authenticator
        self._anonymous = anonymous
        self._addresses = addresses
        self._max_age_seconds = max_age_seconds
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, KnownLogin] = OrderedDict()

    def presented(self, headers: Headers, peer: Peer) -> Presented:
        """Raises AUTHENTICATION_FAILED when that is nothing that could be judged."""
        if time.time() >= peer.expires_at:
            raise refused()
        given = Credentials.of(headers)
        shown = self._shown(given, peer)
        proof = f"{given.scheme} {given.value}" if given else ""
        key = hashlib.blake2b(f"{peer.fingerprint}\n{proof}".encode("utf-8", "surrogatepass"), key=self._key).digest()
        address = self.address_of(headers, peer)
        origin = Origin(DOOR, address, (headers.get("user-agent") or [""])[0][:256], peer.fingerprint)
        return Presented(shown, key, origin, shown.user if isinstance(shown, provider.Password) else "")

    def address_of(self, headers: Headers, peer: Peer) -> str:
        return self._addresses.client(peer.address, headers)

    def _shown(self, given: Credentials | None, peer: Peer) -> provider.Credentials:
        if given is not None:
            return given.presented()
        if peer.certificate is not None:  # it speaks for a client that says nothing else
            return provider.Certificate(peer.certificate)
        if not self._anonymous:
            raise refused()
        return provider.Nothing()

    def recognised(self, presented: Presented) -> KnownLogin | None:
        with self._lock:
            known = self._known.get(presented.key)
            if known is None:
                return None
            now = time.monotonic()
            over = now - known.since > self._max_age_seconds or now - known.used > IDLE_SECONDS
            if over or known.login.ended is not None:
                del self._known[presented.key]
                return None
            known.used = now
            self._known.move_to_end(presented.key)
            return known

    def log_in(self, presented: Presented) -> KnownLogin:
        """Slow on purpose (password hashing)."""
        login = self._authenticator.log_in(presented.credentials, presented.origin)
        session = self._sessions.open(login, origin=presented.origin)
        session.settings.update(DIALECT)
        anonymous = isinstance(presented.credentials, provider.Nothing)
        known = KnownLogin(session.login, presented.origin, presented.name, anonymous, frozenset(session.catalogs))
        token = self._sessions.token_of(session)
        with self._lock:
            self._forget_idle()
            first = self._known.setdefault(presented.key, known)  # another first request may have been faster
            if first is known:
                known.tokens[_Place("", "", _settings(DIALECT))] = token
        if first is not known:
            self._sessions.close(session)
        return first

    def check_user(self, known: KnownLogin, client: ClientRequest) -> str | None:
        """Why a client may not call itself what it does; None when it may. Nobody speaks for somebody else here.

        Without authentication the name is nobody's word: it is not looked at, and the server's own name for strangers counts.
        """
        if known.anonymous or client.user in ("", known.user, known.name):
            return None
        return f"Access Denied: User {known.user} cannot impersonate user {client.user[:128]}"

    def session(self, known: KnownLogin, client: ClientRequest) -> Session:
        """The session that stands where the client wants to be. Raises what its user shall read."""
        settings = DIALECT | settings_of(client)
        known.login.keep()
        roles = enabled(client.roles, known.login.identity.roles, known.catalogs) if client.roles else None
        place = _Place(client.catalog, client.schema, _settings(settings), roles)
        with self._lock:
            session = self._remembered(known, place)
            if session is not None:
                return session
        session = self._opened(known, place, settings)
        with self._lock:
            other = self._remembered(known, place)
            if other is None:
                known.tokens[place] = self._sessions.token_of(session)
                leaving = self._made_room(known)
        if other is not None:
            self._sessions.close(session)
            return other
        for each in leaving:
            self._sessions.close(each)
        return session

    def forget(self, known: KnownLogin, session: Session) -> None:
        """A session that does not stand any more where its place says."""
        with self._lock:
            for place, token in list(known.tokens.items()):
                if self._session(known, token) is session:
                    del known.tokens[place]

    def _opened(self, known: KnownLogin, place: _Place, settings: dict[str, str]) -> Session:
        session = self._sessions.open(known.login, origin=known.origin)
        try:
            session.settings.update(settings)
            session.enabled_roles = place.roles
            if place.catalog:
                catalog = _named(session, place.catalog)
                schema = tuple(place.schema.split(".")) if place.schema else ("default",)
                if (catalog, schema) != (session.default_catalog, ("default",)):  # where every session stands at first
                    session.current = (catalog, schema)
        except BaseException:
            self._sessions.close(session)
            raise
        return session

    def _remembered(self, known: KnownLogin, place: _Place) -> Session | None:
        token = known.tokens.get(place)
        session = self._session(known, token) if token else None
        if session is None:
            known.tokens.pop(place, None)
        else:
            known.tokens.move_to_end(place)
        return session

    def _session(self, known: KnownLogin, token: str) -> Session | None:
        try:
            return self._sessions.by_token(token, known.origin.certificate)
        except SqeError:
            return None

    def _made_room(self, known: KnownLogin) -> list[Session]:
        leaving = []
        for place, token in list(known.tokens.items())[: max(0, len(known.tokens) - MOST_PLACES)]:
            session = self._session(known, token)
            if session is None or not session.running:
                del known.tokens[place]
                leaving += [session] if session is not None else []
        return leaving

    def _forget_idle(self) -> None:
        now = time.monotonic()
        for key, known in list(self._known.items()):
            if now - known.used <= IDLE_SECONDS:
                return  # they are in the order of their use
            del self._known[key]


def _settings(settings: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(settings.items()))


def _named(session: Session, name: str) -> str:
    found = next((each for each in session.catalogs if each.lower() == name.lower()), None)
    if found is None:
        raise SqeError(errors.CATALOG_NOT_FOUND, f"Catalog '{name[:128]}' not found")
    return found
