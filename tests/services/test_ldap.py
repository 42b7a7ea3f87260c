"""LDAP log-ins against a real directory, by both ways in, over StartTLS and TLS."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from clients import Addresses
from waiting import eventually

from dev.services.stack import Stack
from sqe.config.providers import LdapGroupRoles, LdapProvider, StaticProvider, StaticUser
from sqe.config.sections import Auth
from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, ErrorCode, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import authenticator
from sqe.identity.provider import Password

pytest.importorskip("ldap", reason="pip install 'sqe[ldap]'")

from sqe.identity.ldap import MOST_AT_ONCE

ODD_NAME = "o,brien (x)*\\y"


@pytest.fixture(scope="module")
def directory(stack: Stack) -> dict[str, str]:
    addresses: Addresses = stack.up(["ldap"])
    return dict(addresses["ldap"])


@pytest.fixture(scope="module")
def by_binding(directory: dict[str, str]) -> LdapProvider:
    base = directory["base"]
    return LdapProvider(
        directory["ldap"],
        user_dn=f"uid={{user}},ou=people,{base}",
        group_base=f"ou=groups,{base}",
        roles=("person",),
        group_roles=(LdapGroupRoles("analysts", ("analyst",)), LdapGroupRoles("Data Admins, EU", ("admin", "auditor"))),
        ca_file=Path(directory["ca"]),
    )


@pytest.fixture(scope="module")
def by_searching(directory: dict[str, str], by_binding: LdapProvider) -> LdapProvider:
    return replace(
        by_binding,
        url=directory["ldaps"],
        user_dn=None,
        search_base=f"ou=people,{directory['base']}",
        bind_dn=directory["bind_dn"],
        bind_password=Secret(directory["bind_password"]),
    )


@pytest.fixture(params=["by_binding", "by_searching"])
def settings(request: pytest.FixtureRequest) -> LdapProvider:
    found: LdapProvider = request.getfixturevalue(request.param)
    return found


def log_in(settings: LdapProvider, user: str, password: str) -> Identity:
    return authenticator(Auth(providers=(settings,))).log_in(Password(user, Secret(password))).identity


def refusal(settings: LdapProvider, user: str, password: str) -> ErrorCode:
    with pytest.raises(SqeError) as caught:
        log_in(settings, user, password)
    return caught.value.code


def test_people_log_in_with_their_groups_and_roles(settings: LdapProvider) -> None:
    alice, bob = log_in(settings, "alice", "alice-password"), log_in(settings, "bob", "bob-password")
    assert (alice.user, alice.groups, alice.roles, alice.provider) == ("alice", {"analysts"}, {"person", "analyst"}, "ldap")
    assert (bob.groups, bob.roles) == ({"engineers", "Data Admins, EU"}, {"person", "admin", "auditor"})
    assert alice.subject == "uid=alice,ou=people,dc=example,dc=com"


def test_a_name_that_must_be_escaped_logs_in_with_its_groups(settings: LdapProvider) -> None:
    odd = log_in(settings, ODD_NAME, "brien-password")
    assert (odd.user, odd.groups) == (ODD_NAME, {"Data Admins, EU"})


def test_the_user_name_is_the_directorys_spelling(settings: LdapProvider) -> None:
    assert log_in(settings, "ALICE", "alice-password").user == "alice"


def test_groups_of_the_persons_own_entry_count_below_the_base(by_searching: LdapProvider) -> None:
    with_attribute = replace(by_searching, member_of="memberOf")
    assert log_in(with_attribute, "bob", "bob-password").groups == {"engineers", "Data Admins, EU"}
    elsewhere = replace(with_attribute, group_base="ou=other,dc=example,dc=com")
    assert log_in(elsewhere, "bob", "bob-password").groups == frozenset()
    anywhere = replace(with_attribute, group_base=None)
    assert log_in(anywhere, "alice", "alice-password").groups == {"analysts"}


REFUSED = {
    "wrong password": ("alice", "bob-password"),
    "password in another case": ("alice", "Alice-Password"),
    "unknown": ("eve", "alice-password"),
    "empty password": ("alice", ""),
    "empty password of an entry without one": ("nopass", ""),
    "a password for an entry without one": ("nopass", "x"),
    "everybody": ("*", "alice-password"),
    "the end of the filter": ("alice)(uid=*", "alice-password"),
    "another filter": ("*)(|(uid=alice", "alice-password"),
    "escaped in advance": ("\\61lice", "alice-password"),
    "another part of the tree": ("x,ou=groups", "alice-password"),
    "a second attribute": ("x+uid=alice", "alice-password"),
    "the DN itself": ("uid=alice,ou=people,dc=example,dc=com", "alice-password"),
    "the service entry": ("cn=reader,dc=example,dc=com", "reader-password"),
    "the service entry's name": ("reader", "reader-password"),
}


@pytest.mark.parametrize(("user", "password"), REFUSED.values(), ids=REFUSED.keys())
def test_nobody_else_gets_in(settings: LdapProvider, user: str, password: str) -> None:
    assert refusal(settings, user, password) is AUTHENTICATION_FAILED


def test_two_people_for_one_name_are_nobody(by_searching: LdapProvider) -> None:
    by_mail = replace(by_searching, search_filter="(mail={user})")
    assert log_in(by_mail, "alice@example.com", "alice-password").user == "alice"
    assert refusal(by_mail, "twin@example.com", "twin-password") is AUTHENTICATION_FAILED


def test_a_second_name_that_somebody_gave_themselves_is_not_theirs(by_searching: LdapProvider) -> None:
    assert log_in(by_searching, "root", "mallory-password").user == "mallory"


def test_somebody_unknown_to_the_search_is_left_to_the_next_provider(by_searching: LdapProvider) -> None:
    chain = authenticator(Auth(providers=(by_searching, StaticProvider((StaticUser("ops", Secret("break glass")),)))))
    assert chain.log_in(Password("ops", Secret("break glass"))).identity.provider == "static"


def test_an_unknown_name_takes_the_steps_of_a_known_one(by_searching: LdapProvider) -> None:
    """The directory itself may still take longer for a hash; here it has none, and what is measured are the steps."""

    def seconds(user: str) -> float:
        began = time.perf_counter()
        refusal(by_searching, user, "wrong")
        return time.perf_counter() - began

    seconds("alice")
    taken = {"alice": list[float](), "eve": list[float]()}
    for _ in range(9):
        for user, durations in taken.items():
            durations.append(seconds(user))
    known, unknown = median(taken["alice"]), median(taken["eve"])
    assert unknown > known / 2, taken


def test_a_directory_with_another_certificate_is_not_told_anything(settings: LdapProvider) -> None:
    assert refusal(replace(settings, ca_file=None), "alice", "alice-password") is IDENTITY_PROVIDER_UNAVAILABLE


def test_a_directory_under_another_name_is_not_told_anything(by_binding: LdapProvider) -> None:
    """The certificate is for the address."""
    elsewhere = replace(by_binding, url=by_binding.url.replace("127.0.0.1", "localhost"))
    assert refusal(elsewhere, "alice", "alice-password") is IDENTITY_PROVIDER_UNAVAILABLE


def test_a_file_of_authorities_that_cannot_be_read_is_an_outage(by_binding: LdapProvider, tmp_path: Path) -> None:
    assert refusal(replace(by_binding, ca_file=tmp_path / "no.pem"), "alice", "alice-password") is IDENTITY_PROVIDER_UNAVAILABLE


def test_a_service_entry_that_is_refused_is_an_outage_and_no_answer(by_searching: LdapProvider) -> None:
    assert refusal(replace(by_searching, bind_password=Secret("x")), "alice", "alice-password") is IDENTITY_PROVIDER_UNAVAILABLE


def test_an_outage_never_leads_to_a_weaker_provider(by_binding: LdapProvider) -> None:
    down = replace(by_binding, url="ldap://127.0.0.1:1")
    chain = authenticator(Auth(providers=(down, StaticProvider((StaticUser("alice", Secret("x")),)))))
    with pytest.raises(SqeError) as caught:
        chain.log_in(Password("alice", Secret("x")))
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE


@contextmanager
def listening(reads: list[bytes]) -> Iterator[int]:
    """Something that takes connections, reads, and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        connections: list[socket.socket] = []

        def read(connection: socket.socket) -> None:
            with connection, suppress(ConnectionResetError):
                connections.append(connection)
                while part := connection.recv(4096):
                    reads.append(part)

        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=read, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        for connection in connections:
            with suppress(OSError):  # the client has left already
                connection.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("scheme", ["ldap", "ldaps"])
def test_a_directory_that_never_answers_is_given_up_and_learns_no_password(settings: LdapProvider, scheme: str) -> None:
    reads: list[bytes] = []
    with listening(reads) as port:
        began = time.monotonic()
        silent = replace(settings, url=f"{scheme}://127.0.0.1:{port}")
        assert refusal(silent, "alice", "alice-password") is IDENTITY_PROVIDER_UNAVAILABLE
        assert time.monotonic() - began < 5
    assert reads  # the client has spoken
    assert b"alice" not in b"".join(reads)
    assert b"reader" not in b"".join(reads)


def test_a_directory_that_stalls_holds_a_bounded_number_of_threads_and_lets_go_of_them(by_binding: LdapProvider) -> None:
    def waiting() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "sqe-ldap-log-in"]

    eventually(lambda: waiting() == [])
    durations: list[float] = []
    with listening([]) as port:
        chain = authenticator(Auth(providers=(replace(by_binding, url=f"ldaps://127.0.0.1:{port}"),)))

        def attempt() -> None:
            began = time.monotonic()
            with pytest.raises(SqeError, match="The directory cannot be asked"):
                chain.log_in(Password("alice", Secret("alice-password")))
            durations.append(time.monotonic() - began)

        crowd = [threading.Thread(target=attempt) for _ in range(MOST_AT_ONCE + 8)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()
        assert len(durations) == MOST_AT_ONCE + 8
        assert max(durations) < 5
        assert len(waiting()) == MOST_AT_ONCE
    eventually(lambda: waiting() == [])


def test_no_thread_and_no_connection_is_left(settings: LdapProvider) -> None:
    import psutil

    log_in(settings, "alice", "alice-password")
    before = psutil.Process().num_fds(), threading.active_count()
    for _ in range(20):
        log_in(settings, "alice", "alice-password")
        refusal(settings, "alice", "wrong")
        refusal(settings, "eve", "wrong")
    assert (psutil.Process().num_fds(), threading.active_count()) <= before


def test_log_ins_come_back_with_the_directory(by_searching: LdapProvider, tmp_path: Path) -> None:
    own = Stack(tmp_path / "state")
    try:
        address = own.up(["ldap"])["ldap"]
        settings = replace(by_searching, url=address["ldaps"], ca_file=Path(address["ca"]))
        assert log_in(settings, "alice", "alice-password").user == "alice"
        own.stop(["ldap"])
        began = time.monotonic()
        assert refusal(settings, "alice", "alice-password") is IDENTITY_PROVIDER_UNAVAILABLE
        assert time.monotonic() - began < 5
        own.up(["ldap"])
        assert log_in(settings, "alice", "alice-password").user == "alice"
    finally:
        own.down()
