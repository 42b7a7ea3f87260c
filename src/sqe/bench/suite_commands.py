"""`sqe-bench generate | load | run | compare | report | profile`: what the suites' commands take, and what they start."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.bench.benchmark import BenchmarkError
from sqe.errors import SqeError

if TYPE_CHECKING:
    from sqe.bench.engines.engine import Engine, Setting
    from sqe.bench.lake import Loaded
    from sqe.bench.running import NotSlower
    from sqe.bench.suites.suite import Query

EQUAL, DIFFERENT, INTERRUPTED = 0, 1, 130


def add_to(commands: Any) -> None:
    """The six commands beside the benchmarks."""
    generate = _command(commands, "generate", _generate, "make a suite's data, as Parquet files")
    load = _command(commands, "load", _load, "load a suite's data into Iceberg tables, through SQE's own door")
    run = _command(commands, "run", _run, "run a suite on several engines in turns, and compare their answers")
    for command in (generate, load, run):
        command.add_argument("suite", help="tpch, tpcds, ssb, clickbench, …")
        command.add_argument("--scale", type=_scale, default=0.01, metavar="F", help="scale factor (0.01)")
    for command in (load, run):
        command.add_argument(
            "--store",
            choices=("local", "s3"),
            default="local",
            help="where the tables lie: in a folder, or in SeaweedFS behind a catalog that vends keys (local)",
        )
    run.add_argument("--cold", action="store_true", help="measure without copies of the store's files; they are made anew")
    run.add_argument(
        "--engines", default="sqe,pyspark,duckdb", metavar="NAMES", help="of sqe, sqe-embedded, sqe-trino, pyspark, trino, duckdb"
    )
    run.add_argument("--queries", default="", metavar="NAMES", help="only these, with commas between")
    run.add_argument("--repeat", type=_positive, metavar="N", help="measured rounds; the median counts (3, small: 31)")
    run.add_argument("--repeat-quick", type=_positive, metavar="N", help="of what takes less than half a second (as --repeat)")
    run.add_argument(
        "--warm-up",
        type=_positive,
        metavar="N",
        help="at most so many rounds before (4; 20 of what takes less than half a second)",
    )
    run.add_argument("--memory", default="2g", metavar="SIZE", help="heap of the engines that run on Java (2g)")
    run.add_argument(
        "--users", type=_sizes, default=(), metavar="N,N", help="asked by so many at once (suite users: 10,50,100), not in turns"
    )
    run.add_argument(
        "--witness", default="", metavar="NAMES", help="engines that answer once, to compare with, and serve no crowd"
    )
    run.add_argument("--seconds", type=_positive, default=60, metavar="N", help="how long each crowd asks (60)")
    run.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="NAME:KEY=VALUE,…",
        help="SQE once more as sqe-NAME, with other Spark settings or engine.KEY=VALUE, measured in the same run; with "
        "session.KEY=VALUE not another server, but another session of the same",
    )
    run.add_argument(
        "--not-slower",
        type=_promise,
        metavar="ENGINE:RATIO",
        help="fail if a query takes the first engine longer than this one by more than that; asked up to 61 times if it seems so",
    )
    load.add_argument("--check", action="store_true", help="compare the tables with an independent generator's, by Trino")
    load.add_argument("--statistics", action="store_true", help="compute the tables' statistics, too (compute_table_stats)")
    profile = _command(commands, "profile", _profile, "where the time of one query goes in SQE, with a flame graph")
    profile.add_argument("query", metavar="SUITE:QUERY", help="for instance tpch:q6")
    profile.add_argument("--scale", type=_scale, default=0.01, metavar="F", help="scale factor (0.01)")
    profile.add_argument("--rounds", type=_positive, default=10, metavar="N", help="how often it runs (10)")
    profile.add_argument("--memory", default="2g", metavar="SIZE", help="heap of the driver (2g)")
    profile.add_argument("--output", type=Path, default=Path("profile.html"), help="the page with the flame graph")
    compare = _command(commands, "compare", _compare, "what changed between two runs of a suite")
    for name in ("before", "after"):
        compare.add_argument(name, help="a run's file, its name, or SUITE:last, SUITE:last~1")
    report = _command(commands, "report", _report, "the newest runs as an HTML page with plots, and as a Markdown table")
    report.add_argument("--output", type=Path, default=Path("benchmarks.html"), help="the page; the table lies beside it as .md")
    report.add_argument("--into", type=Path, default=None, help="a Markdown file whose marked part becomes the table")


def run(options: argparse.Namespace) -> int:
    command: Callable[[argparse.Namespace], int] = options.suite_command
    try:
        options.folder = _folder(options)
        with ExitStack() as stack:
            if command not in (_compare, _report):
                from sqe.bench.workspace import alone_in

                stack.enter_context(alone_in(options.folder))
            return command(options)
    except (BenchmarkError, SqeError) as failure:
        print(f"sqe-bench: {failure}", file=sys.stderr)
        return DIFFERENT
    except KeyboardInterrupt:
        print("sqe-bench: interrupted", file=sys.stderr)
        return INTERRUPTED


def _folder(options: argparse.Namespace) -> Path:
    """Only commands that start the engine wait for it to be set up."""
    from sqe.bench.workspace import prepared_folder
    from sqe.engine.install import cache_dir

    if options.suite_command in (_compare, _report):
        return (options.folder or cache_dir() / "bench").expanduser().absolute()
    return prepared_folder(options.folder)


def _command(commands: Any, name: str, act: Callable[[argparse.Namespace], int], what: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=what, description=what)
    command.set_defaults(suite_command=act)
    command.add_argument("--folder", type=Path, help="where tables and results are kept (bench in the cache folder)")
    return command


def _generate(options: argparse.Namespace) -> int:
    from sqe.bench.lake import generate
    from sqe.bench.suites.registry import find

    print(generate(options.folder, find(options.suite), options.scale))
    return EQUAL


def _load(options: argparse.Namespace) -> int:
    from sqe.bench.lake import compute_statistics, load
    from sqe.bench.places import place_of
    from sqe.bench.suites.registry import find

    suite = find(options.suite)
    with place_of(options.folder, options.store) as place:
        loaded = load(options.folder, suite, options.scale, place)
        if options.statistics:
            compute_statistics(loaded)
    print(json.dumps({"schema": loaded.schema, "tables": {table.name: table.rows for table in loaded.tables}}))
    return _checked(loaded, suite.oracle(options.scale)) if options.check else EQUAL


def _checked(loaded: Loaded, questions: Sequence[Query]) -> int:
    """Sums of all columns by SQE, and by Trino over the rows that it makes itself."""
    from sqe.bench.engines.engine import Setting
    from sqe.bench.running import Rounds, Runner

    if not questions:
        raise BenchmarkError(f"Nobody else makes the tables of {loaded.suite}; its numbers of rows were checked")
    with ExitStack() as stack:
        engines = [stack.enter_context(engine) for engine in _named("sqe,trino", Setting())]
        for engine in engines:
            engine.start(loaded)
        result = Runner(loaded, engines, Rounds(repeat=1, most_warm_ups=1, most_if_quick=1), _say).run(questions)
    print(json.dumps({"checked": len(questions), "equal": result.equal}))
    return EQUAL if result.equal else DIFFERENT


def _run(options: argparse.Namespace) -> int:
    from sqe.bench.crowd import Crowd
    from sqe.bench.engines.engine import Setting
    from sqe.bench.lake import load
    from sqe.bench.places import place_of
    from sqe.bench.results import save
    from sqe.bench.running import Rounds, Runner
    from sqe.bench.suites.registry import find

    suite = find(options.suite)
    queries = _chosen(suite.queries(options.scale), options.queries)
    crowds = options.users or ((10, 50, 100) if suite.name == "users" else ())
    if crowds and any(query.kind != "read" for query in queries):
        raise BenchmarkError(f"--users asks only reads, and {suite.name} has writes; --queries chooses")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was measured by then is kept, as after Ctrl-C
    engines = _named(options.engines, Setting(options.memory))
    engines += [variant_of(text, options.memory, engines) for text in options.variant]
    witnesses = witnesses_of(options.witness, engines, crowds, options.memory)
    _check_promise(options.not_slower, engines, crowds)
    _check_store(options.store, [*engines, *witnesses])
    with ExitStack() as stack:
        loaded = load(options.folder, suite, options.scale, stack.enter_context(place_of(options.folder, options.store)))
        for engine in [*engines, *witnesses]:
            _say(f"starting {engine.name}")
            stack.enter_context(engine).start(loaded)
        if crowds:
            result = Crowd(loaded, engines, crowds, options.seconds, _say, witnesses=witnesses).run(queries)
        else:
            rounds = Rounds(
                options.repeat or suite.repeat,
                options.repeat_quick,
                options.warm_up or suite.warm_up,
                options.warm_up or suite.warm_up_if_quick,
                options.cold,
                options.not_slower,
            )
            result = Runner(loaded, engines, rounds, _say).run(queries)
    _say(f"written to {save(result, options.folder)}")
    print(json.dumps(result.summary()), flush=True)
    return EQUAL if result.equal and not result.slower else DIFFERENT


def _profile(options: argparse.Namespace) -> int:
    from sqe.bench.flames import flame_graph
    from sqe.bench.lake import load
    from sqe.bench.profiling import profiled, write
    from sqe.bench.suites.registry import find

    name, _, wanted = options.query.partition(":")
    suite = find(name)
    (query,) = _chosen(suite.queries(options.scale), wanted or "none")
    found = profiled(load(options.folder, suite, options.scale), options.query, query.sql, options.rounds, options.memory)
    write(found, options.output, flame_graph)
    print(found.table())
    _say(f"written to {options.output}")
    return EQUAL


def _compare(options: argparse.Namespace) -> int:
    from sqe.bench.comparing import compare_runs, table
    from sqe.bench.results import find, read

    before, after = (read(find(options.folder, name)) for name in (options.before, options.after))
    for run in (before, after):
        if run["noise"]["loaded"]:
            _say(f"the run of {run['at']} was measured on a loaded machine: look at the last column")
    print(table(compare_runs(before, after)))
    return EQUAL


def _report(options: argparse.Namespace) -> int:
    from sqe.bench.report import put_into, table, write

    page: Path = options.output
    shown = table(write(options.folder, page, page.with_suffix(".md")))
    print(shown)
    _say(f"written to {page} and {page.with_suffix('.md')}")
    if options.into is not None:
        put_into(options.into, shown)
        _say(f"written into {options.into}")
    return EQUAL


def _named(names: str, setting: Setting) -> list[Engine]:
    from sqe.bench.engines.registry import make

    engines = [make(name, setting) for name in names.split(",") if name]
    if len({engine.name for engine in engines}) != len(engines) or not engines:
        raise BenchmarkError("--engines wants each engine once")
    return engines


def witnesses_of(names: str, engines: Sequence[Engine], crowds: Sequence[int], memory: str) -> list[Engine]:
    from sqe.bench.engines.engine import Setting

    found = _named(names, Setting(memory)) if names else []
    if found and not crowds:
        raise BenchmarkError("--witness is for --users; in turns, --engines compares the answers of all")
    if {engine.name for engine in engines} & {witness.name for witness in found}:
        raise BenchmarkError("--witness wants engines that --engines does not name")
    return found


def _check_promise(promise: NotSlower | None, engines: Sequence[Engine], crowds: Sequence[int]) -> None:
    if promise is not None and (crowds or promise.than not in [engine.name for engine in engines[1:]]):
        raise BenchmarkError(f"--not-slower compares {engines[0].name}, in turns, with another engine of the run")


def _check_store(store: str, engines: Sequence[Engine]) -> None:
    """Others know the tables' folder and nothing else."""
    fits = (engine.name.startswith(("sqe", "trino")) and engine.name != "sqe-embedded" for engine in engines)
    if store != "local" and not all(fits):
        raise BenchmarkError(f"--store {store} is for sqe, sqe-trino and trino")


def _chosen(queries: Sequence[Query], names: str) -> Sequence[Query]:
    wanted = [name for name in names.split(",") if name]
    known = {query.name: query for query in queries}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise BenchmarkError(f"There is no query {unknown[0]!r} in this suite; there are {', '.join(known)}")
    return [known[name] for name in wanted] if wanted else queries


def variant_of(text: str, memory: str, engines: Sequence[Engine]) -> Engine:
    from sqe.bench.engines.engine import Setting
    from sqe.bench.engines.sqe_flight import SqeFlight
    from sqe.bench.engines.sqe_session import PREFIX, SqeSession

    name, colon, settings = text.partition(":")
    pairs = [tuple(part.split("=", 1)) for part in settings.split(",")]
    if not (name.isidentifier() and colon and all(len(pair) == 2 for pair in pairs)):
        raise BenchmarkError(f"--variant wants NAME:KEY=VALUE, not {text!r}")
    setting = Setting(memory, tuple((key, value) for key, value in pairs))
    of_sessions = [key.startswith(PREFIX) for key, _ in setting.spark]
    if not any(of_sessions):
        return SqeFlight(f"sqe-{name}", setting)
    server = next((engine for engine in engines if engine.name == "sqe"), None)
    if not (all(of_sessions) and isinstance(server, SqeFlight)):
        raise BenchmarkError(
            f"--variant {text!r} is a session of sqe: --engines has to name it, and all its keys are {PREFIX}KEY"
        )
    return SqeSession(f"sqe-{name}", setting, server)


def _scale(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0 and up to 100000")
    return value


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def _promise(text: str) -> NotSlower:
    from sqe.bench.running import NotSlower

    name, _, ratio = text.rpartition(":")
    try:
        value = float(ratio)
    except ValueError:
        value = 0.0
    if not (name and 0 < value < 1000):
        raise argparse.ArgumentTypeError(f"{text!r} is not ENGINE:RATIO, such as trino:1.0")
    return NotSlower(name, value)


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(_positive(size) for size in text.split(","))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
