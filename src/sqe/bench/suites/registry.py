"""The suites by name: a module of this folder with a `SUITE`. Nothing is listed twice, and only the asked one is imported."""

from __future__ import annotations

import importlib
import pkgutil

import sqe.bench.suites
from sqe.bench.benchmark import BenchmarkError
from sqe.bench.suites.suite import Suite


def find(name: str) -> Suite:
    suite = _suite(name) if name in _modules() else None
    if suite is None:
        raise BenchmarkError(f"There is no suite {name!r}; there are {', '.join(names())}")
    return suite


def names() -> list[str]:
    return sorted(name for name in _modules() if _suite(name) is not None)


def _modules() -> set[str]:
    return {module.name for module in pkgutil.iter_modules(sqe.bench.suites.__path__)}


def _suite(name: str) -> Suite | None:
    return getattr(importlib.import_module(f"sqe.bench.suites.{name}"), "SUITE", None)
