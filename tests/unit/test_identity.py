"""Who gets in, and that those who do not learn nothing."""

from __future__ import annotations

import logging
import time
from statistics import median

import pytest
from argon2 import PasswordHasher

from sqe.config.providers import AnonymousProvider, StaticProvider, StaticUser
from sqe.config.sections import Auth
from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import Authenticator, authenticator
from sqe.identity.provider import Bearer, Nothing, Password

QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
ROOT = StaticUser("root", Secret("secret"), roles=("admin",))
ALICE = StaticUser("alice", Secret(QUICK.hash("wonderland")), roles=("analyst",), groups=("eu",))
STATIC = StaticProvider((ROOT, ALICE))
ANONYMOUS = AnonymousProvider("guest", roles=("reader",))


class Chain:
    """The provider chain, by what a client can present."""

    def __init__(self, authenticator: Authenticator) -> None:
        self._authenticator = authenticator

    def password(self, user: str, password: str) -> Identity:
        return self._authenticator.log_in(Password(user, Secret(password))).identity

    def bearer(self, token: str) -> Identity:
        return self._authenticator.log_in(Bearer(Secret(token))).identity

    def anonymous(self) -> Identity:
        return self._authenticator.log_in(Nothing()).identity


def chain(*providers: StaticProvider | AnonymousProvider) -> Chain:
    return Chain(authenticator(Auth(providers=providers)))


def test_a_static_user_logs_in_with_a_plain_password() -> None:
    assert chain(STATIC).password("root", "secret") == Identity("root", frozenset({"admin"}), frozenset(), "static")


def test_a_static_user_logs_in_with_a_hashed_password() -> None:
    assert chain(STATIC).password("alice", "wonderland") == Identity("alice", frozenset({"analyst"}), frozenset({"eu"}), "static")


REFUSED = {
    "wrong plain password": ("root", "Secret"),
    "wrong hashed password": ("alice", "secret"),
    "the hash itself": ("alice", ALICE.password.reveal()),
    "unknown user": ("mallory", "secret"),
    "empty name and password": ("", ""),
    "empty password": ("root", ""),
    "name in another case": ("ROOT", "secret"),
    "password with a surrogate": ("alice", "\udcff"),
    "plain password with a surrogate": ("root", "\udcff"),
    "endless password": ("alice", "x" * 1_000_000),
}


@pytest.mark.parametrize(("user", "password"), REFUSED.values(), ids=REFUSED.keys())
def test_everybody_else_gets_one_opaque_answer(user: str, password: str) -> None:
    with pytest.raises(SqeError) as caught:
        chain(STATIC).password(user, password)
    assert caught.value.code is AUTHENTICATION_FAILED
    assert str(caught.value) == "AUTHENTICATION_FAILED: Authentication failed"


def test_without_providers_nobody_gets_in() -> None:
    for attempt in (lambda: chain().anonymous(), lambda: chain().password("root", "secret"), lambda: chain().bearer("t")):
        with pytest.raises(SqeError, match="Authentication failed"):
            attempt()


def test_anonymous_takes_those_without_credentials_under_its_own_name() -> None:
    guest = Identity("guest", frozenset({"reader"}), provider="anonymous")
    assert chain(ANONYMOUS).anonymous() == guest
    assert chain(ANONYMOUS).password("root", "") == guest


@pytest.mark.parametrize("providers", [(ANONYMOUS,), (STATIC, ANONYMOUS)], ids=["alone", "behind static"])
def test_a_wrong_password_never_becomes_an_anonymous_log_in(providers: tuple[StaticProvider | AnonymousProvider, ...]) -> None:
    for attempt in (("root", "wrong"), ("mallory", "guess")):
        with pytest.raises(SqeError, match="Authentication failed"):
            chain(*providers).password(*attempt)
    with pytest.raises(SqeError, match="Authentication failed"):
        chain(*providers).bearer("some token")


def test_a_rejection_stops_the_chain_and_not_mine_goes_on() -> None:
    second = StaticProvider((StaticUser("root", Secret("other")), StaticUser("bob", Secret("builder"))))
    both = chain(StaticProvider((ROOT,)), second)
    assert both.password("bob", "builder").user == "bob"
    with pytest.raises(SqeError, match="Authentication failed"):
        both.password("root", "other")


def test_a_failed_log_in_is_logged_without_the_password(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(SqeError):
        chain(STATIC).password("root", "my dog's name")
    (record,) = caplog.records
    assert record.__dict__["user"] == "root"
    assert "dog" not in str(record.__dict__)


def test_an_unknown_name_takes_as_long_as_a_known_one() -> None:
    slow = PasswordHasher(time_cost=2, memory_cost=16 * 1024, parallelism=1)
    users = chain(StaticProvider((ROOT, StaticUser("alice", Secret(slow.hash("wonderland"))))))

    def duration(user: str) -> float:
        start = time.thread_time()
        with pytest.raises(SqeError):
            users.password(user, "guess")
        return time.thread_time() - start

    taken = {user: median(duration(user) for _ in range(5)) for user in ("alice", "root", "mallory")}
    assert max(taken.values()) < 3 * min(taken.values()), taken
