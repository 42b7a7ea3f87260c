"""`sqe-bench report`: the newest whole run of each suite and the history: one page that needs nothing else, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from sqe.bench import plots
from sqe.bench.answers import FLOAT_TOLERANCE
from sqe.bench.benchmark import BenchmarkError
from sqe.bench.comparing import times
from sqe.bench.results import all_runs

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 12px; }
td, th { border: 1px solid #d0d7de; padding: 2px 8px; text-align: right; }
td:first-child, th:first-child { text-align: left; }
svg { width: 100%; margin: 1rem 0; } .title { font-weight: 600; font-size: 13px; }
.bad { background: #ffebe9; } .vacuous { background: #fff8c5; } .loaded { color: #cf222e; }
"""


def write(folder: Path, page: Path, markdown: Path) -> list[dict[str, Any]]:
    """Both files; the runs that they show."""
    runs = all_runs(folder)
    if not runs:
        raise BenchmarkError(f"There is no run in {folder / 'runs'} yet")
    newest = shown_runs(runs)
    page.write_text(_page(newest, runs), encoding="utf-8")
    markdown.write_text(table(newest) + "\n", encoding="utf-8")
    return newest


def shown_runs(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each suite and scale, among those that asked most: a look at two queries is not the suite."""
    latest = {(run["suite"], run["scale"]): run for run in sorted(runs, key=lambda run: (len(run["queries"]), str(run["at"])))}
    return [latest[key] for key in sorted(latest)]


def table(runs: Sequence[dict[str, Any]]) -> str:
    """One row a suite and engine."""
    lines = [
        "| suite | scale | engine | sum of medians, s | geometric mean, s | CPU, s | peak MB | ok | failed | vacuous | machine |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        mood = "loaded" if run["noise"]["loaded"] else "quiet"
        for name, engine in run["engines"].items():
            figures = " | ".join(_cell(engine[key]) for key in ("sum", "geomean", "cpu", "rss", "ok", "failed", "vacuous"))
            lines.append(f"| {run['suite']} | {run['scale']:g} | {name} {engine['version']} | {figures} | {mood} |")
    return "\n".join(lines)


# A document that shows the table has these two lines around it.
BEGIN, END = "<!-- sqe-bench report: begin -->", "<!-- sqe-bench report: end -->"


def put_into(document: Path, shown: str) -> None:
    """What stands between the marks becomes the table."""
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BenchmarkError(f"{document} has no lines {BEGIN} and {END}, between which the table would stand")
    document.write_text(f"{before}{BEGIN}\n{shown}\n{END}{after}", encoding="utf-8")


def _page(newest: Sequence[dict[str, Any]], runs: Sequence[dict[str, Any]]) -> str:
    body = "".join(_suite(run, [other for other in runs if _same(run, other)]) for run in newest)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>SQE benchmarks</title>'
        f"<style>{_STYLE}</style></head><body><h1>SQE benchmarks</h1>{body}</body></html>\n"
    )


def _rounds(run: dict[str, Any]) -> str:
    """Runs of before had one number."""
    quick = run.get("repeat_if_quick", run["repeat"])
    return str(run["repeat"]) if quick == run["repeat"] else f"{run['repeat']} (of what is quick {quick})"


def _suite(run: dict[str, Any], history: Sequence[dict[str, Any]]) -> str:
    machine, noise = run["machine"], run["noise"]
    mood = (
        f'<strong class="loaded">loaded machine: {100 * noise["foreign_share"]:.0f} % of the cores&#39; time went to other '
        "processes</strong>"
        if noise["loaded"]
        else f"quiet machine ({100 * noise['foreign_share']:.0f} % of the cores&#39; time went to other processes)"
    )
    about = (
        f"<p>{escape(str(run['at']))}; {machine['cores']} cores, {machine['memory_gb']} GB, {escape(str(machine['system']))}; "
        f"{mood}; median of {_rounds(run)} rounds after warm-up, in turns; heap {escape(str(run['memory']))}. "
        f"Answers {'are equal' if run['equal'] else '<strong class=loaded>ARE NOT ALL EQUAL</strong>'} "
        f"(floating-point numbers within {FLOAT_TOLERANCE:g} or the query&#39;s own tolerance).</p>"
    )
    figures = times(run)
    by_query = {
        query["name"]: {engine: found[query["name"]] for engine, found in figures.items() if query["name"] in found}
        for query in run["queries"]
    }
    sums = {name: {"sum": engine["sum"]} for name, engine in run["engines"].items() if engine["sum"]}
    over_time = {
        name: [(str(old["at"]), old["engines"][name]["sum"]) for old in history if old["engines"].get(name, {}).get("sum")]
        for name in run["engines"]
    }
    return (
        f"<h2>{escape(run['suite'])}, scale {run['scale']:g}</h2>{about}{_summary(run)}"
        + plots.bars("sum of medians", {"all": {name: row["sum"] for name, row in sums.items()}}, "s")
        + plots.bars("median by query", by_query, "s")
        + (plots.lines("sum of medians over time", over_time, "s") if len(history) > 1 else "")
        + _queries(run)
    )


def _summary(run: dict[str, Any]) -> str:
    keys = ("version", "sum", "geomean", "cpu", "rss", "ok", "failed", "vacuous")
    head = "".join(f"<th>{key}</th>" for key in ("engine", *keys))
    rows = "".join(
        f"<tr><td>{escape(name)}</td>" + "".join(f"<td>{escape(_cell(engine[key]))}</td>" for key in keys) + "</tr>"
        for name, engine in run["engines"].items()
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _queries(run: dict[str, Any]) -> str:
    names = list(run["engines"])
    head = "<th>query</th>" + "".join(f"<th>{escape(name)}: median / minimum / CPU s</th>" for name in names)
    rows = "".join(
        f"<tr><td>{escape(query['name'])}</td>" + "".join(_measured(query["engines"][name]) for name in names) + "</tr>"
        for query in run["queries"]
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _measured(found: dict[str, Any]) -> str:
    from statistics import median

    verdict = found["verdict"]
    if not found["seconds"]:
        shown = verdict
    else:
        shown = f"{median(found['seconds']):.3f} / {min(found['seconds']):.3f} / {median(found['cpu']):.2f}"
        shown += "" if verdict == "ok" else f" {verdict}"
    kind = {"ok": "", "skipped": "", "vacuous": "vacuous"}.get(verdict, "bad")
    return f'<td class="{kind}" title="{escape("; ".join(found["why"]))}">{escape(shown)}</td>'


def _same(run: dict[str, Any], other: dict[str, Any]) -> bool:
    """Sums of other queries would say nothing about the way of this one."""
    return _asked(run) == _asked(other)


def _asked(run: dict[str, Any]) -> tuple[Any, ...]:
    return run["suite"], run["scale"], [query["name"] for query in run["queries"]]


def _cell(value: Any) -> str:
    return "" if value is None else str(value)
