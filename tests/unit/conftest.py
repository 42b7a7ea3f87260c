from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from config_files import Written
from identity_provider import IdentityProvider, running


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Writes a text as sqe.toml in a folder of the test's own."""

    def write(text: str) -> Path:
        path = tmp_path / "sqe.toml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def idp() -> Iterator[IdentityProvider]:
    with running() as provider:
        yield provider
