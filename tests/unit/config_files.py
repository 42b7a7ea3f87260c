"""Shared by the tests of the configuration: writing a file, and reading what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqe.config import ConfigErrors, load

Written = Callable[[str], Path]


def problems(path: Path | None, environ: dict[str, str] | None = None, flags: dict[str, Any] | None = None) -> list[str]:
    with pytest.raises(ConfigErrors) as caught:
        load(path, environ or {}, flags or {})
    folder = f"{path.parent}/" if path else ""
    return [str(problem).replace(folder, "") for problem in caught.value.problems]
