"""`[rate_limit]`: how much of the server one user, one session and one address may ask for."""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Any

from sqe.config.keys import key
from sqe.config.kinds import TEXTS, Context, Kind, Wrong, duration, integer
from sqe.config.values import Duration

PER_MINUTE = integer(0, 10**9, "whole number")


def _networks(raw: Any, context: Context) -> tuple[str, ...]:
    found = []
    for text in TEXTS.read(raw, context):
        try:
            found.append(str(ipaddress.ip_network(text)))
        except ValueError:
            raise Wrong(f"must hold addresses or networks such as 10.0.0.0/8, not {text!r}") from None
    return tuple(found)


NETWORKS = Kind("list of networks", _networks, TEXTS.text)


@dataclass(frozen=True)
class RateLimit:
    """Limits against abuse, a minute each; 0 is no limit. Refused is TOO_MANY_REQUESTS. docs/limits.md says what holds where."""

    logins_per_user: int = key(PER_MINUTE, 300, "Log-ins of one user that succeed.")
    failed_logins_per_user: int = key(PER_MINUTE, 10, "Failed log-ins with one name, whether or not a user has it.")
    logins_per_address: int = key(PER_MINUTE, 1200, "Log-ins from one address (IPv6: /64 network); a failed one counts as 10.")
    logins_without_address: int = key(
        PER_MINUTE, 6000, "Log-ins of all clients whose address is not known, together; a failed one counts as 10."
    )
    failed_login_time: Duration = key(
        duration("0s", "10s"), Duration.parse("250ms"), "A failed log-in is answered no sooner, so that its time tells nothing."
    )
    concurrent_logins: int = key(
        integer(1, 10_000, "whole number"), 16, "Log-ins that are judged at once; others wait, 5 s at most."
    )
    queries_per_user: int = key(PER_MINUTE, 30_000, "Statements and questions for metadata of one user.")
    queries_per_session: int = key(PER_MINUTE, 6000, "Statements and questions for metadata of one session.")
    calls_per_user: int = key(
        integer(0, 100_000, "whole number"),
        512,
        "Flight calls and Trino statements of one user under way at once; not a rate.",
    )
    tracked: int = key(
        integer(100, 10_000_000, "whole number"),
        10_000,
        "Users, sessions and addresses that each limit remembers.",
    )
