"""The native kernel's library, out of its jar once: every JVM would unpack 70 MB into its temporary folder before its first use
(0.7 s). A jar without libraries makes the driver load the one that lies beside it."""

from __future__ import annotations

import platform
import zipfile
from pathlib import Path

from sqe.engine.install.cache import cache_dir, mark_used, publish, sweep, workshop
from sqe.engine.install.jars import DUCKDB

_LIBRARY = "libduckdb_java.so_"
_MACHINES = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}


def kernel_jar() -> Path:
    """The jar for the class path: ours beside its library, or the pinned one where no library surely fits."""
    fits = platform.system() == "Linux" and platform.libc_ver()[0] == "glibc" and platform.machine() in _MACHINES
    if not fits:
        return DUCKDB.path
    folder = cache_dir() / "native" / f"duckdb-{DUCKDB.sha256[:16]}-{platform.machine()}"
    jar, library = folder / "duckdb_jdbc.jar", folder / f"{_LIBRARY}{_MACHINES[platform.machine()]}"
    if not (jar.exists() and library.exists()):
        _unpack(jar, library)
    mark_used(library)
    return jar


def _unpack(jar: Path, library: Path) -> None:
    with workshop("native") as bench:
        if jar.exists() and library.exists():
            return
        with zipfile.ZipFile(DUCKDB.path) as pinned:
            (bench / library.name).write_bytes(pinned.read(library.name))
            with zipfile.ZipFile(bench / jar.name, "w", zipfile.ZIP_STORED) as slim:
                for entry in pinned.infolist():
                    if not entry.filename.startswith(_LIBRARY):
                        slim.writestr(zipfile.ZipInfo(entry.filename), pinned.read(entry))
        (bench / library.name).chmod(0o755)
        # The jar last: a class path that has it finds the library.
        publish(bench / library.name, library)
        publish(bench / jar.name, jar)
        sweep(library.parent.parent, f"duckdb-*/{_LIBRARY}*", keep=[library])
