"""The command `sqe-bench`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from sqe.bench import door, metadata, policy, sessions, start, stream, suite_commands, tables, tls, warm
from sqe.bench.benchmark import Benchmark, BenchmarkError, Run
from sqe.bench.figures import Figure
from sqe.errors import SqeError

BENCHMARKS = (
    start.BENCHMARK,
    warm.BENCHMARK,
    stream.BENCHMARK,
    sessions.BENCHMARK,
    door.BENCHMARK,
    tls.BENCHMARK,
    policy.BENCHMARK,
    metadata.BENCHMARK,
    tables.BENCHMARK,
)

MET, MISSED = 0, 1


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if hasattr(options, "suite_command"):
        return suite_commands.run(options)
    benchmark: Benchmark = options.benchmark
    from sqe.bench.workspace import prepared_folder

    try:
        figures = measured(benchmark, Run(prepared_folder(options.folder), options))
    except (BenchmarkError, SqeError) as failure:
        print(f"sqe-bench {benchmark.name}: {failure}", file=sys.stderr)
        return MISSED
    return MISSED if options.strict and missed(benchmark, figures) else MET


def measured(benchmark: Benchmark, run: Run) -> list[Figure]:
    """Each figure is told as soon as it is known: a run takes minutes, and may be stopped."""
    figures = []
    for figure in benchmark.measure(run):
        run.say(figure.sentence())
        print(figure.json(), flush=True)
        figures.append(figure)
    return figures


def missed(benchmark: Benchmark, figures: Sequence[Figure]) -> bool:
    """A figure that was promised and not measured is missed too."""
    return {figure.declared for figure in figures if figure.ok} != set(benchmark.figures)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser("sqe-bench", description="Measures SQE against its promises (docs/benchmarks.md).")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for benchmark in BENCHMARKS:
        command = commands.add_parser(benchmark.name, help=benchmark.what, description=benchmark.what)
        command.set_defaults(benchmark=benchmark)
        for option in benchmark.options:
            command.add_argument(
                f"--{option.name}", type=_positive, default=option.default, metavar="N", help=f"{option.what} ({option.default})"
            )
        command.add_argument("--folder", type=Path, help="where tables are kept between runs (bench in the cache folder)")
        command.add_argument("--strict", action="store_true", help="exit 1 when a target is missed")
    suite_commands.add_to(commands)
    return top


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


if __name__ == "__main__":
    main()
