"""The words of LDAP: a connection that is secured before anything is said on it, and names that cannot leave their place.

The only module that imports python-ldap. What it raises is `Refused`, `Ambiguous` or `Outage`; the texts of a directory's own
messages stay here, since some say why a password was not taken.
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import ldap
import ldap.dn
import ldap.filter

CONNECT_SECONDS = 2.0

# What a directory answers when it does not take a name and a password: wrong, unknown, locked, expired, not for logging in.
_REFUSALS = (
    ldap.INVALID_CREDENTIALS,
    ldap.INAPPROPRIATE_AUTH,
    ldap.INSUFFICIENT_ACCESS,
    ldap.NO_SUCH_OBJECT,
    ldap.INVALID_DN_SYNTAX,
    ldap.CONSTRAINT_VIOLATION,
    ldap.UNWILLING_TO_PERFORM,
)
# So that a directory whose machine is gone hangs up on whoever still waits for it.
_KEEPALIVE = {ldap.OPT_X_KEEPALIVE_IDLE: 5, ldap.OPT_X_KEEPALIVE_PROBES: 3, ldap.OPT_X_KEEPALIVE_INTERVAL: 5}


class Refused(Exception):
    """The directory does not take this name with this password."""


class Ambiguous(Exception):
    """More entries than may be."""


class Outage(Exception):
    """The directory cannot be asked; the text is for the log, without a word of the directory's own."""


class Person(NamedTuple):
    """An entry of the directory."""

    dn: str
    attributes: Mapping[str, Sequence[bytes]]

    def values(self, attribute: str) -> list[str]:
        """Those that are text. Attribute names do not depend on case."""
        found = next((values for name, values in self.attributes.items() if name.lower() == attribute.lower()), ())
        return [value.decode("utf-8") for value in found if _is_utf8(value)]

    def value(self, attribute: str) -> str | None:
        """The one value; of several the one in the entry's own name, which people cannot give themselves."""
        values = self.values(attribute)
        if len(values) == 1:
            return values[0]
        named = first_name(self.dn, attribute)
        return named if named in values else None


def in_dn(template: str, user: str) -> str:
    """RFC 4514: the name is one value, whatever it holds."""
    escaped: str = ldap.dn.escape_dn_chars(user)
    return template.replace("{user}", escaped)


def in_filter(template: str, **words: str) -> str:
    """RFC 4515: the same for filters. In one go, so that a name that looks like a word stays a name."""
    escaped = {name: ldap.filter.escape_filter_chars(value) for name, value in words.items()}
    parts: Iterator[str] = iter(template.split("{"))
    found = next(parts)
    for part in parts:
        word, closed, rest = part.partition("}")
        found += escaped[word] + rest if closed and word in escaped else "{" + part
    return found


def first_name(dn: str, attribute: str = "") -> str | None:
    """The value of a DN's first part, if it is of this attribute (of any, when none is given); None when it is no DN."""
    try:
        parts = ldap.dn.str2dn(dn)
    except ldap.DECODING_ERROR:
        return None
    found = (value for name, value, _ in (parts[0] if parts else ()) if not attribute or name.lower() == attribute.lower())
    return next(found, None)


def is_below(dn: str, base: str) -> bool:
    try:
        steps, above = (
            [sorted((name.lower(), value.lower()) for name, value, _ in part) for part in ldap.dn.str2dn(each)]
            for each in (dn, base)
        )
    except ldap.DECODING_ERROR:
        return False
    return len(steps) > len(above) and steps[len(steps) - len(above) :] == above


class Connection:
    """One connection to the directory, with one time limit for all that is done on it."""

    def __init__(self, url: str, *, start_tls: bool, ca_file: Path | None, deadline: float) -> None:
        self._deadline = deadline
        self._link: Any = ldap.initialize(url)
        # A referral would send the password to whatever host an entry names.
        self._link.set_option(ldap.OPT_REFERRALS, ldap.OPT_OFF)
        for option, value in _KEEPALIVE.items():
            self._link.set_option(option, value)
        self._link.set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_DEMAND)
        self._link.set_option(ldap.OPT_X_TLS_PROTOCOL_MIN, ldap.OPT_X_TLS_PROTOCOL_TLS1_2)
        authorities = ca_file or ssl.get_default_verify_paths().cafile
        if authorities is not None and (ca_file is not None or os.path.exists(authorities)):
            self._link.set_option(ldap.OPT_X_TLS_CACERTFILE, str(authorities))
        with self._answering():
            self._link.set_option(ldap.OPT_X_TLS_NEWCTX, 0)  # makes the settings above count; reads the file
            if start_tls:
                self._link.start_tls_s()

    def bind(self, dn: str, password: str) -> None:
        """`Refused` when the directory does not take it. An empty password would be no question at all (RFC 4513, 5.1.2)."""
        if not dn or not password:
            raise Refused
        with self._answering():
            try:
                self._link.simple_bind_s(dn, password)
            except _REFUSALS:
                raise Refused from None

    def entry(self, dn: str, attributes: Sequence[str]) -> Person | None:
        found = self._search(dn, ldap.SCOPE_BASE, "(objectClass=*)", attributes, 1)
        return found[0] if found else None

    def entries(self, base: str, filter_text: str, attributes: Sequence[str], most: int) -> list[Person]:
        return self._search(base, ldap.SCOPE_SUBTREE, filter_text, attributes, most)

    def _search(self, base: str, scope: int, filter_text: str, attributes: Sequence[str], most: int) -> list[Person]:
        with self._answering():
            try:
                found = self._link.search_ext_s(base, scope, filter_text, list(attributes), timeout=self._left(), sizelimit=most)
            except (ldap.NO_SUCH_OBJECT, ldap.INSUFFICIENT_ACCESS):
                return []
            except ldap.SIZELIMIT_EXCEEDED:
                raise Ambiguous from None
        return [Person(dn, values) for dn, values in found if dn is not None]  # without a DN: a referral

    def close(self) -> None:
        """Says good-bye without waiting for anything."""
        with suppress(ldap.LDAPError):
            self._link.unbind_s()

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise Outage("it took too long")
        return left

    @contextmanager
    def _answering(self) -> Iterator[None]:
        left = self._left()
        self._link.set_option(ldap.OPT_TIMEOUT, left)
        self._link.set_option(ldap.OPT_NETWORK_TIMEOUT, min(left, CONNECT_SECONDS))
        try:
            yield
        except ldap.LDAPError as error:
            raise Outage(type(error).__name__) from None
        except ValueError:  # python-ldap's answer to a setting that the TLS library does not take
            raise Outage("TLS cannot be set up: is ca_file right?") from None


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
