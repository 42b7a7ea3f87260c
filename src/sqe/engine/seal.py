"""Settings that only this server can have made: sealed with a key that nobody but Python and its drivers has."""

from __future__ import annotations

import secrets

SETTING = "spark.sqe.identity.secret"
KEY = secrets.token_hex(32)


def seal(text: str) -> str:
    import hashlib
    import hmac

    return hmac.new(KEY.encode(), text.encode(), hashlib.sha256).hexdigest()
