"""The interactive shell, driven in a pseudo-terminal as a person drives it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pexpect
import pytest
from cli_home import SQE, Cli

pytestmark = pytest.mark.service

PROMPT = "sqe> "
SLOW = "SELECT count(*) FROM range(1000000000000) WHERE rand() < 0.1;"

# What a terminal does not show: colours, cursor movements, titles.
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>()][A-Z0-9]?)")


class Terminal:
    """A person at the shell."""

    def __init__(self, process: pexpect.spawn) -> None:
        self._process = process
        self.sees(PROMPT)

    def types(self, text: str) -> None:
        self._process.send(text)

    def enters(self, line: str) -> None:
        self._process.send(line + "\r")

    def sees(self, text: str) -> str:
        """Waits for the text; what stood before it, as the eye saw it."""
        self._process.expect_exact(text)
        return _ESCAPES.sub("", self._process.before)

    def runs(self, line: str, answer: str) -> str:
        self.enters(line)
        before = self.sees(answer)
        self.sees(PROMPT)
        return before

    def presses(self, key: str) -> None:
        self._process.sendcontrol(key)

    def leaves(self) -> None:
        self.presses("d")
        self._process.expect(pexpect.EOF)
        self._process.close()
        assert self._process.exitstatus == 0


Open = Callable[..., AbstractContextManager[Terminal]]


@pytest.fixture
def shell(cli: Cli) -> Open:
    @contextmanager
    def open_shell(*arguments: str, columns: int = 100) -> Iterator[Terminal]:
        process = pexpect.spawn(
            SQE[0],
            [*SQE[1:], *arguments],
            env=cli.env,
            cwd=str(cli.folder),
            dimensions=(40, columns),
            encoding="utf-8",
            timeout=60,
        )
        try:
            yield Terminal(process)
        finally:
            process.close(force=True)

    return open_shell


def test_a_statement_ends_with_a_semicolon_and_may_have_many_lines(shell: Open) -> None:
    with shell() as terminal:
        terminal.enters("SELECT 40 + 2")
        terminal.sees("  -> ")
        terminal.enters("AS answer -- it's; not the end")
        terminal.sees("  -> ")
        terminal.runs(";", "(1 row)")
        terminal.enters("SELECT 'one;' AS a; SELECT 'two' AS b;")
        terminal.sees(" one;\r\n(1 row)")
        terminal.sees(" two\r\n(1 row)")
        terminal.sees(PROMPT)
        terminal.leaves()


def test_an_error_is_one_line_and_the_shell_goes_on(shell: Open) -> None:
    with shell() as terminal:
        terminal.runs("SELECT nothing;", "COLUMN_NOT_FOUND: ")
        terminal.runs("SELECT 7 AS x;", "(1 row)")
        terminal.leaves()


def test_ctrl_c_cancels_the_statement_and_not_the_shell(shell: Open) -> None:
    with shell() as terminal:
        terminal.enters(SLOW)
        terminal.sees(" tasks, ")  # the progress bar
        terminal.presses("c")
        terminal.sees("USER_CANCELED: The statement was cancelled")
        terminal.sees(PROMPT)
        terminal.types("SELECT forgotten")
        terminal.presses("c")
        terminal.sees(PROMPT)
        terminal.runs("SELECT 'alive' AS x;", "(1 row)")
        terminal.leaves()


def test_the_progress_bar_is_gone_when_the_result_comes(shell: Open) -> None:
    with shell() as terminal:
        terminal.enters("SELECT count(*) AS n FROM range(3000000000) WHERE id % 7 = 3;")
        terminal.sees(" tasks, ")
        assert terminal.sees("(1 row)").rstrip().splitlines()[-3:][0].strip().endswith("n")
        terminal.sees(PROMPT)
        terminal.leaves()


def test_history_survives_the_shell(shell: Open) -> None:
    with shell() as terminal:
        terminal.runs("SELECT 'remember me' AS x;", "(1 row)")
        terminal.leaves()
    with shell() as terminal:
        terminal.types("\x1b[A")  # arrow up
        terminal.sees("remember me")
        terminal.runs("", "(1 row)")
        terminal.leaves()


def test_names_and_keywords_are_completed(shell: Open) -> None:
    with shell() as terminal:
        terminal.runs("CREATE TABLE complete_me (first_column INT, other INT);", "OK")
        # Only what is new on the line is drawn: the rest of each word.
        terminal.types("SELEC\t")
        terminal.sees("SELECT")
        terminal.types(" 5 AS five FROM comple\t")
        terminal.sees("te_me")
        terminal.runs(";", "(0 rows)")
        terminal.types("SELECT 1 FROM complete_me WHERE first_c\t")
        terminal.sees("olumn")
        terminal.runs(" = 1;", "(0 rows)")
        terminal.types(".summ\t")
        terminal.sees("arize")
        terminal.runs(" complete_me", "(2 rows)")
        terminal.runs("DROP TABLE complete_me;", "OK")
        terminal.leaves()


def test_dot_commands(shell: Open) -> None:
    with shell() as terminal:
        assert ".summarize TABLE" in terminal.runs(".help", ".mode [NAME]")
        terminal.runs(".catalogs", "lake")
        terminal.runs(".timer on", "")
        terminal.runs("SELECT 1 AS x;", "Time: ")
        terminal.runs(".format json", "")
        terminal.runs("SELECT 1 AS x;", '[{"x":1}]')
        terminal.runs(".mode", "format: json")
        terminal.enters(".quit")
        terminal._process.expect(pexpect.EOF)


def test_a_wide_table_is_folded_to_the_terminal(shell: Open) -> None:
    with shell(columns=40) as terminal:
        seen = terminal.runs("SELECT 1 AS id, repeat('word ', 30) AS text;", "(1 row)")
        rule = [line for line in seen.splitlines() if line.startswith("----+")]
        assert len(rule) == 1
        assert len(rule[0].strip()) <= 40
        terminal.leaves()


def test_two_shells_work_on_one_warehouse_at_once(shell: Open) -> None:
    with shell() as one, shell() as two:
        one.runs("CREATE TABLE shared (x INT);", "OK")
        two.runs("INSERT INTO shared VALUES (1), (2);", "INSERT: 2 rows")
        one.runs("SELECT sum(x) AS total FROM shared;", "3")
        one.runs("CREATE TEMPORARY VIEW mine AS SELECT 1 AS x;", "OK")
        two.runs("SELECT * FROM mine;", "TABLE_NOT_FOUND: ")
        two.runs("DROP TABLE shared;", "OK")
        one.leaves()
        two.leaves()


def test_a_shell_outlives_its_daemon(shell: Open, cli: Cli) -> None:
    with shell() as terminal:
        terminal.runs("SELECT 1 AS x;", "(1 row)")
        cli.daemon().kill()
        terminal.runs("SELECT 2 AS x;", "REMOTE_HOST_GONE: ")
        terminal.enters("SELECT 3 AS x;")
        terminal.sees("A new session was opened")
        terminal.sees("(1 row)")
        terminal.sees(PROMPT)
        terminal.leaves()
