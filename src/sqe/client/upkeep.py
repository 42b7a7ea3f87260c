"""A session that was opened with a kept log-in (`sqe login`), over time.

The server cannot renew a token that somebody else obtained: the session ends with it. So this side renews it before it
expires, also under a running statement, and shows the new one to the session. A session that has ended all the same (idle for
too long, a restarted server) is noticed before the next statement is sent, and a new one is opened: no statement is ever sent
twice. When the old session may have had a state that the statement counts on, the statement is refused once and says so.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from sqe.errors import AUTHENTICATION_FAILED, SqeError

if TYPE_CHECKING:  # loads the whole configuration
    from sqe.config.values import Secret

# After this long without a call the session may be gone, so it is asked for before a statement is sent.
IDLE_SECONDS = 60.0
# How often the thread looks whether the token of a running statement is to be renewed.
LOOK_SECONDS = 5.0

# Statements that leave nothing behind in their session. What is not known here may: USE, SET, CREATE TEMPORARY VIEW, ATTACH…
_STATELESS = frozenset(
    "select with values table from show describe desc explain insert update delete merge truncate call kill comment".split()
)
_FIRST_WORD = re.compile(r"(?:[\s(]|--[^\n]*\n|/\*.*?\*/)*(\w+)", re.DOTALL)


class TokenSource(Protocol):
    """Where access tokens come from; `sqe.login.kept.ServerLogin` is one. Both raise `SqeError`."""

    def token(self) -> Secret:
        """One that is good now, renewed when that is due."""

    def due(self) -> bool:
        """Whether `token` would ask the identity provider now."""


class Upkeep:
    """Thread-safe. `log_in` opens a session with a token; `renew` shows a newer one to the session at hand."""

    def __init__(
        self,
        tokens: TokenSource,
        log_in: Callable[[Secret], None],
        renew: Callable[[Secret], None],
        in_use: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tokens = tokens
        self._log_in = log_in
        self._renew = renew
        self._in_use = in_use
        self._clock = clock
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._calls = 0
        self._has_state = False
        self._lost_state = False  # and no statement has been told yet
        self._ended = False
        log_in(tokens.token())
        self._used = clock()
        threading.Thread(target=self._run, name="sqe-login-upkeep", daemon=True).start()

    def close(self) -> None:
        self._closing.set()

    @contextmanager
    def statement(self, sql: str | None = None) -> Iterator[None]:
        """Around a call that runs a statement. Without a text: one that may change the session."""
        with self._lock:
            self._ready()
            if self._lost_state:
                self._lost_state = False
                raise SqeError(
                    AUTHENTICATION_FAILED,
                    "The session had ended and a new one was opened; settings, USE and temporary views of the old one are gone",
                    hint="run the statement again",
                )
            self._has_state = self._has_state or leaves_state(sql)
            self._calls += 1
        with self._counted():
            yield

    @contextmanager
    def call(self) -> Iterator[None]:
        """Around every other call: what ended is noticed and opened anew first."""
        with self._lock:
            self._ready()
            self._calls += 1
        with self._counted():
            yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        try:
            yield
        except SqeError as error:
            self._ended = self._ended or error.code is AUTHENTICATION_FAILED
            raise
        finally:
            with self._lock:
                self._calls -= 1
                self._used = self._clock()

    def _ready(self) -> None:
        quiet = not self._calls and self._clock() - self._used > IDLE_SECONDS
        if not self._ended and (quiet or self._tokens.due()):
            self._show_token()
        if self._ended:
            self._log_in(self._tokens.token())
            self._ended = False
            self._lost_state, self._has_state = self._lost_state or self._has_state, False

    def _show_token(self) -> None:
        token = self._tokens.token()
        try:
            self._renew(token)
        except SqeError as error:
            if error.code is not AUTHENTICATION_FAILED:
                raise
            self._ended = True

    def look(self) -> None:
        """Renews the token under a running statement. Without one the session is left alone: its idle time is the server's
        to judge."""
        with suppress(SqeError), self._lock:  # what fails is tried again at the next look, and told by the next call
            if (self._calls or self._in_use()) and not self._ended and self._tokens.due():
                self._show_token()

    def _run(self) -> None:
        while not self._closing.wait(LOOK_SECONDS):
            self.look()


def leaves_state(sql: str | None) -> bool:
    found = _FIRST_WORD.match(sql or "")
    return found is None or found[1].lower() not in _STATELESS
