"""What names and keys of Azure's storage accounts look like: its library would find others out late, and in its own words."""

from __future__ import annotations

import base64
import re


def is_account_name(text: str) -> bool:
    return re.fullmatch(r"[a-z0-9]{3,24}", text) is not None


def is_account_key(text: str) -> bool:
    try:
        return bool(base64.b64decode(text, validate=True))
    except ValueError:
        return False
