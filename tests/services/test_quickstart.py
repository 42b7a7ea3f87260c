"""docs/quickstart-identity.md, played from its first command to its last on the real services."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import Addresses
from pages import ROOT, Page, Stage

from dev.services.stack import Stack as Services


@pytest.fixture
def stage(stack: Services, lake: Addresses) -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="sqe-quickstart-", dir="/tmp"))
    stage = Stage(folder)
    stage.env["SQE_SERVICES_DIR"] = str(stack.folder)
    stage.env["PYTHONPATH"] = str(ROOT)  # the page is read in the working copy, and played elsewhere
    ports = {"FLIGHT_SQL_PORT": "50051", "TRINO_HTTP_PORT": "8080", "METRICS_PORT": "9090", "HEALTH_PORT": "9091"}
    for key, port in ports.items():
        stage.env[f"SQE_COORDINATOR__{key}"] = stage.ports[port]
    try:
        yield stage
    finally:
        stage.close()
        left = stage.left()
        shutil.rmtree(folder, ignore_errors=True)
    assert not left


def test_the_page_does_what_it_shows(stage: Stage) -> None:
    page = Page(ROOT / "docs" / "quickstart-identity.md", stage)
    try:
        page.play()
    finally:
        page.close()
    assert not page.problems, "\n\n".join(page.problems)
