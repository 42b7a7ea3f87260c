"""Which SQE this is. A daemon serves only clients of its own installation: another one may plan, write or render differently."""

from __future__ import annotations

import os
import sys

from sqe.version import __version__

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def build() -> str:
    """Changes when the version, the interpreter's environment or the installed files change."""
    return f"{__version__} {sys.prefix} {_PACKAGE} {_stamp()}"


def _stamp() -> str:
    if f"{os.sep}site-packages{os.sep}" in _PACKAGE:
        # An installer writes all files anew: one of them speaks for all.
        return str(os.stat(os.path.join(_PACKAGE, "version.py")).st_mtime_ns)
    # A source tree: the newest file and their number. About 1 ms for 150 files.
    newest, count = _newest(_PACKAGE, (".py",))
    jvm_newest, jvm_count = _newest(os.path.join(_PACKAGE, "..", "..", "jvm"), (".scala", ".java"))
    return f"{max(newest, jvm_newest)}-{count + jvm_count}"


def _newest(folder: str, endings: tuple[str, ...]) -> tuple[int, int]:
    newest = count = 0
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return 0, 0
    for entry in entries:
        if entry.name.endswith(endings):
            newest, count = max(newest, entry.stat().st_mtime_ns), count + 1
        elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
            inner, files = _newest(entry.path, endings)
            newest, count = max(newest, inner), count + files
    return newest, count
