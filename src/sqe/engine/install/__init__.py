"""What pip cannot install: Java, the Iceberg jars, the compiled JVM extension, the class archive.

`ensure()` is called at every start of a driver and is done in a few milliseconds when everything is there; a missing piece is
made on the spot, so a plain `pip install` sets itself up at first use. `python -m sqe.engine.install` does the same ahead of it.
"""

from __future__ import annotations

import errno
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sqe.engine.install.archive import Trainer, archive_flags, ensure_archive, existing_archive
from sqe.engine.install.cache import Progress, cache_dir, quiet
from sqe.engine.install.classpath import driver_class_path, kubernetes_class_path
from sqe.engine.install.jars import ensure_jars
from sqe.engine.install.java import Java, find_java
from sqe.engine.install.sqlite_library import library_flags
from sqe.engine.install.trust import machine_trust_store, trust_flags
from sqe.errors import CONFIGURATION_INVALID, OUT_OF_DISK_SPACE, SqeError

__all__ = [
    "Installation",
    "Java",
    "Progress",
    "Trainer",
    "cache_dir",
    "ensure",
    "ensure_jars",
    "find_java",
    "kubernetes_class_path",
]


@dataclass(frozen=True)
class Installation:
    """Everything a driver is started with."""

    java: Java
    class_path: tuple[Path, ...]
    archive: Path | None
    trust_store: Path | None

    def jvm_flags(self) -> list[str]:
        """All that a driver's command line needs besides `-cp`: archive, SQLite's library, the trust store of a Java from pip."""
        return [*archive_flags(self.java, self.archive), *trust_flags(self.trust_store), *library_flags()]


def ensure(
    progress: Progress = quiet, *, java_setting: str | None = None, trainer: Trainer | None = None, flags_key: str = ""
) -> Installation:
    """Make what is missing, one line to `progress` for each piece. Without a `trainer` only an existing archive is used."""
    try:
        return _ensure(progress, java_setting, trainer, flags_key)
    except OSError as failure:
        code = OUT_OF_DISK_SPACE if failure.errno in (errno.ENOSPC, errno.EDQUOT) else CONFIGURATION_INVALID
        raise SqeError(
            code,
            f"The engine could not be set up in {cache_dir()}: {failure.strerror}",
            hint="SQE_CACHE_DIR names another folder",
        ) from failure
    except subprocess.TimeoutExpired as failure:
        raise SqeError(CONFIGURATION_INVALID, f"Setting up the engine took longer than {failure.timeout:.0f} s") from failure


def _ensure(progress: Progress, java_setting: str | None, trainer: Trainer | None, flags_key: str) -> Installation:
    java = find_java(java_setting)
    tell = _java_first(java, progress)
    class_path = driver_class_path(java, tell)
    if trainer is None:
        archive = existing_archive(java, class_path, flags_key)
    else:
        archive = ensure_archive(java, class_path, flags_key, trainer, tell)
    # A Java of the machine has the authorities that its administrator gave it; the one from pip has to be told.
    store = machine_trust_store(tell) if java.bundled else None
    return Installation(java, tuple(class_path), archive, store)


def _java_first(java: Java, progress: Progress) -> Progress:
    """Which Java it is matters when something is made with it, and only then."""
    told: list[str] = []

    def tell(line: str) -> None:
        if not told:
            told.append(f"java {java.version} from {java.source} ({java.home})")
            progress(told[0])
        progress(line)

    return tell
