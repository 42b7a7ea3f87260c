"""The thread that renews tokens under sessions, also those with a statement that runs for hours."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from sqe.errors import SqeError
from sqe.session import Session
from sqe.sessions import Sessions

log = logging.getLogger("sqe.session")

# A look costs a comparison of times a session; the renewals themselves are spread by their own due times.
LOOK_SECONDS = 1.0


class TokenKeeper:
    """Owned by the server. `stop_statements` is told of sessions that have ended under their statements."""

    def __init__(self, sessions: Sessions, stop_statements: Callable[[Session, SqeError], None]) -> None:
        self._sessions = sessions
        self._stop_statements = stop_statements
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sqe-token-keeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_SECONDS):
            for session in self._sessions.all():
                if self._stopping.is_set():
                    return
                self._keep(session)

    def _keep(self, session: Session) -> None:
        try:
            session.keep_login()
        except SqeError as error:
            if session.login.ended is not None:
                self._stop_statements(session, error)
                session.leave_engine()
            else:
                log.debug("session %s waits for its identity provider: %s", session.id, error)
        except Exception:
            log.exception("the tokens of session %s could not be kept", session.id)
