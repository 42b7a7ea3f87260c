"""Where pyspark is and which one it is, without importing it (pyspark.sql alone costs 264 CPU-ms)."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

from sqe.errors import CONFIGURATION_INVALID, SqeError


@dataclass(frozen=True)
class Spark:
    """The installed pyspark: its folder of jars and its version."""

    jars: Path
    version: str

    def jar(self, pattern: str) -> Path:
        found = sorted(self.jars.glob(pattern))
        if not found:
            raise SqeError(CONFIGURATION_INVALID, f"The installed pyspark {self.version} has no {pattern} among its jars")
        return found[0]


def find_spark() -> Spark:
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.origin:
        raise SqeError(CONFIGURATION_INVALID, "The Python package pyspark is not installed", hint="pip install sqe brings it")
    home = Path(spec.origin).parent
    found = re.search(r"^__version__[^'\"]*['\"]([^'\"]+)", (home / "version.py").read_text(), re.MULTILINE)
    return Spark(home / "jars", found[1] if found else "unknown")
