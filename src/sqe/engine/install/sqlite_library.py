"""SQLite's native library, out of its jar once: every JVM would unpack it anew and compare the copy with the original byte by
byte, in Java, before that is compiled (a fifth of what is loaded before the first statement)."""

from __future__ import annotations

import platform
import zipfile
from pathlib import Path

from sqe.engine.install.cache import cache_dir, mark_used, publish, sweep, workshop
from sqe.engine.install.jars import SQLITE

_NAME = "libsqlitejdbc.so"


def library_flags() -> list[str]:
    """JVM flags that name the library; none where the jar has none that surely fits, and Java finds out what does."""
    inside = _path_in_jar()
    if inside is None:
        return []
    folder = cache_dir() / "native" / f"sqlite-{SQLITE.sha256[:16]}-{platform.machine()}"
    library = folder / _NAME
    if not library.exists():
        _unpack(inside, library)
    mark_used(library)
    return [f"-Dorg.sqlite.lib.path={folder}", f"-Dorg.sqlite.lib.name={_NAME}"]


def _path_in_jar() -> str | None:
    fits = platform.system() == "Linux" and platform.libc_ver()[0] == "glibc" and platform.machine() in ("x86_64", "aarch64")
    return f"org/sqlite/native/Linux/{platform.machine()}/{_NAME}" if fits else None


def _unpack(inside: str, library: Path) -> None:
    with workshop("native") as bench:
        if library.exists():
            return
        with zipfile.ZipFile(SQLITE.path) as jar:
            made = bench / _NAME
            made.write_bytes(jar.read(inside))
        made.chmod(0o755)
        publish(made, library)
        sweep(library.parent.parent, f"sqlite-*/{_NAME}", keep=[library])
