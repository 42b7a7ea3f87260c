"""What the shell and the one-shot client talk to: the embedded daemon (thin.py) or a server (remote.py), both the same way."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol


class Failure(Exception):
    """A statement or a connection failed: a code of sqe.errors and one sentence. (SqeError itself loads `dataclasses`.)"""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


class Request:
    """One statement and how its result shall look; `width` 0 folds nothing."""

    __slots__ = ("format", "progress", "sql", "width")

    def __init__(self, sql: str, format: str = "table", width: int = 0, progress: bool = False) -> None:
        self.sql = sql
        self.format = format
        self.width = width
        self.progress = progress


class Summary:
    """How a statement ended. `columns` is 0 when it returned no rows at all (DDL, DML)."""

    __slots__ = ("affected", "columns", "elapsed", "rows", "statement")

    def __init__(self, statement: str, columns: int, rows: int, affected: int | None, elapsed: float) -> None:
        self.statement = statement
        self.columns = columns
        self.rows = rows
        self.affected = affected
        self.elapsed = elapsed

    @property
    def line(self) -> str:
        """What a statement without rows says: `INSERT: 3 rows` or `OK`."""
        if self.affected is None:
            return "OK"
        # The only DDL with rows is CREATE TABLE … AS and its kind.
        word = "CREATE" if self.statement == "ddl" else self.statement.upper()
        return f"{word}: {self.affected} {'row' if self.affected == 1 else 'rows'}"


if TYPE_CHECKING:

    class Output(Protocol):
        """Where a running statement reports."""

        def write(self, data: bytes | memoryview) -> object: ...

        def progress(self, completed: int, total: int, active: int, rows: int) -> None: ...

        def notice(self, text: str) -> None: ...

    class Backend(Protocol):
        """One session on one engine. `cancel` may be called from a signal handler; False when nothing can be cancelled yet."""

        def run(self, request: Request, output: Output) -> Summary: ...

        def cancel(self) -> bool: ...

        def names(self, kind: str, path: list[str]) -> list[str]: ...

        def close(self) -> None: ...
