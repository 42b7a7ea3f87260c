"""sqe.toml → typed, strict, frozen settings. `load` is the only way to make them; anybody may read them.

Keys are declared in sections.py, catalogs.py and providers.py; everything else here (reading, environment variables,
`--check`, docs/configuration.md) is made from those declarations.
"""

from __future__ import annotations

from sqe.config.catalogs import Catalog
from sqe.config.load import Loaded, load, load_with_origins
from sqe.config.problems import ConfigErrors, Problem
from sqe.config.settings import Settings
from sqe.config.values import Duration, Secret, Size

__all__ = ["Catalog", "ConfigErrors", "Duration", "Loaded", "Problem", "Secret", "Settings", "Size", "load", "load_with_origins"]
