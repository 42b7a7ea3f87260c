"""LDAP without a directory: names that try to leave their place, groups, settings that would let the wrong people in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from sqe.config.providers import LdapGroupRoles, LdapProvider
from sqe.config.values import Secret
from sqe.identity.provider import Bearer, Nothing, Password, Rejected

pytest.importorskip("ldap", reason="pip install 'sqe[ldap]'")

from sqe.identity.ldap import Ldap
from sqe.identity.ldap_directory import Person, first_name, in_dn, in_filter, is_below

PEOPLE = "ou=people,dc=example,dc=com"
TEMPLATE = f"uid={{user}},{PEOPLE}"

# Nobody listens there: what gets as far as asking it is an outage, which is not among the outcomes that these tests accept.
NOWHERE = "ldaps://127.0.0.1:1"

HOSTILE = [
    "alice,ou=admins",
    "alice+uid=root",
    "alice\\",
    "\\2c",
    '"alice"',
    "<alice>",
    "alice;uid=root",
    "#1234",
    " alice ",
    "=",
    "alice\0",
    "é\u2028",
    "{user}",
    "x" * 300,
]


@pytest.mark.parametrize("user", HOSTILE)
def test_a_name_in_a_dn_stays_one_value(user: str) -> None:
    import ldap.dn

    parts = ldap.dn.str2dn(in_dn(TEMPLATE, user))
    assert [[name for name, _, _ in part] for part in parts] == [["uid"], ["ou"], ["dc"], ["dc"]]
    assert parts[0][0][1] == user


@pytest.mark.parametrize("user", [*HOSTILE, "*", "*)(uid=*", "a)(|(uid=*", "\\2a", "a*b(c)d\\e"])
def test_a_name_in_a_filter_stays_one_value(user: str) -> None:
    found = in_filter("(&(objectClass=person)(uid={user}))", user=user)
    value = found.removeprefix("(&(objectClass=person)(uid=").removesuffix("))")
    assert not set(value) & set("*()\0")
    assert _unescaped(value) == user


def _unescaped(value: str) -> str:
    """As RFC 4515 reads it."""
    import re

    return re.sub(r"\\([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), value)


def test_words_of_a_filter_are_filled_in_once() -> None:
    template = "(|(member={dn})(memberUid={user})(x={y})(z={)"
    assert in_filter(template, dn="{user}", user="{dn}") == "(|(member={user})(memberUid={dn})(x={y})(z={)"


@pytest.mark.parametrize(
    ("dn", "name"),
    [
        ("cn=analysts,ou=groups,dc=example,dc=com", "analysts"),
        (r"cn=Data Admins\, EU,ou=groups", "Data Admins, EU"),
        (r"CN=a\2Bb,OU=x", "a+b"),
        ("analysts", None),
        ("", None),
        ("cn=", ""),
    ],
)
def test_the_name_of_a_group_is_the_first_part_of_its_dn(dn: str, name: str | None) -> None:
    assert first_name(dn) == name


@pytest.mark.parametrize(
    ("dn", "below"),
    [
        ("cn=a,ou=groups,dc=example,dc=com", True),
        ("CN=a, OU=Groups, DC=example,DC=com", True),
        ("cn=a,ou=eu,ou=groups,dc=example,dc=com", True),
        ("ou=groups,dc=example,dc=com", False),
        ("cn=a,ou=evil,dc=example,dc=com", False),
        (r"cn=a\,ou=groups,dc=example,dc=com", False),
        ("cn=a,xou=groups,dc=example,dc=com", False),
        ("nonsense", False),
    ],
)
def test_groups_elsewhere_in_the_directory_are_told_apart(dn: str, below: bool) -> None:
    assert is_below(dn, "ou=groups,dc=example,dc=com") is below


def test_of_several_values_the_one_in_the_entrys_own_name_counts() -> None:
    person = Person(
        f"uid=mallory,{PEOPLE}", {"UID": [b"root", b"mallory"], "mail": [b"a", b"b"], "cn": [b"\xff"], "sn": [b"one"]}
    )
    assert person.value("uid") == "mallory"
    assert person.value("sn") == "one"
    for attribute in ("mail", "cn", "missing"):
        assert person.value(attribute) is None


def direct() -> Ldap:
    return Ldap(LdapProvider(NOWHERE, user_dn=TEMPLATE))


def test_without_a_name_or_a_password_nothing_is_asked() -> None:
    for credentials in (Password("alice", Secret("")), Password("", Secret("x")), Bearer(Secret("x")), Nothing()):
        assert direct().identify(credentials) is None


NEVER_SENT = {
    "a NUL in the password": ("alice", "\0"),
    "a NUL behind the password": ("alice", "secret\0"),
    "a NUL in the name": ("alice\0", "secret"),
    "a line feed in the name": ("alice\nroot", "secret"),
    "a space behind the name": ("alice ", "secret"),
    "a name of spaces": ("  ", "secret"),
    "an endless name": ("a" * 100_000, "secret"),
    "an endless password": ("alice", "x" * 1_000_000),
    "a surrogate in the name": ("\udcff", "secret"),
    "a surrogate in the password": ("alice", "\udcff"),
}


@pytest.mark.parametrize(("user", "password"), NEVER_SENT.values(), ids=NEVER_SENT.keys())
def test_what_no_person_types_is_rejected_without_asking(user: str, password: str) -> None:
    with pytest.raises(Rejected):
        direct().identify(Password(user, Secret(password)))


GOOD: dict[str, Any] = {"url": "ldaps://ldap.example.com", "user_dn": TEMPLATE}
SEARCH: dict[str, Any] = {"url": "ldaps://ldap.example.com", "search_base": PEOPLE}
CONTRADICTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "http": ({**GOOD, "url": "http://ldap.example.com"}, "needs a 'url' such as ldaps://"),
    "a path": ({**GOOD, "url": "ldaps://ldap.example.com/dc=x"}, "without a path"),
    "a unix socket": ({**GOOD, "url": "ldapi:///run/slapd"}, "needs a 'url' such as ldaps://"),
    "insecure TLS": ({**GOOD, "insecure": True}, "never plain"),
    "neither way": ({"url": "ldaps://a"}, "either 'user_dn' or 'search_base'"),
    "both ways": ({**GOOD, "search_base": PEOPLE}, "either 'user_dn' or 'search_base'"),
    "everybody is one person": ({**GOOD, "user_dn": "cn=admin"}, "everybody would be the same person"),
    "a filter without the name": ({**SEARCH, "search_filter": "(uid=*)"}, "everybody would be the same person"),
    "a group filter for all": ({**GOOD, "group_filter": "(objectClass=group)"}, "everybody would be in all groups"),
    "no password to search with": ({**SEARCH, "bind_dn": "cn=x"}, "without the other"),
    "a searcher for nobody": ({**GOOD, "bind_dn": "cn=x", "bind_password": Secret("x")}, "need nobody to search"),
    "roles of no groups": ({**GOOD, "group_roles": (LdapGroupRoles("a", ("b",)),)}, "so nobody has groups"),
}


@pytest.mark.parametrize(("keys", "sentence"), CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_a_wrong_set_up_is_refused(keys: dict[str, Any], sentence: str) -> None:
    assert sentence in " ".join(text for _, text in LdapProvider(**keys).contradictions())


@pytest.mark.parametrize(
    "keys", [GOOD, SEARCH, {**GOOD, "url": "ldap://[::1]:389"}, {**SEARCH, "bind_dn": "cn=x", "bind_password": Secret("x")}]
)
def test_a_right_set_up_is_taken(keys: dict[str, Any]) -> None:
    assert not list(LdapProvider(**keys).contradictions())


def test_a_missing_package_is_told_by_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = [path for path in sys.path if not (Path(path) / "ldap").is_dir()]
    for name in [name for name in sys.modules if name == "ldap" or name.startswith("ldap.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", installed)
    assert [text for _, text in LdapProvider(**GOOD).contradictions()] == [
        "needs the package python-ldap, which is not installed: pip install 'sqe[ldap]'"
    ]
