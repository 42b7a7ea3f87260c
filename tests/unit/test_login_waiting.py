"""Asking people to log in: which answers of a browser count, how a device waits, what a terminal is shown."""

from __future__ import annotations

import base64
import hashlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, INVALID_ARGUMENTS, SqeError
from sqe.identity.oidc.code import Attempt
from sqe.identity.oidc.device import Invitation, wait_for_tokens
from sqe.identity.oidc.token_endpoint import DeviceCode, Grant, Refused
from sqe.identity.oidc.words import secure_url, shown
from sqe.login.redirect import PAGE, RedirectListener

ISSUER = "https://idp.example.com"
ATTEMPT = Attempt("cli", "http://127.0.0.1:1/sqe-login", ("openid", "offline_access"))


def came_back(*, issuer_expected: bool = False, **parameters: str) -> str:
    query = urlencode({"state": ATTEMPT.state.reveal(), "code": "the-code"} | parameters)
    return ATTEMPT.code(query, issuer=ISSUER, issuer_expected=issuer_expected).reveal()


def refusal(query: str, *, issuer_expected: bool = False) -> str:
    with pytest.raises(SqeError) as caught:
        ATTEMPT.code(query, issuer=ISSUER, issuer_expected=issuer_expected)
    assert caught.value.code is AUTHENTICATION_FAILED
    return caught.value.message


def test_the_question_holds_a_challenge_and_never_its_answer() -> None:
    asked = urlsplit(ATTEMPT.url(f"{ISSUER}/auth?tenant=1"))
    query = {name: values[0] for name, values in parse_qs(asked.query).items()}
    digest = hashlib.sha256(ATTEMPT.pkce.verifier.reveal().encode()).digest()
    assert query == {
        "tenant": "1",
        "response_type": "code",
        "client_id": "cli",
        "redirect_uri": "http://127.0.0.1:1/sqe-login",
        "scope": "openid offline_access",
        "state": ATTEMPT.state.reveal(),
        "nonce": ATTEMPT.nonce.reveal(),
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    assert ATTEMPT.pkce.verifier.reveal() not in asked.query


def test_every_attempt_has_secrets_of_its_own() -> None:
    attempts = [Attempt("cli", "http://127.0.0.1:1/", ()) for _ in range(20)]
    secrets = {secret.reveal() for each in attempts for secret in (each.state, each.nonce, each.pkce.verifier)}
    assert len(secrets) == 60
    assert min(map(len, secrets)) >= 43
    assert not any(secret in repr(attempts) for secret in secrets)


def test_the_right_answer_gives_the_code() -> None:
    assert came_back() == came_back(iss=ISSUER) == came_back(iss=ISSUER, issuer_expected=True) == "the-code"


STATE = urlencode({"state": ATTEMPT.state.reveal()})
HOSTILE = {
    "no state": ("code=x", "does not belong"),
    "wrong state": ("code=x&state=wrong", "does not belong"),
    "empty state": ("code=x&state=", "does not belong"),
    "state twice": (f"code=x&{STATE}&state=wrong", "twice"),
    "code twice": (f"code=x&code=y&{STATE}", "twice"),
    "wrong issuer": (f"code=x&{STATE}&iss=https://evil.example.com", "is not from the identity provider"),
    "issuer with a slash more": (f"code=x&{STATE}&iss={ISSUER}/", "is not from the identity provider"),
    "empty issuer": (f"code=x&{STATE}&iss=", "is not from the identity provider"),
    "no code": (STATE, "holds no code"),
    "nothing": ("", "does not belong"),
    "denied": (f"error=access_denied&{STATE}", "refused the log-in: access_denied"),
    "denied with a code": (f"error=access_denied&code=x&{STATE}", "refused the log-in: access_denied"),
    "denied by a stranger": ("error=access_denied&state=wrong", "does not belong"),
    "control characters": (f"error=a%1b%5b2Jb%0d%0a%e2%80%aec&{STATE}", "refused the log-in: a[2Jbc"),
    "endless": (f"code={'x' * 20_000}&{STATE}", "too long"),
}


@pytest.mark.parametrize(("query", "sentence"), HOSTILE.values(), ids=HOSTILE.keys())
def test_any_other_answer_is_refused(query: str, sentence: str) -> None:
    assert sentence in refusal(query)


def test_an_issuer_that_promised_to_name_itself_must() -> None:
    assert "is not from the identity provider" in refusal(f"code=x&{STATE}", issuer_expected=True)


# the listener


@pytest.fixture
def listener() -> Iterator[RedirectListener]:
    with RedirectListener() as listener:
        yield listener


def get(url: str) -> httpx.Response:
    return httpx.get(url, trust_env=False, timeout=10)


def test_the_listener_is_on_this_machine_alone_and_answers_without_repeating_what_it_heard(listener: RedirectListener) -> None:
    page = get(f"{listener.uri}?code=the-code&state=s")
    assert listener.uri.startswith("http://127.0.0.1:")
    assert (page.status_code, page.content) == (200, PAGE)
    assert "the-code" not in str(page.headers)
    assert page.headers["cache-control"] == "no-store"
    assert listener.query(5) == "code=the-code&state=s"


def test_it_serves_one_request_and_is_gone(listener: RedirectListener) -> None:
    get(f"{listener.uri}?code=first")
    assert listener.query(5) == "code=first"
    with pytest.raises(httpx.ConnectError):
        get(f"{listener.uri}?code=second")


def test_a_second_request_before_it_is_gone_is_not_served_and_changes_nothing(listener: RedirectListener) -> None:
    get(f"{listener.uri}?code=first")
    with pytest.raises(httpx.RemoteProtocolError):
        get(f"{listener.uri}?code=second")
    assert listener.query(5) == "code=first"


def test_a_request_for_something_else_ends_it_without_an_answer(listener: RedirectListener) -> None:
    assert get(listener.uri.replace("sqe-login", "favicon.ico?code=x")).status_code == 404
    assert listener.query(5) == ""


def test_a_browser_s_silent_connections_do_not_delay_the_answer(listener: RedirectListener) -> None:
    address = urlsplit(listener.uri)
    silent = [socket.create_connection(("127.0.0.1", address.port or 0)) for _ in range(3)]
    get(f"{listener.uri}?code=x")
    assert listener.query(5) == "code=x"
    for each in silent:
        each.close()


def test_when_nobody_comes_it_says_so_and_leaves_nothing_behind() -> None:
    with RedirectListener() as listener, pytest.raises(SqeError, match="in time"):
        listener.query(0.05)
    with pytest.raises(httpx.ConnectError):
        get(listener.uri)
    assert not [thread for thread in threading.enumerate() if thread.name == "sqe-login-redirect"]


def test_an_interrupted_wait_leaves_nothing_behind() -> None:
    with pytest.raises(KeyboardInterrupt), RedirectListener() as listener:
        raise KeyboardInterrupt
    with pytest.raises(httpx.ConnectError):
        get(listener.uri)


# the device

GRANT = Grant(Secret("access"), None, None, None, 0.0)
OUTAGE = SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "The identity provider does not answer")


class Device:
    """A clock that only waiting moves, and a token endpoint that answers as the test lists."""

    def __init__(self, *answers: Grant | Exception, lifetime: float = 600, interval: float = 5) -> None:
        self._answers = list(answers)
        self._code = DeviceCode(Secret("secret"), "ABCD-EFGH", f"{ISSUER}/device", None, 1000 + lifetime, interval)
        self._now = 1000.0
        self.waited: list[float] = []

    def tokens(self) -> Grant:
        return wait_for_tokens(self._ask, self._code, wait=self._wait, clock=lambda: self._now)

    def refusal(self) -> str:
        with pytest.raises(SqeError) as caught:
            self.tokens()
        assert caught.value.code is AUTHENTICATION_FAILED
        return caught.value.message

    def _wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self._now += seconds

    def _ask(self) -> Grant:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


PENDING, SLOW_DOWN = Refused("authorization_pending"), Refused("slow_down")


def test_a_device_asks_at_the_provider_s_pace_until_the_person_has_agreed() -> None:
    device = Device(PENDING, PENDING, GRANT, interval=3)
    assert device.tokens() is GRANT
    assert device.waited == [3, 3, 3]


def test_slow_down_is_for_good() -> None:
    device = Device(SLOW_DOWN, PENDING, SLOW_DOWN, GRANT)
    assert device.tokens() is GRANT
    assert device.waited == [5, 10, 10, 15]


def test_a_provider_that_does_not_answer_is_asked_ever_less_often() -> None:
    device = Device(OUTAGE, OUTAGE, OUTAGE, OUTAGE, OUTAGE, PENDING, GRANT)
    assert device.tokens() is GRANT
    assert device.waited == [5, 10, 20, 40, 60, 60, 60]


@pytest.mark.parametrize(("told", "kept"), [(0.001, 1.0), (86400.0, 60.0)])
def test_no_provider_makes_a_device_ask_without_pause_or_almost_never(told: float, kept: float) -> None:
    device = Device(GRANT, interval=told)
    device.tokens()
    assert device.waited == [kept]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Refused("access_denied"), "The log-in was denied"),
        (Refused("expired_token"), "The code has expired before anybody logged in with it"),
        (Refused("invalid_grant"), "The identity provider refused the log-in: invalid_grant"),
        (Refused("\x1b[2Jx" + "y" * 1000), "The identity provider refused the log-in: [2Jx" + "y" * 75),
    ],
)
def test_what_ends_it_ends_it_at_once(answer: Refused, sentence: str) -> None:
    device = Device(PENDING, answer)
    assert device.refusal() == sentence
    assert len(device.waited) == 2


def test_a_code_s_life_is_the_limit_whatever_the_provider_says() -> None:
    device = Device(PENDING, lifetime=20)
    assert "expired" in device.refusal()
    assert sum(device.waited) == 20
    for_ever = Device(PENDING, lifetime=float("inf"), interval=60)
    assert "expired" in for_ever.refusal()
    assert sum(for_ever.waited) == 3600


# what is shown and followed


def test_text_of_others_cannot_rewrite_a_terminal() -> None:
    assert shown("ABCD\x1b]0;evil\x07\r\n\u202e\u200b-EFGH\x9b") == "ABCD]0;evil-EFGH"
    assert len(shown("x" * 1000)) == 400


def invitation(uri: str, complete: str | None = None, user_code: str = "ABCD") -> Invitation:
    return Invitation.of(DeviceCode(Secret("s"), user_code, uri, complete, 0, 5))


def test_the_invitation_prefers_the_page_that_knows_the_code() -> None:
    assert invitation(f"{ISSUER}/d") == Invitation(f"{ISSUER}/d", "ABCD", False)
    assert invitation(f"{ISSUER}/d", f"{ISSUER}/d?c=ABCD") == Invitation(f"{ISSUER}/d?c=ABCD", "ABCD", True)
    assert invitation(f"{ISSUER}/d", user_code="AB\x1b[2J\nCD").code == "AB[2JCD"


@pytest.mark.parametrize(
    "url",
    [
        "http://idp.example.com/device",
        "ftp://idp.example.com/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://idp.example.com@evil.example.com/",
        "https://",
        "//idp.example.com/",
        "--new-window",
        "",
        "https://idp.example.com/\x1b[2J",
        "https://idp.example.com/ and enter your password",
        "http://127.0.0.1.evil.example.com/",
        "http://localhost.evil.example.com/",
        "http://[::1",
        "https://idp.example.com:99999/",
        None,
        5,
    ],
)
def test_an_address_that_is_not_safe_to_follow_is_refused(url: object) -> None:
    with pytest.raises(SqeError) as caught:
        secure_url(url, "The issuer")
    assert caught.value.code is INVALID_ARGUMENTS
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["https://idp.example.com/realms/x", "http://127.0.0.1:8080/", "http://localhost/", "http://[::1]:1/"]
)
def test_tls_or_this_machine_is_safe(url: str) -> None:
    assert secure_url(url, "The issuer") == url
