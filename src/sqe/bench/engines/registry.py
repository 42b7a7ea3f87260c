"""The engines by the names that `--engines` takes."""

from __future__ import annotations

import importlib

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.engines.engine import Engine, Setting

# What people say → the module. `sqe` is its main door.
MODULES = {
    "sqe": "sqe_flight",
    "sqe-embedded": "sqe_embedded",
    "sqe-trino": "sqe_trino",
    "pyspark": "pyspark",
    "trino": "trino",
    "duckdb": "duckdb",
}


def make(name: str, setting: Setting) -> Engine:
    """NAME, or NAME=URL for one that runs elsewhere (`trino=http://…`, `adbc=grpc://…`)."""
    kind, _, url = name.partition("=")
    module = "adbc" if kind == "adbc" and url else MODULES.get(kind)
    if module is None or (url and kind not in ("adbc", "trino")):
        raise BenchmarkError(f"There is no engine {name!r}; there are {', '.join(MODULES)}, trino=URL and adbc=URL")
    found = importlib.import_module(f"sqe.bench.engines.{module}")
    engine: Engine = found.ENGINE(kind, setting, url) if url else found.ENGINE(kind, setting)
    return engine
