"""From a client's certificate to a user."""

from __future__ import annotations

from pathlib import Path

import pytest
from authority import Authority
from cryptography import x509

from sqe.config.providers import AnonymousProvider, MtlsProvider, MtlsRule
from sqe.config.sections import Auth
from sqe.config.values import Secret
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import authenticator
from sqe.identity.mtls import Mtls
from sqe.identity.provider import Bearer, Certificate, Nothing, Password, Rejected

SPIFFE = MtlsRule("uri", "spiffe://lake/ns/*/sa/*", "$2.$1", ("service", "of-$1"), ("$1",))


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def who(authority: Authority, rules: list[MtlsRule], name: str, *alternative: x509.GeneralName) -> Identity | None:
    login = Mtls(MtlsProvider(tuple(rules))).identify(Certificate(authority.client(name, *alternative, file="c").der))
    return login.identity if login else None


def uri(text: str) -> x509.GeneralName:
    return x509.UniformResourceIdentifier(text)


def test_a_spiffe_id_becomes_user_roles_and_groups(authority: Authority) -> None:
    found = who(authority, [SPIFFE], "x", uri("spiffe://lake/ns/etl/sa/loader"))
    expected = Identity(
        "loader.etl", frozenset({"service", "of-etl"}), frozenset({"etl"}), "mtls", "uri:spiffe://lake/ns/etl/sa/loader"
    )
    assert found == expected


@pytest.mark.parametrize(
    ("rule", "name", "alternative", "user"),
    [
        (MtlsRule("cn", "*"), "Ada Lovelace", [], "Ada Lovelace"),
        (MtlsRule("cn", "svc-*", "$1"), "svc-etl", [], "etl"),
        (MtlsRule("cn", "svc-*", "$1"), "xsvc-etl", [], None),
        (MtlsRule("cn", "svc-*", "$1"), "svc-", [], None),
        (MtlsRule("cn", "a.c"), "abc", [], None),  # a dot is a dot
        (MtlsRule("cn", "ada"), "Ada", [], None),
        (MtlsRule("email", "*@example.com", "$1"), "x", [x509.RFC822Name("jane.doe@example.com")], "jane.doe"),
        (MtlsRule("email", "*@example.com", "$1"), "x", [x509.RFC822Name("jane@eu.example.com")], None),
        (MtlsRule("email", "*@example.com", "$1"), "root@example.com", [], None),  # in the subject, not in the field
        (MtlsRule("dns", "*.etl.example.com", "$1"), "x", [x509.DNSName("a.etl.example.com")], "a"),
        (MtlsRule("dns", "*.etl.example.com", "$1"), "x", [x509.DNSName("A.ETL.Example.com")], "A"),
        (MtlsRule("dns", "*.etl.example.com", "$1"), "x", [x509.DNSName("b.a.etl.example.com")], None),
        (MtlsRule("uri", "spiffe://lake/*"), "x", [uri("spiffe://lake/a/b")], None),
        (MtlsRule("uri", "spiffe://lake/*"), "x", [uri("spiffe://lake.evil/a")], None),
        (MtlsRule("uri", "spiffe://lake/*"), "x", [x509.DNSName("a"), uri("spiffe://lake/a")], "spiffe://lake/a"),
        (MtlsRule("cn", "*"), "admin\n", [], None),
        (MtlsRule("cn", "*"), "admin\x00x", [], None),
    ],
)
def test_rules(authority: Authority, rule: MtlsRule, name: str, alternative: list[x509.GeneralName], user: str | None) -> None:
    found = who(authority, [rule], name, *alternative)
    assert (found.user if found else None) == user


def test_the_first_rule_that_fits_is_used(authority: Authority) -> None:
    rules = [MtlsRule("cn", "root", roles=("admin",)), MtlsRule("cn", "*", roles=("user",))]
    assert [who(authority, rules, name).roles for name in ("root", "other")] == [{"admin"}, {"user"}]  # type: ignore[union-attr]


def test_a_certificate_that_would_be_two_users_is_rejected(authority: Authority) -> None:
    with pytest.raises(Rejected):
        who(authority, [SPIFFE], "x", uri("spiffe://lake/ns/a/sa/b"), uri("spiffe://lake/ns/c/sa/d"))


def test_an_expired_certificate_is_rejected(authority: Authority) -> None:
    provider = Mtls(MtlsProvider((MtlsRule("cn", "*"),)))
    with pytest.raises(Rejected):
        provider.identify(Certificate(authority.client("ada", days=-1).der))


def test_other_credentials_are_not_this_provider_s() -> None:
    provider = Mtls(MtlsProvider((MtlsRule("cn", "*"),)))
    assert [provider.identify(each) for each in (Nothing(), Bearer(Secret("t")), Password("ada", Secret("p")))] == [None] * 3


def test_a_certificate_without_a_rule_never_becomes_anonymous(authority: Authority) -> None:
    chain = authenticator(Auth(providers=(MtlsProvider((MtlsRule("cn", "ada"),)), AnonymousProvider())))
    assert chain.log_in(Certificate(authority.client("ada").der)).identity.user == "ada"
    with pytest.raises(SqeError, match="AUTHENTICATION_FAILED"):
        chain.log_in(Certificate(authority.client("bob").der))
