"""Waiting for what happens in another thread or process, without guessing how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable


def eventually(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Returns as soon as the condition holds; fails when it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.01)
