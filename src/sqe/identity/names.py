"""What may name a user, a role or a group: nothing that a log, a policy or another program could take for something else."""

from __future__ import annotations

from typing import Any

LONGEST_NAME = 256


def is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable() and value == value.strip()
