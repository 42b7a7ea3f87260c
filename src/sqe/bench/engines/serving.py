"""The two ends of an engine in a process of its own: a loop that answers statements, and the engine that asks it.

A question is a JSON line {"sql", "parameters", "file"}; the rows go to the file as an Arrow stream after the clock was stopped,
and the answer is {"seconds"} or {"error"}.
"""

from __future__ import annotations

import json
import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from sqe.bench.engines.engine import Answer, Engine, EngineFailure, Parameters, Setting
from sqe.bench.lake import Loaded
from sqe.bench.processes import Child

_ANSWER_SECONDS = 1800.0


Run = Callable[[str, list[Any]], Any]


def serve(run: Run, version: str) -> None:
    """`run` gives an Arrow table, or None for a statement without rows. Ends when nobody asks any more."""
    print(json.dumps({"ready": True, "version": version}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps(_answered(run, question)), flush=True)


def _answered(run: Run, question: dict[str, Any]) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        table = run(question["sql"], question["parameters"])
        seconds = time.perf_counter() - started
    except Exception as failure:  # noqa: BLE001 - whatever an engine throws is its answer
        return {"error": first_line(failure)}
    rows = table if table is not None else pa.table({})
    with pa.OSFile(question["file"], "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return {"seconds": seconds}


def first_line(failure: BaseException) -> str:
    lines = [line for line in str(failure).splitlines() if line.strip()]
    return (lines[0] if lines else type(failure).__name__)[:500]


class ProcessEngine(Engine):
    """Asks a child in lines and reads the rows from a file that both know."""

    def __init__(self, name: str, setting: Setting) -> None:
        super().__init__(name, setting)
        self._child: Child | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._version = ""

    @abstractmethod
    def child(self, loaded: Loaded) -> Child: ...

    def start(self, loaded: Loaded) -> None:
        self._folder = TemporaryDirectory(prefix="sqe-bench-")
        self._child = self.child(loaded)
        self._version = str(self._child.answer()["version"])

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        assert self._folder is not None
        file = Path(self._folder.name) / "rows.arrow"
        question = {"sql": sql, "parameters": list(parameters), "file": str(file)}
        answer = self._running.ask(json.dumps(question), _ANSWER_SECONDS)
        if "error" in answer:
            raise EngineFailure(answer["error"])
        with pa.OSFile(str(file), "rb") as source, pa.ipc.open_stream(source) as reader:
            table = reader.read_all()
        file.unlink()
        return Answer(table, float(answer["seconds"]))

    def processes(self) -> Iterable[int]:
        return [self._running.pid]

    @property
    def version(self) -> str:
        return self._version

    def stop(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @property
    def _running(self) -> Child:
        if self._child is None:
            raise EngineFailure(f"{self.name} does not run")
        return self._child
