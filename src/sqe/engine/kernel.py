"""The native kernel's switch (docs/native.md): its values, and the default that configuration, tests and drivers share."""

from __future__ import annotations

MODES = ("off", "auto", "require")

# The one place to change it.
DEFAULT_MODE = "auto"
DEFAULT_CACHE = "2g"
