"""What observers hear of log-ins: failures from the chain of providers, renewals that fail from the log-in itself."""

from __future__ import annotations

import pytest

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import Authenticator
from sqe.identity.events import Happened, LoginEvent, LoginEvents
from sqe.identity.live import RETRY_SECONDS, LiveLogin
from sqe.identity.login import Login, Origin, Renewer, Tokens
from sqe.identity.provider import Credentials, Password, Provider, Rejected

ORIGIN = Origin("flight", "10.0.0.1", "ADBC")


class Judge(Provider):
    def __init__(self, outcome: Exception | None) -> None:
        self._outcome = outcome

    def identify(self, credentials: Credentials) -> Login | None:
        if self._outcome is not None:
            raise self._outcome
        return None


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (Rejected(), "AUTHENTICATION_FAILED"),
        (None, "AUTHENTICATION_FAILED"),
        (SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "down"), "IDENTITY_PROVIDER_UNAVAILABLE"),
    ],
)
def test_a_failed_log_in_is_told_with_the_claimed_name_and_without_the_password(outcome: Exception | None, code: str) -> None:
    heard: list[LoginEvent] = []
    events = LoginEvents()
    events.subscribe(lambda _: 1 / 0)  # type: ignore[arg-type,return-value]  # a broken observer is nobody's problem
    events.subscribe(heard.append)
    with pytest.raises(SqeError, match=r"Authentication failed|down"):
        Authenticator([Judge(outcome)], events=events).log_in(Password("mallory", Secret("hunter2")), ORIGIN)
    assert heard == [LoginEvent(Happened.LOGIN_FAILED, ORIGIN, claimed="mallory", code=code)]
    assert "hunter2" not in repr(heard)


class Failing(Renewer):
    """Down until it is told otherwise."""

    def __init__(self) -> None:
        self.outcome: Exception = SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "down")

    def renew(self, login: Login) -> Login:
        raise self.outcome


def test_a_renewal_that_fails_is_told_once_for_an_outage_and_once_for_the_end() -> None:
    now = [1000.0]
    heard: list[str] = []
    renewer = Failing()
    login = Login(Identity("alice"), Tokens(Secret("token"), expires_at=1300.0), renewer)
    live = LiveLogin(login, clock=lambda: now[0], on_failure=lambda error: heard.append(error.code.name))
    for _ in range(3):
        now[0] = max(1250.0, now[0] + RETRY_SECONDS + 1)
        live.keep()
    assert heard == ["IDENTITY_PROVIDER_UNAVAILABLE"]
    renewer.outcome = Rejected()
    now[0] += RETRY_SECONDS + 1
    with pytest.raises(SqeError) as ended:
        live.keep()
    assert ended.value.code is AUTHENTICATION_FAILED
    assert heard == ["IDENTITY_PROVIDER_UNAVAILABLE", "AUTHENTICATION_FAILED"]
