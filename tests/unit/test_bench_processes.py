"""`sqe-bench`: processes that are measured."""

from __future__ import annotations

import os
import sys

import psutil
import pytest

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.processes import Child, children_cpu_seconds, own_cpu_seconds, tree_cpu_seconds
from tests.waiting import eventually

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"


def _python(program: str) -> Child:
    return Child([sys.executable, "-c", program])


def test_a_child_answers_in_lines_whatever_else_it_prints() -> None:
    echo = (
        "import sys\nprint('noise', flush=True)\nfor line in sys.stdin: print('{\"said\": \"' + line.strip() + '\"}', flush=True)"
    )
    with _python(echo) as child:
        assert child.ask("one") == {"said": "one"}
        assert child.ask("two") == {"said": "two"}


def test_a_child_that_dies_is_reported_with_its_last_words() -> None:
    with _python("raise SystemExit('no table')") as child, pytest.raises(BenchmarkError, match="ended with 1: no table"):
        child.answer()


def test_a_child_that_is_silent_is_given_up() -> None:
    with _python("import sys; sys.stdin.read()") as child, pytest.raises(BenchmarkError, match="said nothing"):
        child.line(seconds=0.05)


def test_what_a_child_leaves_behind_ends_with_it() -> None:
    """As PySpark does with its JVM, when it is ended while it starts."""
    program = (
        "import subprocess, sys\n"
        "left = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdin=subprocess.DEVNULL)\n"
        "print(left.pid, flush=True)\nsys.stdin.read()\n"
    )
    with _python(program) as child:
        left = psutil.Process(int(child.line()))
    eventually(lambda: not left.is_running() or left.status() == psutil.STATUS_ZOMBIE)


def test_cpu_at_the_end_counts_the_children_of_the_child() -> None:
    program = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN!r}])\n{BURN}"
    with _python(program) as child:
        assert 0.55 < child.cpu_seconds_at_end() < 2


def test_cpu_of_a_tree_is_that_of_its_processes() -> None:
    inner = f"{BURN}print(1, flush=True)\nimport sys\nsys.stdin.read()\n"
    outer = (
        "import subprocess, sys\n"
        f"inner = subprocess.Popen([sys.executable, '-c', {inner!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "inner.stdout.readline()\n"
        f"{BURN}print(1, flush=True)\nsys.stdin.read()\n"
    )
    with _python(outer) as child:
        child.line()
        own, children = own_cpu_seconds(child.pid), children_cpu_seconds(child.pid)
        assert own >= 0.29
        assert children >= 0.29
        assert tree_cpu_seconds(child.pid) == pytest.approx(own + children, abs=0.05)


def test_closing_a_child_ends_it() -> None:
    with _python("import sys; sys.stdin.read()") as child:
        os.kill(child.pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
