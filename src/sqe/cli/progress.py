"""The progress bar under a running statement: one line on stderr, gone before anything else is written."""

from __future__ import annotations

import os
import sys
import time

# A statement that is faster than this shows no bar at all.
PATIENCE = 0.4
BAR = 30


class ProgressBar:
    """Draws only on a terminal; `clear` takes the line away."""

    def __init__(self) -> None:
        self.enabled = sys.stderr.isatty()
        self._since = time.monotonic()
        self._drawn = False

    def start(self) -> None:
        self._since = time.monotonic()

    def show(self, completed: int, total: int, active: int, rows: int) -> None:
        elapsed = time.monotonic() - self._since
        if not self.enabled or elapsed < PATIENCE:
            return
        line = bar_line(completed, total, active, rows, elapsed)
        # \r and erase-to-end-of-line: every terminal since the VT100 knows both.
        sys.stderr.write(f"\r{line[: _columns() - 1]}\x1b[K")
        sys.stderr.flush()
        self._drawn = True

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False


def bar_line(completed: int, total: int, active: int, rows: int, elapsed: float) -> str:
    """`[#####.....] 50 %  4/8 tasks, 2 running, 1234 rows, 3 s`"""
    share = completed / total if total else 0.0
    full = int(share * BAR)
    parts = [f"{completed}/{total} tasks", f"{active} running"] if total else ["planning"]
    if rows:
        parts.append(f"{rows} rows")
    parts.append(f"{elapsed:.0f} s")
    return f"[{'#' * full}{'.' * (BAR - full)}] {share:4.0%}  {', '.join(parts)}"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return 80
