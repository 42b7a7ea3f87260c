"""The scoreboard: what of the public Iceberg matrix works. Its page is written by a run of the tests that show it.

    .venv/bin/python -m dev.matrix            runs every named test, then writes docs/iceberg-matrix.md
    .venv/bin/python -m dev.matrix --list     the named tests, one a line

Nothing is written when a named test does not exist, is skipped or fails. dev/matrix.toml has the cells.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
CELLS = ROOT / "dev" / "matrix.toml"
PAGE = ROOT / "docs" / "iceberg-matrix.md"

# The public matrix's weights: Spark's 54 full, 5 partial, 3 unknown and 1 missing cells are its 175 points.
POINTS = {"full": 3, "partial": 2, "unknown": 1, "none": 0}
VERSIONS = ("v2", "v3")

GROUPS = {
    "row-level-operations": "Row-level operations",
    "table-management": "Tables",
    "partitioning": "Partitions",
    "read-write": "Reading and writing",
    "catalog-support": "Catalogs",
    "v3-data-types": "Types of version 3",
    "v3-advanced": "More of version 3",
}


HEAD = """\
# The Iceberg matrix

<!-- Made by `python -m dev.matrix` from dev/matrix.toml, after all tests that it names have passed. -->

**{points} of {most} points.** The public [Iceberg matrix](https://icebergmatrix.org) gave open-source Spark 175 by the same list
(April 2026) and rules: {cells} cells, each full (3 points), partial (2), unknown (1) or none (0). The {tests} tests below passed
in the run that wrote this page; a skipped one counts as failed wherever it runs, and a unit test fails when one is not there any
more. *Confirmed* says what another engine made of it that shares no code with Spark.\
"""


@dataclass(frozen=True)
class Feature:
    id: str
    name: str
    group: str
    since: str
    tests: tuple[str, ...]
    levels: dict[str, str] = field(default_factory=dict)
    confirmed: str = ""
    note: str = ""

    @property
    def versions(self) -> tuple[str, ...]:
        return VERSIONS if self.since == "v2" else ("v3",)


@dataclass(frozen=True)
class Cell:
    feature: Feature
    version: str

    @property
    def level(self) -> str:
        return self.feature.levels.get(self.version, "full")

    @property
    def points(self) -> int:
        return POINTS[self.level]

    @property
    def tests(self) -> list[str]:
        return [test.replace("{version}", self.version) for test in self.feature.tests]


def features() -> list[Feature]:
    entries = tomllib.loads(CELLS.read_text(encoding="utf-8"))["features"]
    return [Feature(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def cells() -> list[Cell]:
    return [Cell(feature, version) for feature in features() for version in feature.versions]


def named_tests() -> list[str]:
    return sorted({test for cell in cells() for test in cell.tests})


def page() -> str:
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    every = cells()
    points, most = sum(cell.points for cell in every), POINTS["full"] * len(every)
    yield HEAD.format(points=points, most=most, cells=len(every), tests=len(named_tests()))
    for group, title in GROUPS.items():
        yield from ("", f"## {title}", "", "| feature | V2 | V3 | shown by | confirmed | remark |", "|---|---|---|---|---|---|")
        yield from (_row(feature) for feature in features() if feature.group == group)


def _row(feature: Feature) -> str:
    scores = [Cell(feature, version).level if version in feature.versions else "" for version in VERSIONS]
    shown = ", ".join(dict.fromkeys(_linked(test) for test in feature.tests))
    return f"| {feature.name} | {' | '.join(scores)} | {shown} | {feature.confirmed} | {feature.note} |"


def _linked(test: str) -> str:
    file, _, name = test.partition("::")
    shown = name.replace("[{version}]", "").replace("-{version}", "")
    return f"[`{shown}`](../{file})"


def outcomes(tests: list[str]) -> dict[str, str]:
    """Runs them; what became of each: passed, failed, skipped. One that does not exist is not in it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-o", "junit_family=xunit1", f"--junitxml={report}", *tests]
        subprocess.run(command, cwd=ROOT, check=False)
        if not report.exists():
            return {}
        return {_node(case): _became(case) for case in ElementTree.parse(report).iter("testcase")}


def _node(case: ElementTree.Element) -> str:
    return f"{case.attrib['file']}::{case.attrib['name']}"


def _became(case: ElementTree.Element) -> str:
    children = {child.tag for child in case}
    if children & {"failure", "error"}:
        return "failed"
    return "skipped" if "skipped" in children else "passed"


def main() -> int:
    options = argparse.ArgumentParser("python -m dev.matrix", description=__doc__)
    options.add_argument("--list", action="store_true", help="the named tests, one a line")
    if options.parse_args().list:
        print(*named_tests(), sep="\n")
        return 0
    found = outcomes(named_tests())
    wrong = {test: found.get(test, "does not exist") for test in named_tests() if found.get(test) != "passed"}
    for test, became in wrong.items():
        print(f"{test}: {became}", file=sys.stderr)
    if wrong:
        return 1
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{sum(cell.points for cell in cells())} points")
    return 0


if __name__ == "__main__":
    sys.exit(main())
