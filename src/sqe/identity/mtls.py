"""Client certificates, verified by the TLS handshake: which user each one stands for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from sqe.config.providers import MtlsProvider, MtlsRule
from sqe.identity import Identity
from sqe.identity.login import Login
from sqe.identity.provider import Certificate, Credentials, Provider, Rejected

if TYPE_CHECKING:
    from cryptography import x509

# What a star does not reach over: a rule for one host, domain or path must not fit others.
_STAR = {"cn": ".+", "dns": "[^.]+", "email": "[^@]+", "uri": "[^/]+"}


class Mtls(Provider):
    """A certificate that no rule fits is not this provider's, and no other takes certificates but another `mtls`."""

    def __init__(self, settings: MtlsProvider, clock: Callable[[], float] = time.time) -> None:
        self._rules = [(rule, _compiled(rule)) for rule in settings.rules]
        self._clock = clock

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Certificate):
            return None
        from cryptography import x509  # 30 ms of imports that only this provider needs

        try:
            return self._identified(x509.load_der_x509_certificate(credentials.der))
        except ValueError:  # OpenSSL reads certificates that are not quite well-formed
            raise Rejected from None

    def _identified(self, certificate: x509.Certificate) -> Login | None:
        # The handshake has looked at it, but a connection can be older than its certificate may get.
        if not certificate.not_valid_before_utc.timestamp() <= self._clock() < certificate.not_valid_after_utc.timestamp():
            raise Rejected
        for rule, pattern in self._rules:
            found = {_identity(rule, match) for value in _values(certificate, rule.field) if (match := pattern.fullmatch(value))}
            if len(found) > 1:  # two names in one certificate that this rule would make two users of
                raise Rejected
            if found:
                return Login(found.pop())
        return None


def _compiled(rule: MtlsRule) -> re.Pattern[str]:
    flags = re.DOTALL if rule.field in ("cn", "uri") else re.IGNORECASE  # names of hosts do not depend on case
    return re.compile("".join(f"({_STAR[rule.field]})" if part == "*" else re.escape(part) for part in _parts(rule)), flags)


def _parts(rule: MtlsRule) -> list[str]:
    return re.split(r"(\*)", rule.pattern)


def _identity(rule: MtlsRule, match: re.Match[str]) -> Identity:
    return Identity(
        _filled(rule.user, match),
        frozenset(_filled(role, match) for role in rule.roles),
        frozenset(_filled(group, match) for group in rule.groups),
        provider="mtls",
        subject=f"{rule.field}:{match[0]}",
    )


def _filled(template: str, match: re.Match[str]) -> str:
    return re.sub(r"\$(\d+)", lambda number: match[int(number[1])], template)


def _values(certificate: x509.Certificate, field: str) -> Iterator[str]:
    """What the certificate says in a field. Values that are no printable text name nobody."""
    return (value for value in _raw_values(certificate, field) if value.isprintable())


def _raw_values(certificate: x509.Certificate, field: str) -> Sequence[str]:
    from cryptography import x509

    if field == "cn":
        return [str(each.value) for each in certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)]
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    match field:
        case "email":
            return names.get_values_for_type(x509.RFC822Name)
        case "dns":
            return names.get_values_for_type(x509.DNSName)
        case _:
            return names.get_values_for_type(x509.UniformResourceIdentifier)
