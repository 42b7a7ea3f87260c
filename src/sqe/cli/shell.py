"""The interactive shell: prompt_toolkit for the line, the same runner as the one-shot client for the rest."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import ThreadedCompleter
from prompt_toolkit.filters import has_completions
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer, PygmentsLexer
from prompt_toolkit.patch_stdout import patch_stdout

from sqe.cli import places
from sqe.cli.backend import Failure
from sqe.cli.completion import Names, SqlCompleter
from sqe.cli.dot import Leave, command
from sqe.cli.oneshot import Console, Runner
from sqe.cli.splitter import Splitter
from sqe.version import __version__

if TYPE_CHECKING:
    from sqe.cli.arguments import Options
    from sqe.cli.backend import Backend

# Coloured: prompt_toolkit moves the cursor over blanks without a colour, and programs that drive the shell wait for "sqe> ".
PROMPT: StyleAndTextTuples = [("ansicyan", "sqe> ")]
CONTINUED: StyleAndTextTuples = [("ansicyan", "  -> ")]


def interactive(backend: Backend, options: Options) -> int:
    """Runs until the user leaves."""
    where = f"{options.host}:{options.port}" if options.host else _warehouse(options)
    print(f"SQE {__version__} on {where}. Statements end with ; and .help lists the commands.")
    return Shell(backend, options).run()


def _warehouse(options: Options) -> str:
    if options.memory:
        return "a throw-away warehouse"
    folder, home = options.warehouse or places.default_warehouse(), os.path.expanduser("~")
    return f"~{folder.removeprefix(home)}" if folder.startswith(f"{home}{os.sep}") else folder


class Shell:
    def __init__(self, backend: Backend, options: Options) -> None:
        self._dialect = options.dialect
        self._runner = Runner(backend, Console(), options.format or "table")
        self._names = Names(backend)
        self._opening = threading.Thread(target=self._open, args=(backend,), name="sqe-open", daemon=True)

    def run(self) -> int:
        session = self._prompt_session()
        self._opening.start()
        while True:
            try:
                # The engine may still be starting while the first statement is typed; what it says appears above the prompt.
                with patch_stdout(raw=True) if self._opening.is_alive() else nullcontext():
                    text = session.prompt(PROMPT)
            except KeyboardInterrupt:
                continue
            except EOFError:
                return 0
            try:
                self._execute(text)
            except Leave:
                return 0

    def _open(self, backend: Backend) -> None:
        """Opens the session while the user types. A failure is told by the first statement, which tries again."""
        opener = getattr(backend, "open", None)
        if opener is not None:
            with suppress(Failure):
                opener(_Notices())

    def _execute(self, text: str) -> None:
        splitter = Splitter(self._dialect)
        for statement in [*splitter.feed(text), *splitter.finish()]:
            try:
                self._opening.join()
                if statement.is_command:
                    command(self._runner, statement.text)
                else:
                    summary = self._runner.run(statement.text)
                    if not summary.columns:
                        self._names.forget()
            except Failure as failure:
                self._runner.console.notice(str(failure))
            except KeyboardInterrupt:
                self._runner.console.notice("USER_CANCELED: Interrupted")
                return

    def _prompt_session(self) -> PromptSession[str]:
        # Asking the terminal where its cursor is only helps full-screen layouts, and one that does not answer costs two seconds.
        os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
        return PromptSession(
            history=_history(),
            lexer=_lexer(),
            completer=ThreadedCompleter(SqlCompleter(self._names)),
            complete_while_typing=False,
            multiline=True,
            prompt_continuation=_continuation,
            key_bindings=self._keys(),
            enable_open_in_editor=True,
        )

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter", filter=~has_completions)
        def _(event: KeyPressEvent) -> None:
            """Runs what is complete, else goes on in the next line."""
            buffer = event.current_buffer
            if self._complete(buffer.text):
                buffer.validate_and_handle()
            else:
                buffer.newline()

        return keys

    def _complete(self, text: str) -> bool:
        splitter = Splitter(self._dialect)
        splitter.feed(text + "\n")
        return not splitter.pending


class _Notices:
    """What the engine says while it starts."""

    def write(self, data: bytes | memoryview) -> None:
        pass

    def progress(self, completed: int, total: int, active: int, rows: int) -> None:
        pass

    def notice(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def _continuation(_width: int, _line: int, _wrapped: int) -> StyleAndTextTuples:
    return CONTINUED


def _history() -> FileHistory:
    path = places.history_file()
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    # Statements may hold secrets: the file is the user's alone.
    os.close(os.open(path, os.O_CREAT | os.O_APPEND, 0o600))
    return _History(path)


class _History(FileHistory):
    """A statement that makes a secret is not written down."""

    def store_string(self, string: str) -> None:
        from sqe.sql.attach import without_secrets

        if without_secrets(string) == string:
            super().store_string(string)


def _lexer() -> Lexer | None:
    if os.environ.get("NO_COLOR"):
        return None
    from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]

    return PygmentsLexer(SqlLexer)
