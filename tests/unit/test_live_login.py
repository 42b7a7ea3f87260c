"""A session's log-in over time: renewed before it expires, through outages, and ended when it must be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import CatalogIdentity, SessionBearer, StaticToken
from sqe.identity.live import RETRY_SECONDS, LiveLogin
from sqe.identity.login import NEVER, Login, Renewer, Tokens
from sqe.identity.provider import Rejected

ALICE = Identity("alice", frozenset({"analyst"}), provider="oidc_password", subject="alice-1")
OUTAGE = SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "The identity provider does not answer")
LIFE = 60.0


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Provider(Renewer):
    """Renews as often as it is asked, unless a test says otherwise."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.asked = 0
        self.identity = ALICE
        self.failure: Exception | None = None

    def tokens(self) -> Tokens:
        return Tokens(Secret(f"access-{self.asked}"), self._clock.now + LIFE, Secret("refresh"), self._clock.now)

    def login(self) -> Login:
        return Login(self.identity, self.tokens(), self)

    def renew(self, login: Login) -> Login:
        self.asked += 1
        if self.failure is not None:
            raise self.failure
        return self.login()


class Exchanging(CatalogIdentity):
    """Gives a catalog a token of its own for each of the user's."""

    def __init__(self, clock: Clock, life: float = LIFE) -> None:
        self._clock = clock
        self._life = life
        self.asked = 0
        self.failure: Exception | None = None

    def tokens(self, login: Login) -> Tokens | None:
        self.asked += 1
        if self.failure is not None:
            raise self.failure
        assert login.tokens is not None
        return Tokens(Secret(f"for {login.tokens.access.reveal()} #{self.asked}"), self._clock.now + self._life)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def provider(clock: Clock) -> Provider:
    return Provider(clock)


def live(clock: Clock, login: Login, **catalogs: CatalogIdentity) -> LiveLogin:
    return LiveLogin(login, catalogs, interval_seconds=300, clock=clock)


def shown(login: LiveLogin) -> dict[str, str]:
    login.keep()
    return login.catalog_tokens()


def test_a_token_is_kept_while_it_is_young_and_renewed_before_it_expires(clock: Clock, provider: Provider) -> None:
    login = live(clock, provider.login(), lake=SessionBearer())
    assert shown(login) == {"lake": "access-0"}
    clock.now += LIFE * 0.6
    assert shown(login) == {"lake": "access-0"}
    version = login.version
    clock.now += LIFE * 0.1
    assert shown(login) == {"lake": "access-1"}
    assert login.version > version
    assert provider.asked == 1


def test_a_long_token_is_renewed_at_every_interval(clock: Clock, provider: Provider) -> None:
    long = replace(provider.login(), tokens=Tokens(Secret("long"), clock.now + 86400, Secret("refresh"), clock.now))
    login = live(clock, long, lake=SessionBearer())
    clock.now += 299
    assert shown(login) == {"lake": "long"}
    clock.now += 1
    assert shown(login) == {"lake": "access-1"}


def test_an_outage_does_not_disturb_while_the_token_is_good(clock: Clock, provider: Provider) -> None:
    login = live(clock, provider.login(), lake=SessionBearer())
    login.keep()
    provider.failure = OUTAGE
    clock.now += LIFE * 0.7
    assert shown(login) == {"lake": "access-0"}
    assert shown(login) == {"lake": "access-0"}
    assert provider.asked == 1, "a provider that is down is not asked with every statement"
    provider.failure = None
    clock.now += RETRY_SECONDS
    assert shown(login) == {"lake": "access-2"}


def test_an_outage_after_the_end_stops_statements_until_it_is_over(clock: Clock, provider: Provider) -> None:
    login = live(clock, provider.login(), lake=SessionBearer())
    login.keep()
    provider.failure = OUTAGE
    clock.now += LIFE
    for _ in range(2):
        with pytest.raises(SqeError) as caught:
            login.keep()
        assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    assert login.catalog_tokens() == {}
    assert login.ended is None
    provider.failure = None
    clock.now += RETRY_SECONDS
    assert shown(login) == {"lake": f"access-{provider.asked}"}


def ended(login: LiveLogin) -> SqeError:
    with pytest.raises(SqeError) as caught:
        login.keep()
    assert caught.value.code is AUTHENTICATION_FAILED
    assert login.ended is caught.value
    assert login.catalog_tokens() == {}
    return caught.value


def test_a_rejection_ends_it_for_good(clock: Clock, provider: Provider) -> None:
    login = live(clock, provider.login(), lake=SessionBearer())
    login.keep()
    provider.failure = Rejected()
    clock.now += LIFE * 0.7
    first = ended(login)
    assert str(first) == "AUTHENTICATION_FAILED: The session has ended: its log-in could not be renewed [log in again]"
    provider.failure = None
    assert ended(login) is first
    assert provider.asked == 1


def test_without_a_renewer_it_ends_with_its_token(clock: Clock) -> None:
    login = live(clock, Login(ALICE, Tokens(Secret("own"), clock.now + LIFE)), lake=SessionBearer())
    clock.now += LIFE - 1
    assert shown(login) == {"lake": "own"}
    clock.now += 1
    assert "its token has expired" in str(ended(login))


def test_a_renewal_brings_the_roles_of_now(clock: Clock, provider: Provider) -> None:
    login = live(clock, provider.login())
    provider.identity = replace(ALICE, roles=frozenset({"intern"}))
    login.keep()
    assert login.identity.roles == {"analyst"}
    clock.now += LIFE * 0.7
    login.keep()
    assert login.identity.roles == {"intern"}


def test_a_renewal_to_another_user_ends_it(clock: Clock, provider: Provider) -> None:
    login = live(clock, provider.login(), lake=SessionBearer())
    login.keep()
    provider.identity = replace(ALICE, user="bob", subject="bob-2")
    clock.now += LIFE * 0.7
    ended(login)
    assert login.identity == ALICE


def test_each_catalog_gets_its_own_token(clock: Clock, provider: Provider) -> None:
    login = live(clock, provider.login(), lake=SessionBearer(), sales=Exchanging(clock), files=StaticToken(Secret("shared")))
    assert shown(login) == {"lake": "access-0", "sales": "for access-0 #1", "files": "shared"}
    version = login.version
    assert shown(login) == {"lake": "access-0", "sales": "for access-0 #1", "files": "shared"}
    assert login.version == version
    clock.now += LIFE * 0.7
    assert shown(login) == {"lake": "access-1", "sales": "for access-1 #2", "files": "shared"}


def test_a_catalogs_token_of_a_shorter_life_is_renewed_by_itself(clock: Clock, provider: Provider) -> None:
    sales = Exchanging(clock, life=15)
    login = live(clock, provider.login(), sales=sales)
    login.keep()
    clock.now += 11
    assert shown(login) == {"sales": "for access-0 #2"}
    assert provider.asked == 0


FAILURES: dict[str, Callable[[], Exception]] = {"refused": Rejected, "unreachable": lambda: OUTAGE}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
def test_a_catalog_that_gets_no_token_is_closed_and_the_others_are_not(
    clock: Clock, provider: Provider, failure: Callable[[], Exception]
) -> None:
    sales = Exchanging(clock)
    sales.failure = failure()
    login = live(clock, provider.login(), lake=SessionBearer(), sales=sales)
    assert shown(login) == {"lake": "access-0"}
    sales.failure = None
    clock.now += LIFE * 0.7
    assert set(shown(login)) == {"lake", "sales"}


def test_a_catalogs_token_is_kept_through_an_outage_and_not_longer_than_it_lives(clock: Clock, provider: Provider) -> None:
    sales = Exchanging(clock, life=15)
    login = live(clock, provider.login(), lake=SessionBearer(), sales=sales)
    login.keep()
    sales.failure = OUTAGE
    clock.now += 11
    assert shown(login) == {"lake": "access-0", "sales": "for access-0 #1"}
    clock.now += 4
    assert shown(login) == {"lake": "access-0"}


def test_users_without_tokens_show_none(clock: Clock) -> None:
    login = live(clock, Login(Identity("root", provider="static")), lake=SessionBearer(), files=StaticToken(Secret("shared")))
    assert shown(login) == {"files": "shared"}
    clock.now = NEVER
    assert login.ended is None


def test_tokens_are_never_shown(clock: Clock, provider: Provider) -> None:
    login = provider.login()
    assert "access-0" not in f"{login} {login!r} {login.tokens} {live(clock, login)!r}"


class Directory(Renewer):
    """Vouches for people without giving them tokens."""

    def __init__(self) -> None:
        self.identity = ALICE
        self.failure: Exception | None = None

    def renew(self, login: Login) -> Login:
        if self.failure is not None:
            raise self.failure
        return Login(self.identity, renewer=self)


def test_a_log_in_without_tokens_is_confirmed_again_and_again() -> None:
    clock, directory = Clock(), Directory()
    live = LiveLogin(Login(ALICE, renewer=directory), clock=clock, interval_seconds=10)
    directory.identity = replace(ALICE, roles=frozenset({"engineer"}))
    live.keep()
    assert live.identity.roles == {"analyst"}  # nobody was asked yet
    clock.now += 10
    live.keep()
    assert live.identity.roles == {"engineer"}
    directory.failure = Rejected()
    clock.now += 10
    with pytest.raises(SqeError, match="could not be renewed"):
        live.keep()
    assert live.ended is not None


def test_an_outage_of_a_provider_without_tokens_is_borne_for_a_while() -> None:
    clock, directory = Clock(), Directory()
    live = LiveLogin(Login(ALICE, renewer=directory), clock=clock, interval_seconds=10)
    directory.failure = OUTAGE
    clock.now += 29
    live.keep()
    clock.now += 6
    with pytest.raises(SqeError) as unknown:
        live.keep()
    assert (unknown.value.code, live.ended) == (IDENTITY_PROVIDER_UNAVAILABLE, None)
    directory.failure = None
    live.keep()
