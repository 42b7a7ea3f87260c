"""What a line of the audit log holds: facts about events, cut to bounded lengths. Parameters of statements are not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqe.config.settings import Settings
from sqe.identity import Identity
from sqe.identity.catalogs import CatalogIdentity
from sqe.identity.events import LoginEvent
from sqe.identity.login import Origin
from sqe.observe.audit.redaction import redacted
from sqe.query.events import QueryEvent
from sqe.version import __version__

LONGEST_TEXT = 1000
MOST_NAMES = 500


@dataclass(frozen=True)
class ServerEvent:
    """The server itself: `server_started` or `server_stopped`."""

    what: str


@dataclass(frozen=True)
class Lost:
    """Entries that found no room while the log could not be written."""

    count: int


Event = QueryEvent | LoginEvent | ServerEvent | Lost

# How each catalog is reached, by its name: its `auth`, and whether that tells it who the user is.
Reach = Mapping[str, tuple[str, bool]]


def reach_of(settings: Settings, identities: Mapping[str, CatalogIdentity]) -> Reach:
    return {
        each.name: (each.auth_mode, each.name in identities and identities[each.name].personal)
        for each in (settings.catalog, *settings.catalogs.values())
    }


def timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def entry_of(event: Event, seconds: float, reach: Reach) -> dict[str, Any]:
    when = {"ts": timestamp(seconds)}
    match event:
        case QueryEvent():
            return when | _statement(event, reach)
        case LoginEvent():
            return when | _login(event)
        case ServerEvent(what):
            return when | {"event": what, "version": __version__, "catalogs": _reached(sorted(reach), reach)}
        case Lost(count):
            return when | {"event": "entries_lost", "count": count}


def _statement(event: QueryEvent, reach: Reach) -> dict[str, Any]:
    sql = redacted(event.sql)
    return {
        "event": "statement",
        "query": event.query_id,
        "session": event.session_id,
        **_who(event.identity),
        **_where(event.origin, event.door),
        "class": event.statement,
        "sql": sql.text,
        "sql_sha256": sql.sha256,
        "sql_cut": sql.cut,
        **_names("reads", event.touched.reads),
        **_names("writes", event.touched.writes),
        "catalogs": _reached(event.touched.catalogs[:MOST_NAMES], reach),
        "outcome": event.state.value.lower(),
        "code": event.error.code.name if event.error else None,
        "rows": event.rows,
        "affected_rows": event.affected_rows,
        "duration_ms": round(event.elapsed_seconds * 1000, 1),
    }


def _login(event: LoginEvent) -> dict[str, Any]:
    who = _who(event.identity) if event.identity else {"user": _cut(event.claimed)}
    return {
        "event": event.what.value,
        "session": event.session_id or None,
        **who,
        **_where(event.origin, event.origin.door),
        "code": event.code or None,
        "why": _cut(event.why) or None,
    }


def _who(identity: Identity) -> dict[str, Any]:
    return {
        "user": _cut(identity.user),
        "subject": _cut(identity.subject),
        **_names("roles", sorted(identity.roles)),
        **_names("groups", sorted(identity.groups)),
        "provider": identity.provider,
    }


def _where(origin: Origin, door: str) -> dict[str, str]:
    return {"door": door, "address": _cut(origin.address), "client": _cut(origin.client)}


def _names(key: str, names: Sequence[str]) -> dict[str, Any]:
    shown: dict[str, Any] = {key: [_cut(name) for name in names[:MOST_NAMES]]}
    return shown if len(names) <= MOST_NAMES else shown | {f"{key}_left_out": len(names) - MOST_NAMES}


def _reached(catalogs: Sequence[str], reach: Reach) -> list[dict[str, Any]]:
    """`personal` is false where the catalog does not learn who the user is."""
    known = [(name, *reach.get(name, ("unknown", False))) for name in catalogs]
    return [{"catalog": _cut(name), "auth": auth, "personal": personal} for name, auth, personal in known]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
