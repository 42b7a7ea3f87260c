"""Statements from -e, a file or the standard input, one after another, results to the standard output or a file."""

from __future__ import annotations

import os
import signal
import sys

from sqe.cli.backend import Failure, Request
from sqe.cli.progress import ProgressBar
from sqe.render import BINARY, HUMAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType
    from typing import BinaryIO

    from sqe.cli.backend import Backend, Summary
    from sqe.cli.splitter import Statement

LOST = ("REMOTE_HOST_GONE", "SERVER_STARTING_UP", "AUTHENTICATION_FAILED")


class Console:
    """Where results, notices and progress go."""

    def __init__(self, target: BinaryIO | None = None) -> None:
        self.target: BinaryIO = sys.stdout.buffer if target is None else target
        self.is_terminal = self.target.isatty()
        self._bar = ProgressBar()

    @property
    def width(self) -> int:
        """Of the terminal; 0 when results go elsewhere."""
        if not self.is_terminal:
            return 0
        try:
            return os.get_terminal_size(self.target.fileno()).columns
        except OSError:
            return 0

    @property
    def shows_progress(self) -> bool:
        return self._bar.enabled

    def begin(self) -> None:
        self._bar.start()

    def write(self, data: bytes | memoryview) -> None:
        self._bar.clear()
        self.target.write(data)
        if self.is_terminal:
            self.target.flush()

    def progress(self, completed: int, total: int, active: int, rows: int) -> None:
        self._bar.show(completed, total, active, rows)

    def notice(self, text: str) -> None:
        self._bar.clear()
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def end(self) -> None:
        self._bar.clear()
        self.target.flush()


class CancelOnInterrupt:
    """Ctrl-C cancels the running statement; a second one, or one with nothing to cancel, ends the client.

    No exception is raised for the first: it could hit between reading an answer and keeping it.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._count = 0

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGINT, self._interrupted)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _interrupted(self, _number: int, _frame: FrameType | None) -> None:
        self._count += 1
        if self._count > 1 or not self._backend.cancel():
            raise KeyboardInterrupt


class Runner:
    """Runs statements with one format and remembers whether one failed."""

    def __init__(self, backend: Backend, console: Console, format: str) -> None:
        self.backend = backend
        self.console = console
        self.format = format
        self.timer = False
        self.depth = 0  # of files being read
        self._results = 0

    def run(self, sql: str) -> Summary:
        """One statement. Raises Failure."""
        self._check_text(sql)
        self._check_one_result()
        request = Request(sql, self.format, self.console.width, self.console.shows_progress)
        self.console.begin()
        try:
            with CancelOnInterrupt(self.backend):
                summary = self.backend.run(request, self.console)
        finally:
            self.console.end()
        self._results += 1 if summary.columns else 0
        self._say(summary)
        return summary

    def _say(self, summary: Summary) -> None:
        if not summary.columns:
            # A file of rows stays a file of rows: the sentence goes to the person only.
            if self.format in HUMAN:
                self.console.write(f"{summary.line}\n".encode())
                self.console.end()
            else:
                self.console.notice(summary.line)
        if self.timer:
            self.console.notice(f"Time: {summary.elapsed:.3f} s")

    def _check_text(self, sql: str) -> None:
        # Bytes that are no UTF-8 arrive from the command line as lone surrogates.
        if not sql.isascii():
            try:
                sql.encode()
            except UnicodeEncodeError:
                raise Failure("INVALID_ARGUMENTS", "The statement is not valid UTF-8") from None

    def _check_one_result(self) -> None:
        if self.format in BINARY and self._results:
            raise Failure("NOT_SUPPORTED", f"The format {self.format} holds one result and there was one already")


def run_all(runner: Runner, statements: Iterable[Statement], *, stop_on_error: bool, source: str = "") -> int:
    """The exit status: 1 when a statement failed."""
    failed = False
    for statement in statements:
        try:
            if statement.is_command:
                from sqe.cli.dot import Leave, command

                try:
                    command(runner, statement.text)
                except Leave:
                    break
            else:
                runner.run(statement.text)
        except Failure as failure:
            failed = True
            where = f"{source}:{statement.line}: " if source else ""
            runner.console.notice(f"{where}{failure}")
            # After a lost connection the rest of the script would run in another session than it was written for.
            if stop_on_error or failure.code in LOST:
                break
    return 1 if failed else 0
