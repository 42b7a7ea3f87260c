"""`sqe` in homes of their own, each with a daemon of its own that is stopped at the end."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_home import Cli


@pytest.fixture
def own_cli() -> Iterator[Cli]:
    """For tests about the daemon's life."""
    yield from _cli()


@pytest.fixture(scope="session")
def cli() -> Iterator[Cli]:
    """For everything else: all share one daemon that is up already, and each test has its own tables."""
    for cli in _cli():
        cli.rows("SELECT 1")
        yield cli


def _cli() -> Iterator[Cli]:
    folder = Path(tempfile.mkdtemp(prefix="sqe-test-", dir="/tmp"))
    cli = Cli(folder)
    try:
        yield cli
    finally:
        cli.stop()
        shutil.rmtree(folder, ignore_errors=True)
