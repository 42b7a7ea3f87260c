"""Tools that cannot share this environment: each in one of its own, made once, in the cache folder."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from sqe.engine.install.cache import cache_dir, workshop


def python_of(pins: Path) -> Path:
    """The Python of an environment with the packages that a file of pins lists. The first call fetches them."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(pins.read_bytes()).hexdigest()[:8]
    folder = cache_dir() / "services" / f"python{version}-{pins.parent.name}-{digest}"
    python = Path("bin") / "python"
    if not folder.exists():
        with workshop(f"services-{pins.parent.name}") as bench:
            if not folder.exists():
                venv.create(bench / "made", with_pip=False, symlinks=True)
                packages = bench / "made" / "lib" / f"python{version}" / "site-packages"
                command = [*_installer(), "--quiet", "--requirement", str(pins), "--target", str(packages)]
                subprocess.run(command, check=True, timeout=600)
                folder.parent.mkdir(parents=True, exist_ok=True)
                os.rename(bench / "made", folder)
    return folder / python


def _installer() -> list[str]:
    """Environments that uv made have no pip; both understand the same options."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    uv = shutil.which("uv")
    assert uv is not None, "neither pip nor uv is there"
    return [uv, "pip", "install", "--python", sys.executable]


def clean_environment(**more: str) -> dict[str, str]:
    """Without the paths of this environment's packages."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")} | more
