"""The folder where everything that is fetched, compiled or trained lives, and the rules for writing to it.

A file with its final name is complete: work happens in a folder of its own under a lock, and a rename ends it. So readers need
no lock, two processes at once do the work once, and what a killed process left behind is swept by the next one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

Progress = Callable[[str], None]

UNUSED_AFTER_DAYS = 30
_DAY = 24 * 60 * 60


def quiet(_: str) -> None:
    """The progress of callers who do not want to hear any."""


def cache_dir() -> Path:
    """`$SQE_CACHE_DIR`, else `$XDG_CACHE_HOME/sqe`, else `~/.cache/sqe`; always absolute, because JVM archives record it."""
    own = os.environ.get("SQE_CACHE_DIR")
    if own:
        return Path(own).expanduser().absolute()
    shared = os.environ.get("XDG_CACHE_HOME")
    # The XDG specification says to ignore a relative value.
    if shared and os.path.isabs(shared):
        return Path(shared) / "sqe"
    return Path.home() / ".cache" / "sqe"


@contextmanager
def workshop(step: str, progress: Progress = quiet) -> Iterator[Path]:
    """An empty folder on the cache's file system, for one process at a time; gone afterwards.

    Whoever enters has to look again whether the work is still to do: another process may just have done it.
    """
    root = cache_dir() / "work"
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open(root / f"{step}.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f"waiting for another process that is making the {step}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        bench = root / step
        shutil.rmtree(bench, ignore_errors=True)
        bench.mkdir()
        try:
            yield bench
        finally:
            shutil.rmtree(bench, ignore_errors=True)


def publish(made: Path, target: Path) -> None:
    """Give a finished file its final name.

    The fsync is not for show: a JVM that maps a class archive cut short by a power failure dies of SIGBUS.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(made, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(made, target)


def mark_used(path: Path) -> None:
    """Remember the use of a file in its access time (once a day); the modification time must stay, JVM archives check it."""
    found = path.stat()
    now = time.time_ns()
    if now - found.st_atime_ns > _DAY * 1_000_000_000:
        try:
            os.utime(path, ns=(now, found.st_mtime_ns))
        except OSError:
            return  # a cache that others prepared for us, or in an image: nothing will sweep it


def sweep(folder: Path, pattern: str, keep: Collection[Path], at_most: int = 1000) -> None:
    """Remove what no installation has used for a month, and the longest unused beyond `at_most`.

    Recent files stay, because another version may run on them; a JVM that has one open does not notice its removal.
    """
    horizon = time.time() - UNUSED_AFTER_DAYS * _DAY
    others = sorted(((_last_use(path), path) for path in folder.glob(pattern) if path not in keep), reverse=True)
    for rank, (used, path) in enumerate(others, start=len(keep)):
        if used < horizon or rank >= at_most:
            path.unlink(missing_ok=True)


def _last_use(path: Path) -> float:
    found = path.stat()
    return max(found.st_atime, found.st_mtime)
