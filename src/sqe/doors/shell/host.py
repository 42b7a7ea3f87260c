"""What the door needs from the process around it: the engine when it is up, and the power to leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from sqe.identity.login import Login
    from sqe.query.handler import QueryHandler
    from sqe.sessions import Sessions


@dataclass(frozen=True)
class Engine:
    """The running server behind the door, and who its one user is."""

    handler: QueryHandler
    sessions: Sessions
    login: Login


class Host(Protocol):
    """The daemon."""

    build: str

    def await_engine(self, notice: Callable[[str], None]) -> Engine:
        """Blocks until the engine is up, telling what is being waited for. Raises SqeError when it did not come up."""

    def throw_away_folder(self) -> str:
        """A fresh folder for a warehouse that lives as long as its session."""

    def status(self) -> dict[str, Any]: ...

    def busy(self) -> bool:
        """Whether a statement runs."""

    def leave(self) -> None:
        """Stop listening at once (another daemon may start now) and end soon."""
