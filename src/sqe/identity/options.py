"""How people log in to a server: what it tells a client that has no credentials yet, and how the client reads it.

The answer is the same for everybody and holds nothing but public names: an issuer and the id of a public client there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

DEFAULT_SCOPES = ("openid", "offline_access")

# Of an answer that is read: more than this is no answer of a server of ours.
MOST_OPTIONS = 16
LONGEST_TEXT = 2048


@dataclass(frozen=True)
class LoginOption:
    """An identity provider whose tokens the server takes, and the client under which people log in there."""

    issuer: str
    client_id: str
    scopes: tuple[str, ...] = DEFAULT_SCOPES


def as_json(options: Sequence[LoginOption]) -> bytes:
    return json.dumps(
        [{"issuer": option.issuer, "client_id": option.client_id, "scopes": option.scopes} for option in options]
    ).encode()


def from_json(answer: bytes) -> list[LoginOption]:
    """Raises ValueError when the answer makes no sense."""
    try:
        return [_option(**each) for each in json.loads(answer)[:MOST_OPTIONS]]
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError("not a list of log-in options") from error


def _option(issuer: str, client_id: str, scopes: list[str]) -> LoginOption:
    option = LoginOption(issuer, client_id, tuple(scopes))
    texts = (issuer, client_id, *option.scopes)
    if not all(isinstance(text, str) and 0 < len(text) <= LONGEST_TEXT and text.isprintable() for text in texts):
        raise ValueError("not a list of log-in options")
    return option
