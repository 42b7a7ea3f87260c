"""Everything that the documentation shows is run, in a home of its own with one embedded daemon and one server."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import ROOT, Page, Stage, blocks

pytestmark = pytest.mark.service

# Played where real services are: tests/services/test_quickstart.py.
WITH_SERVICES = ("quickstart-identity.md",)
# README last: it stops the daemon.
DOCUMENTS = [*(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in WITH_SERVICES), ROOT / "README.md"]
SAMPLE = ROOT / "src/sqe/demo/sample.sql"


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="sqe-docs-", dir="/tmp"))
    stage = Stage(folder)
    try:
        subprocess.run(["sqe", "--stop-on-error", "--file", SAMPLE], env=stage.env, check=True, stdout=subprocess.DEVNULL)
        yield stage
    finally:
        stage.close()
        left = stage.left()
        shutil.rmtree(folder, ignore_errors=True)
    assert not left


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_page_shows_is_what_happens(document: Path, stage: Stage) -> None:
    page = Page(document, stage)
    try:
        page.play()
    finally:
        page.close()
    assert not page.problems, "\n\n".join(page.problems)


def test_a_ready_line_is_json() -> None:
    """The server's line in the documentation can be read by a program, as it says."""
    (line,) = {line for block in blocks(ROOT / "README.md") for line in block.text.splitlines() if '"ready"' in line}
    assert json.loads(line)["trino_http"] == "127.0.0.1:8080"
