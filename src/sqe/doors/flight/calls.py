"""One call of a client, as the rest of the door sees it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyarrow import flight

from sqe.doors.flight.handles import SessionHandles
from sqe.doors.flight.watch import Submissions, Watch

if TYPE_CHECKING:
    from sqe.session import Session


@dataclass(frozen=True)
class Call:
    """Who calls, what their session has open, and a way to notice that they left."""

    context: flight.ServerCallContext
    session: Session
    peer: str  # the client's address
    handles: SessionHandles
    watch: Watch
    submissions: Submissions

    def watching(self, gone: Callable[[], None]) -> AbstractContextManager[None]:
        """Calls `gone`, from another thread, when the client leaves before the block ends."""
        return self.watch.watching(self.context, gone)

    def submitting(self) -> AbstractContextManager[None]:
        """Cancels the statement that this thread submits in the block when the client leaves."""
        return self.submissions.watching(self.context, self.session)
