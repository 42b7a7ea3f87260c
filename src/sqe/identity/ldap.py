"""People of an LDAP directory. It checks the password by logging them in there; SQE learns who they are and their groups."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from sqe.config.providers import LdapProvider
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.ldap_directory import (
    Ambiguous,
    Connection,
    Outage,
    Person,
    Refused,
    first_name,
    in_dn,
    in_filter,
    is_below,
)
from sqe.identity.login import Login, Renewer
from sqe.identity.names import is_name
from sqe.identity.provider import Credentials, Password, Provider, Rejected

log = logging.getLogger("sqe.identity")

# A log-in answers within five seconds, whatever the directory does.
TOTAL_SECONDS = 3.5
# OpenLDAP's library (2.5.13) waits without a limit for a peer that stops in the middle of TLS. Nobody waits for such a thread,
# but it stays until the peer hangs up; beyond this many, log-ins have to wait for a place.
MOST_AT_ONCE = 32
LONGEST_PASSWORD = 4096
MOST_GROUPS = 10_000


class Ldap(Provider):
    """Every log-in has connections of its own: what one person's bind changed is never another's."""

    def __init__(self, settings: LdapProvider) -> None:
        self._settings = settings
        self._roles = {each.group: each.roles for each in settings.group_roles}
        self._places = threading.BoundedSemaphore(MOST_AT_ONCE)

    def identify(self, credentials: Credentials) -> Login | None:
        # Without a password there is nothing to check: a directory takes an empty one for "nobody" and says yes.
        if not isinstance(credentials, Password) or not credentials.password or not credentials.user:
            return None
        user, password = credentials.user, credentials.password.reveal()
        if not is_name(user) or len(password) > LONGEST_PASSWORD or not _can_be_sent(user + password):
            raise Rejected
        return _Attempt(lambda deadline: self.log_in(user, password, deadline)).login(self._places)

    def log_in(self, user: str, password: str, deadline: float) -> Login | None:
        if self._settings.user_dn is not None:
            return self._bound(in_dn(self._settings.user_dn, user), password, deadline)
        return self._searched(user, password, deadline)

    def _bound(self, dn: str, password: str, deadline: float) -> Login:
        with self._connected(deadline) as connection:
            connection.bind(dn, password)
            person = connection.entry(dn, self._attributes())
            if person is None:
                log.error("people may not read their own entries in the directory, so nobody knows their names")
                raise Refused
            return self._login(person, connection)

    def _searched(self, user: str, password: str, deadline: float) -> Login | None:
        base, found_by = self._settings.search_base or "", in_filter(self._settings.search_filter, user=user)
        with self._connected(deadline) as searching, self._connected(deadline) as connection:
            self._bind_to_search(searching)
            people = searching.entries(base, found_by, self._attributes(), 1)
            if not people:
                self._take_as_long(connection, password)
                return None
            connection.bind(people[0].dn, password)
            return self._login(people[0], searching)

    def again(self, user: str, deadline: float) -> Login:
        """The person as the directory has them now; needs no password of theirs."""
        base, found_by = self._settings.search_base or "", in_filter(self._settings.search_filter, user=user)
        with self._connected(deadline) as searching:
            self._bind_to_search(searching)
            people = searching.entries(base, found_by, self._attributes(), 1)
            if not people:
                raise Refused
            return self._login(people[0], searching)

    def _bind_to_search(self, connection: Connection) -> None:
        if self._settings.bind_dn is None or self._settings.bind_password is None:
            return
        try:
            connection.bind(self._settings.bind_dn, self._settings.bind_password.reveal())
        except Refused:
            raise Outage("it does not take bind_dn with bind_password") from None

    def _take_as_long(self, connection: Connection, password: str) -> None:
        """An unknown name costs the same steps as a wrong password, so that the time does not tell which names exist."""
        with suppress(Refused):
            connection.bind(f"cn={secrets.token_hex(8)},{self._settings.search_base}", password)

    def _login(self, person: Person, connection: Connection) -> Login:
        # As the directory writes it: it takes "Alice" and "ALICE " for alice, and rights must not depend on the spelling.
        user = person.value(self._settings.user_attribute)
        if not is_name(user) or user is None:
            raise Refused
        groups = frozenset(name for name in self._groups(person, user, connection) if is_name(name))
        roles = frozenset(self._settings.roles).union(*(self._roles.get(group, ()) for group in groups))
        searches = self._settings.user_dn is None  # without a search entry, people can be asked for with their passwords only
        return Login(Identity(user, roles, groups, "ldap", person.dn), renewer=_Again(self, self._places) if searches else None)

    def _groups(self, person: Person, user: str, connection: Connection) -> Iterator[str]:
        settings = self._settings
        if settings.member_of is not None:
            for dn in person.values(settings.member_of):
                name = first_name(dn)
                if name is not None and (settings.group_base is None or is_below(dn, settings.group_base)):
                    yield name
        elif settings.group_base is not None:
            found_by = in_filter(settings.group_filter, dn=person.dn, user=user)
            for group in connection.entries(settings.group_base, found_by, [settings.group_attribute], MOST_GROUPS):
                yield group.value(settings.group_attribute) or ""

    def _attributes(self) -> list[str]:
        return [self._settings.user_attribute, *([self._settings.member_of] if self._settings.member_of else [])]

    @contextmanager
    def _connected(self, deadline: float) -> Iterator[Connection]:
        settings = self._settings
        start_tls = settings.url.startswith("ldap:") and not settings.insecure
        connection = Connection(settings.url, start_tls=start_tls, ca_file=settings.ca_file, deadline=deadline)
        try:
            yield connection
        finally:
            connection.close()


class _Again(Renewer):
    """Somebody who is not found any more, or under another name, is not let in again; groups are those of now."""

    def __init__(self, provider: Ldap, places: threading.BoundedSemaphore) -> None:
        self._provider = provider
        self._places = places

    def renew(self, login: Login) -> Login:
        found = _Attempt(lambda deadline: self._provider.again(login.identity.user, deadline)).login(self._places)
        if found is None or found.identity.subject != login.identity.subject:
            raise Rejected
        return found


class _Attempt:
    """One log-in in a thread of its own: neither looking up a name in DNS nor a TLS handshake has a limit that could be set."""

    def __init__(self, ask: Callable[[float], Login | None]) -> None:
        """`ask` gets the moment until which it may take."""
        self._ask = ask
        self._deadline = time.monotonic() + TOTAL_SECONDS
        self._outcome: Login | Exception | None = Outage("it took too long")

    def login(self, places: threading.BoundedSemaphore) -> Login | None:
        if places.acquire(timeout=TOTAL_SECONDS):
            thread = threading.Thread(target=self._run, args=(places,), name="sqe-ldap-log-in", daemon=True)
            thread.start()
            thread.join(max(0.0, self._deadline - time.monotonic()) + 0.5)
        match self._outcome:
            case Refused() | Ambiguous():
                raise Rejected
            case Outage() as outage:
                log.error("the directory cannot be asked: %s", outage)
                raise SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "The directory cannot be asked at present")
            case Exception() as defect:
                raise defect
            case login:
                return login

    def _run(self, places: threading.BoundedSemaphore) -> None:
        try:
            self._outcome = self._ask(self._deadline)
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits
            self._outcome = error
        finally:
            places.release()


def _can_be_sent(text: str) -> bool:
    """UTF-8 without NUL: a directory that ends texts there would see an empty password, or another name."""
    try:
        return b"\0" not in text.encode("utf-8")
    except UnicodeEncodeError:
        return False
