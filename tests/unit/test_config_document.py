from __future__ import annotations

import re
from pathlib import Path

from sqe.config import load
from sqe.config.document import document

DOCS = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_documentation_is_made_from_the_declared_keys() -> None:
    assert DOCS.read_text(encoding="utf-8") == document(), "run: python -m sqe.config.document docs/configuration.md"


def test_the_example_in_the_documentation_loads(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", document(), re.DOTALL)
    path = tmp_path / "sqe.toml"
    path.write_text(example, encoding="utf-8")
    assert load(path, {"ALICE_PASSWORD": "x"}).catalog.path == tmp_path / "warehouse"
