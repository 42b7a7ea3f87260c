"""Policies in files: which there are, and whether they changed since they were read."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

Clock = Callable[[], float]

# Editors write files in steps, and a stat for every statement is wasted.
_LOOK_SECONDS = 1.0


class PolicyFiles:
    """Files below a folder (or one file) with these endings, and a version that changes with them."""

    def __init__(self, place: Path, endings: tuple[str, ...], clock: Clock = time.monotonic) -> None:
        self._place = place
        self._endings = endings
        self._clock = clock
        self._lock = threading.Lock()
        self._looked = float("-inf")
        self._version = ""

    def paths(self) -> list[Path]:
        if self._place.is_file():
            return [self._place]
        found = (path for ending in self._endings for path in self._place.rglob(f"*{ending}"))
        return sorted(path for path in found if path.is_file())

    def version(self) -> str:
        with self._lock:
            if self._clock() - self._looked >= _LOOK_SECONDS:
                self._looked = self._clock()
                self._version = self._fingerprint()
            return self._version

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for path in self.paths():
            about = path.stat()
            digest.update(f"{path}\0{about.st_size}\0{about.st_mtime_ns}\0".encode())
        return digest.hexdigest()[:16]
