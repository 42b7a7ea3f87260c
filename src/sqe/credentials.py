"""What lets somebody in, hidden from what others read: errors and logs.

It gets there by strangers' words: a catalog that quotes the request in its error, a library at debug level.
"""

from __future__ import annotations

import re

_CREDENTIAL = re.compile(
    r"eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|(?:sqe-session-|(?<=[Bb]earer )|(?<=[Bb]asic ))[\w.~+/=-]{20,}"
)  # fmt: skip


def hidden(text: str) -> str:
    return _CREDENTIAL.sub("***", text)
