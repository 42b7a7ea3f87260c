"""The log of who asked what, one JSON object a line. Tokens appear as hashes: a test compares them with those that it holds."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass
class Line:
    """Filled while the request is answered: who it was is known after the token is checked, if at all."""

    method: str
    path: str
    authorization: str | None
    subject: str | None = None
    name: str | None = None
    status: int = 500
    vended: str | None = None


class AuditLog:
    def __init__(self, path: Path) -> None:
        self._file = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 (lives as long as the process)

    def write(self, line: Line) -> None:
        self._file.write(json.dumps({"at": time.time(), **asdict(line)}) + "\n")


def fingerprint(authorization: str | None) -> str | None:
    return hashlib.sha256(authorization.encode()).hexdigest() if authorization else None
