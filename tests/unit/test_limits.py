"""How often somebody may log in and ask, with a clock of the tests' own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import pytest

from sqe.config.rate_limit import RateLimit
from sqe.config.values import Duration, Secret
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, TOO_MANY_REQUESTS, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import Authenticator
from sqe.identity.login import Login, Origin
from sqe.identity.provider import Bearer, Credentials, Password, Provider, Rejected
from sqe.limits import LoginLimits, QueryRates, Refusals, TooManyRequests
from sqe.limits.buckets import Buckets


class Clock:
    """Time passes when the test says so, and when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


# Buckets.


def test_a_bucket_lets_a_burst_pass_and_then_a_steady_trickle(clock: Clock) -> None:
    buckets = Buckets(60, clock=clock)
    assert [buckets.take(b"a") for _ in range(60)] == [0] * 60
    assert buckets.take(b"a") == pytest.approx(1)
    clock.now += 1
    assert buckets.take(b"a") == 0
    assert buckets.take(b"a") > 0
    clock.now += 3600
    assert [buckets.take(b"a") for _ in range(61)].count(0) == 60, "it never holds more than a minute's worth"


def test_keys_do_not_share_a_bucket(clock: Clock) -> None:
    buckets = Buckets(1, clock=clock)
    assert (buckets.take(b"a"), buckets.take(b"b")) == (0, 0)
    assert buckets.take(b"a") > 0


def test_zero_is_no_limit_and_keeps_nothing(clock: Clock) -> None:
    buckets = Buckets(0, clock=clock)
    assert {buckets.take(b"a") for _ in range(1000)} == {0}
    buckets.charge(b"a", 10)
    assert (buckets.wait(b"a"), len(buckets)) == (0, 0)


def test_debts_are_paid_by_waiting_and_end(clock: Clock) -> None:
    buckets = Buckets(10, clock=clock)
    for _ in range(1000):
        buckets.charge(b"a", 10)
    assert buckets.wait(b"a") == pytest.approx(66), "a bucketful of debt at most, and one token"
    clock.now += 66.1
    assert buckets.take(b"a") == 0


def test_memory_is_bounded_and_the_least_recently_used_is_forgotten(clock: Clock) -> None:
    buckets = Buckets(1, most_keys=100, clock=clock)
    buckets.take(b"victim")
    for number in range(500):
        buckets.take(b"%d" % number)
        assert buckets.take(b"victim") > 0, "who is attacked all the time is not forgotten"
    assert len(buckets) == 100


def test_buckets_that_filled_up_again_are_forgotten(clock: Clock) -> None:
    buckets = Buckets(60, clock=clock)
    for number in range(100):
        buckets.take(b"%d" % number)
    clock.now += 120
    for _ in range(60):
        buckets.take(b"x")
    assert len(buckets) == 1


def test_a_clock_that_steps_back_gives_nothing_away(clock: Clock) -> None:
    buckets = Buckets(1, clock=clock)
    buckets.take(b"a")
    clock.now -= 500
    assert buckets.take(b"a") > 0


def test_threads_together_get_no_more_than_one(clock: Clock) -> None:
    buckets = Buckets(100, clock=clock)
    got: list[float] = []
    threads = [threading.Thread(target=lambda: got.extend(buckets.take(b"a") for _ in range(50))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got.count(0) == 100


# Log-ins.


class Directory(Provider):
    """Knows alice; `down` makes it unreachable."""

    down = False
    asked = 0

    def identify(self, credentials: Credentials) -> Login | None:
        self.asked += 1
        if self.down:
            raise SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "The directory does not answer")
        match credentials:
            case Password("alice", password) if password.matches("wonderland"):
                return Login(Identity("alice"))
            case Password("alice", _):
                raise Rejected
            case Bearer(token) if token.matches("good"):
                return Login(Identity("alice"))
            case _:
                return None


class Gate:
    """A provider chain behind limits."""

    def __init__(self, clock: Clock, directory: Directory | None = None, **settings: int | Duration) -> None:
        self.directory = directory or Directory()
        self.refusals = Refusals(clock)
        limits = LoginLimits(RateLimit(**settings), self.refusals, clock=clock, sleep=clock.sleep)  # type: ignore[arg-type]
        self._authenticator = Authenticator([self.directory], limits)

    def outcome(self, user: str, password: str, address: str = "192.0.2.1") -> str:
        return self._outcome(Password(user, Secret(password)), address)

    def bearer(self, token: str, address: str = "192.0.2.1") -> str:
        return self._outcome(Bearer(Secret(token)), address)

    def _outcome(self, credentials: Credentials, address: str) -> str:
        try:
            self._authenticator.log_in(credentials, Origin("test", address))
        except SqeError as error:
            return str(error)
        return "in"


FAILED = "AUTHENTICATION_FAILED: Authentication failed"


def attempts_until_refused(attempt: Callable[[], str]) -> tuple[int, str]:
    for count in range(10_000):
        text = attempt()
        if text.startswith("TOO_MANY_REQUESTS"):
            return count, text
    raise AssertionError("no limit was met")


def test_guessing_a_password_ends_soon(clock: Clock) -> None:
    gate = Gate(clock)
    count, text = attempts_until_refused(lambda: gate.outcome("alice", "guess"))
    # 250 ms each: the bucket of 10 a minute fills a little meanwhile.
    assert (count, text) == (10, "TOO_MANY_REQUESTS: Too many log-in attempts [try again in 4 s]")
    assert gate.directory.asked == 10, "a refused attempt is not judged"
    clock.now += 4
    assert gate.outcome("alice", "guess") == FAILED


def test_a_limited_stranger_cannot_tell_a_name_that_exists(clock: Clock) -> None:
    """Not even when its owner logs in all the time, or not at all."""

    def story(name: str) -> list[str]:
        gate = Gate(Clock())
        told = []
        for number in range(40):
            if number % 3 == 0:
                gate.outcome("alice", "wonderland", address="198.51.100.7")
            told.append(gate.outcome(name, f"guess {number}"))
        return told

    assert story("alice") == story("nobody")
    assert any(text.startswith("TOO_MANY_REQUESTS") for text in story("alice"))


SPELLINGS = ("alice", "ALICE", "aLiCe", " alice ", "\N{FULLWIDTH LATIN SMALL LETTER A}lice")


def test_spellings_of_one_name_share_its_limit(clock: Clock) -> None:
    gate = Gate(clock)
    told = [gate.outcome(SPELLINGS[number % len(SPELLINGS)], "guess") for number in range(15)]
    assert told.count(FAILED) == 10


def test_many_names_from_one_address_end_too(clock: Clock) -> None:
    gate = Gate(clock, failed_login_time=Duration(0))
    names = iter(range(10_000))
    count, _ = attempts_until_refused(lambda: gate.outcome(f"user{next(names)}", "123456"))
    assert count == 120
    assert gate.outcome("alice", "wonderland") != "in", "a good password from that address waits as well"
    assert gate.outcome("alice", "wonderland", address="192.0.2.2") == "in"


def test_success_resets_nothing_for_the_address(clock: Clock) -> None:
    gate = Gate(clock, failed_login_time=Duration(0), failed_logins_per_user=0)

    def attempt() -> str:
        assert gate.outcome("alice", "wonderland") != FAILED
        return gate.outcome("mallory", "guess")

    count, _ = attempts_until_refused(attempt)
    assert count == 1200 // 11


def test_one_customer_s_ipv6_addresses_count_as_one(clock: Clock) -> None:
    gate = Gate(clock, logins_per_address=20, failed_login_time=Duration(0))
    assert gate.outcome("a", "x", "2001:db8:1:2::1") == FAILED
    assert gate.outcome("b", "x", "2001:db8:1:2:ffff::9") == FAILED
    assert gate.outcome("c", "x", "2001:db8:1:2::3").startswith("TOO_MANY_REQUESTS")
    assert gate.outcome("d", "x", "2001:db8:1:3::1") == FAILED


def test_without_an_address_all_share_one_limit(clock: Clock) -> None:
    gate = Gate(clock, logins_without_address=20, logins_per_address=0, failed_login_time=Duration(0))
    assert [gate.outcome(name, "x", address="") for name in "abc"][:2] == [FAILED, FAILED]
    assert gate.outcome("alice", "wonderland", address="").startswith("TOO_MANY_REQUESTS")
    assert gate.outcome("alice", "wonderland") == "in"


def test_tokens_are_limited_by_address(clock: Clock) -> None:
    gate = Gate(clock, logins_per_address=20, failed_login_time=Duration(0))
    assert [gate.bearer("bad"), gate.bearer("bad")] == [FAILED, FAILED]
    assert gate.bearer("good").startswith("TOO_MANY_REQUESTS")


def test_a_user_s_own_log_ins_have_a_limit_that_others_cannot_use_up(clock: Clock) -> None:
    gate = Gate(clock, logins_per_user=3, failed_logins_per_user=0)
    for _ in range(50):
        gate.outcome("alice", "guess")
    assert [gate.outcome("alice", "wonderland") for _ in range(3)] == ["in"] * 3
    assert gate.outcome("alice", "wonderland").startswith("TOO_MANY_REQUESTS")


def test_shared_names_of_api_keys_lock_nobody_out(clock: Clock) -> None:
    gate = Gate(clock)
    assert {gate.outcome("api_key", "sqe_" + "x" * 43) for _ in range(30)} == {FAILED}


def test_an_outage_is_nobody_s_fault(clock: Clock) -> None:
    gate = Gate(clock)
    gate.directory.down = True
    assert {gate.outcome("alice", "wonderland").split(":")[0] for _ in range(100)} == {"IDENTITY_PROVIDER_UNAVAILABLE"}
    gate.directory.down = False
    assert gate.outcome("alice", "wonderland") == "in"
    assert gate.refusals.logins() == {"unavailable": 100, "succeeded": 1}


def test_failures_take_the_same_time_and_success_none(clock: Clock) -> None:
    gate = Gate(clock)
    started = clock.now
    gate.outcome("alice", "guess")
    gate.outcome("nobody", "guess")
    gate.bearer("bad")
    assert clock.now - started == pytest.approx(0.75)
    gate.outcome("alice", "wonderland")
    assert clock.now - started == pytest.approx(0.75)


def test_only_so_many_are_judged_at_once_and_the_rest_wait(clock: Clock) -> None:
    entered, leave = threading.Semaphore(0), threading.Event()
    running: list[int] = []

    class Slow(Directory):
        def identify(self, credentials: Credentials) -> Login | None:
            running.append(1)
            most.append(len(running))
            entered.release()
            assert leave.wait(20)
            running.pop()
            return super().identify(credentials)

    most: list[int] = []
    told: list[str] = []
    gate = Gate(clock, Slow(), concurrent_logins=2)
    threads = [threading.Thread(target=lambda: told.append(gate.outcome("alice", "wonderland"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        assert entered.acquire(timeout=20)
    leave.set()
    for thread in threads:
        thread.join(20)
    assert (told, max(most)) == (["in"] * 6, 2)


def test_the_log_has_one_line_a_second_and_says_how_many_it_left_out(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate(clock, failed_login_time=Duration(0))
    with caplog.at_level(logging.WARNING):
        for _ in range(200):
            gate.outcome("alice\nforged", "guess" * 1000)
    assert [record.message for record in caplog.records] == ["log-in failed", "refused by failed_logins_per_user"]
    caplog.clear()
    clock.now += 1
    gate.outcome("x" * 8000, "secret guess")
    (line,) = caplog.records
    assert (line.message, vars(line)["not_written"], len(vars(line)["user"])) == ("log-in failed", 9, 128)
    assert "secret guess" not in str(vars(line))
    assert gate.refusals.by_limit() == {"failed_logins_per_user": 190}


# Statements.


def test_statements_are_limited_by_session_and_by_user(clock: Clock) -> None:
    refusals = Refusals(clock)
    rates = QueryRates(RateLimit(queries_per_session=3, queries_per_user=5), refusals, clock=clock)

    def admitted(user: str, session: str) -> bool:
        try:
            rates.admit(user, session)
        except TooManyRequests:
            return False
        return True

    assert [admitted("alice", "s1") for _ in range(4)] == [True, True, True, False]
    assert [admitted("alice", "s2") for _ in range(3)] == [True, True, False]
    assert admitted("bob", "s3")
    assert refusals.by_limit() == {"queries_per_session": 1, "queries_per_user": 1}
    with pytest.raises(TooManyRequests, match="Too many statements in a short time") as caught:
        rates.admit("alice", "s1")
    assert (caught.value.code, caught.value.retry_after) == (TOO_MANY_REQUESTS, 20)
    clock.now += 60
    assert admitted("alice", "s1")


def test_a_refusal_says_when_to_come_again_in_whole_seconds() -> None:
    assert str(TooManyRequests("Too many log-in attempts", 0.01)) == (
        "TOO_MANY_REQUESTS: Too many log-in attempts [try again in 1 s]"
    )
