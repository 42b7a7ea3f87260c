"""The documentation says what the code says: generated pages and tables, dependencies, flags, links."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

from sqe.errors import CODES
from sqe.version import __version__

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]

# What tests/service/test_docs.py runs, and `text` for the rest.
LANGUAGES = {"console", "python", "sql", "toml", "text"}


@pytest.fixture(scope="module")
def document() -> ModuleType:
    spec = importlib.util.spec_from_file_location("document", ROOT / "dev" / "document.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    return re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)


def test_generated_pages_and_tables_are_up_to_date(document: ModuleType) -> None:
    old = [page.name for page, text in document.written().items() if text_of(page) != text]
    assert not old, "run: .venv/bin/python dev/document.py"


def test_every_error_code_has_a_meaning(document: ModuleType) -> None:
    assert set(document.MEANINGS) == set(CODES)


def pinned() -> Iterator[tuple[str, str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [project["project"]["dependencies"], project["build-system"]["requires"]]
    for requirement in chain(*groups, *project["project"]["optional-dependencies"].values()):
        name, _, version = requirement.partition("==")
        yield name.partition("[")[0], version


def test_every_dependency_is_documented_with_its_pin() -> None:
    rows = [line for line in text_of(ROOT / "docs" / "dependencies.md").splitlines() if line.startswith("|")]
    missing = [name for name, version in pinned() if not any(f"`{name}`" in row and f"| {version} |" in row for row in rows)]
    assert not missing


def test_every_flag_of_the_server_is_documented() -> None:
    told = subprocess.run([sys.executable, "-m", "sqe.server_main", "--help"], capture_output=True, text=True, check=True).stdout
    page = text_of(ROOT / "docs" / "server.md")
    assert [flag for flag in sorted(set(re.findall(r"--[a-z]+", told))) if f"`{flag}" not in page] == []


def anchors(page: Path) -> set[str]:
    """As GitHub makes them from headings."""
    titles = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        if not other.is_file() or (anchor and anchor not in anchors(other)):
            wrong.append(target)
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_are_of_kinds_that_are_run_or_text(page: Path) -> None:
    fences = re.findall(r"^```(\w*)", text_of(page), re.MULTILINE)[::2]
    assert set(fences) - {""} <= LANGUAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_name_no_folder_of_anybodys_machine(page: Path) -> None:
    assert not re.search(r"(?<![\w.])/(root|home|work|Users)/", text_of(page))


def test_the_readme_leads_to_every_page() -> None:
    readme = text_of(ROOT / "README.md")
    assert [page.name for page in PAGES if page.parent.name == "docs" and f"](docs/{page.name})" not in readme] == []


def test_the_changes_of_this_version_are_told() -> None:
    assert f"\n## {__version__}\n" in text_of(ROOT / "CHANGELOG.md")
