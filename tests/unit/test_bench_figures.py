"""`sqe-bench`: what its lines say."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.bench.benchmark import Benchmark, Run
from sqe.bench.figures import Bound, Declared, Figure
from sqe.bench.main import BENCHMARKS, measured, missed, parser

DOCS = Path(__file__).parents[2] / "docs" / "benchmarks.md"

SPEED = Declared("x.speed", "time for it", 0.5, "s", "the others")
SIZE = Declared("x.size", "memory for it", 10, "MB")
ROWS = Declared("x.rows", "rows received", 1, "rows", "rows in the table", Bound.EXACTLY)


@pytest.mark.parametrize(
    ("declared", "ours", "peer", "ratio", "ok"),
    [
        (SPEED, 1.0, 2.0, 0.5, True),
        (SPEED, 1.2, 2.0, 0.6, False),
        (SPEED, 1.0, 0.0, None, False),
        (SIZE, 10.0, None, None, True),
        (SIZE, 10.1, None, None, False),
        (ROWS, 6_000_000, 6_000_000, 1, True),
        (ROWS, 5_999_999, 6_000_000, 1.0, False),
    ],
)
def test_a_figure_says_its_ratio_and_whether_it_meets_its_target(
    declared: Declared, ours: float, peer: float | None, ratio: float | None, ok: bool
) -> None:
    line = json.loads(declared.measured(ours, peer).json())
    assert list(line) == ["name", "ours", "peer", "ratio", "target", "ok"]
    assert line == {"name": declared.name, "ours": ours, "peer": peer, "ratio": ratio, "target": declared.target, "ok": ok}


def test_figures_are_rounded_for_people_and_judged_as_they_are() -> None:
    figure = SPEED.measured(1.000049, 2.0)
    assert json.loads(figure.json())["ratio"] == 0.5
    assert not figure.ok
    assert json.loads(SIZE.measured(12345.678).json())["ours"] == 12350


def test_a_figure_is_measured_with_the_peer_it_was_declared_with() -> None:
    with pytest.raises(ValueError, match=r"x\.speed is declared with a peer"):
        SPEED.measured(1.0)
    with pytest.raises(ValueError, match=r"x\.size is declared without a peer"):
        SIZE.measured(1.0, 2.0)


def test_each_figure_is_one_json_line_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark = _benchmark(SPEED.measured(1.0, 4.0), SIZE.measured(11))
    figures = measured(benchmark, Run(Path(), argparse.Namespace()))
    printed = capsys.readouterr()
    assert [json.loads(line)["name"] for line in printed.out.splitlines()] == ["x.speed", "x.size"]
    assert "x.speed: 1 s, the others 4 s, ratio 0.25 (at most 0.5: ok)" in printed.err
    assert "x.size: 11 MB (at most 10: MISSED)" in printed.err
    assert missed(benchmark, figures)


def test_a_figure_that_was_not_measured_is_missed() -> None:
    figures = [SPEED.measured(1.0, 4.0), SIZE.measured(1)]
    assert not missed(_benchmark(*figures), figures)
    assert missed(_benchmark(*figures), figures[:1])


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)
def test_every_benchmark_is_declared_and_documented(benchmark: Benchmark) -> None:
    options = parser().parse_args([benchmark.name])
    assert options.benchmark is benchmark
    assert {option.name.replace("-", "_") for option in benchmark.options} <= set(vars(options))
    text = DOCS.read_text()
    assert f"sqe-bench {benchmark.name}" in text
    for option in benchmark.options:
        assert f"--{option.name}" in text
    for figure in benchmark.figures:
        assert figure.name.startswith(f"{benchmark.name}.")
        assert f"| `{figure.name}` | " in text
        assert f"| {figure.bound.value} {figure.target:g}" in text


def test_figures_have_names_of_their_own() -> None:
    names = [figure.name for benchmark in BENCHMARKS for figure in benchmark.figures]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "arguments", [[], ["nothing"], ["warm", "--repeat", "0"], ["warm", "--repeat", "x"], ["door", "--rows", "1"]]
)
def test_wrong_usage_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        parser().parse_args(arguments)
    assert left.value.code == 2
    assert "usage: sqe-bench" in capsys.readouterr().err


def _benchmark(*figures: Figure) -> Benchmark:
    def measure(_: Run) -> Iterator[Figure]:
        yield from figures

    return Benchmark("x", "an example", tuple(figure.declared for figure in figures), (), measure)
