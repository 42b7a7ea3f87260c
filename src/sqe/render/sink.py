"""Where rendered bytes go. The view is valid only during the call: a sink that keeps it copies it."""

from __future__ import annotations

from collections.abc import Callable

Write = Callable[[bytes | memoryview], object]
