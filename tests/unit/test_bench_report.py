"""`sqe-bench report --into FILE`, and that README shows what the runs beside it say."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.report import BEGIN, END, put_into, shown_runs, table
from sqe.bench.results import all_runs

ROOT = Path(__file__).parents[2]


def test_what_stands_between_the_marks_becomes_the_table(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(f"before\n{BEGIN}\nan old table\n{END}\nafter\n")
    put_into(document, "| new |")
    put_into(document, "| newer |")
    assert document.read_text() == f"before\n{BEGIN}\n| newer |\n{END}\nafter\n"


@pytest.mark.parametrize("text", ["", "no marks", BEGIN, f"{END}\n{BEGIN}"])
def test_a_document_without_marks_stays_as_it_is(text: str, tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(text)
    with pytest.raises(BenchmarkError, match="has no lines"):
        put_into(document, "| new |")
    assert document.read_text() == text


def test_the_table_of_readme_is_that_of_the_runs_on_record() -> None:
    runs = shown_runs(all_runs(ROOT / "docs" / "benchmarks"))
    shown = (ROOT / "README.md").read_text().partition(BEGIN)[2].partition(END)[0]
    assert shown.strip() == table(runs), "sqe-bench report --folder docs/benchmarks --into README.md"
