"""The scoreboard counts only tests that exist, its page is what its data says, and it stays above what was promised."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev import matrix

ROOT = Path(__file__).parents[2]
PROMISED = 178


def test_it_has_the_cells_of_the_public_matrix() -> None:
    cells = matrix.cells()
    assert (len(cells), sum(cell.version == "v2" for cell in cells)) == (63, 27)
    assert {cell.level for cell in cells} <= set(matrix.POINTS)
    assert {feature.group for feature in matrix.features()} == set(matrix.GROUPS)
    assert sum(cell.points for cell in cells) >= PROMISED


def test_every_cell_names_a_test_and_what_is_not_full_the_reason() -> None:
    for cell in matrix.cells():
        assert cell.tests, cell
        assert cell.level == "full" or cell.feature.note, cell


def test_the_page_is_what_the_data_says() -> None:
    assert matrix.PAGE.read_text(encoding="utf-8") == matrix.page(), "run: .venv/bin/python -m dev.matrix"


def test_every_named_test_exists() -> None:
    files = sorted({test.partition("::")[0] for test in matrix.named_tests()})
    command = [sys.executable, "-m", "pytest", "--collect-only", *files]
    plain = {key: value for key, value in os.environ.items() if key != "PYTEST_ADDOPTS"}  # it may ask for another form
    run = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, check=True)
    collected = run.stdout.splitlines()
    assert set(matrix.named_tests()) <= set(collected)


@pytest.mark.parametrize(
    ("body", "outcome"), [("pass", "passed"), ("assert False", "failed"), ("__import__('pytest').skip('not here')", "skipped")]
)
def test_a_run_knows_what_became_of_each(tmp_path: Path, body: str, outcome: str) -> None:
    file = tmp_path / "test_one.py"
    file.write_text(f"def test_it():\n    {body}\n")
    found = matrix.outcomes([f"{file}::test_it"])
    assert list(found.values()) == [outcome]
    assert matrix.outcomes([f"{file}::test_missing"]) == {}


def test_a_counted_test_that_is_skipped_has_failed(tmp_path: Path) -> None:
    """With the tests' own conftest: the same rule in every run."""
    (tmp_path / "conftest.py").write_text(
        "import conftest_of_all\nfrom conftest_of_all import pytest_runtest_makereport\n"
        "conftest_of_all._counted = lambda: {'test_one.py::test_it'}\n"
    )
    (tmp_path / "conftest_of_all.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "test_one.py").write_text(
        "import pytest\n\ndef test_it():\n    pytest.skip('not here')\n\ntest_other = test_it\n"
    )
    paths = [str(tmp_path), str(ROOT), str(ROOT / "src")]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}; import pytest; sys.exit(pytest.main(['-q']))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, "1 failed, 1 skipped" in run.stdout) == (1, True), run.stdout
