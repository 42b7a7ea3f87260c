"""Structured logs: one JSON object a line on standard error, and one line for every statement that ended."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sys
import time
from typing import Any, TextIO

from sqe import credentials
from sqe.config.sections import Log
from sqe.errors import Kind
from sqe.query.events import QueryEvent

log = logging.getLogger("sqe.query.log")

LONGEST_SQL = 256

# What every record has; all else came with `extra` and is the event's own.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_TEXT_LITERAL = re.compile(r"'(?:[^'\\]|\\.|'')*'?", re.DOTALL)
_NAMES_A_SECRET = re.compile(r"secret|password|token|credential|access.?key", re.IGNORECASE)


class JsonLines(logging.Formatter):
    """`{"ts": …, "level": …, "logger": …, "event": …}` plus whatever the call gave as `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "ts": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD and value is not None}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return credentials.hidden(json.dumps(line, default=str))


def configure(settings: Log, stream: TextIO | None = None) -> None:
    """Sends all logs of this process to `stream` (standard error). Calling it again replaces the set-up."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each.formatter, JsonLines)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(settings.level.upper())
    # py4j logs every lost connection as an error with a traceback; what it means for a query is reported by the driver.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    # At debug level it would log what identity providers answer with, cookies among it.
    logging.getLogger("httpcore").setLevel(logging.WARNING)


class QueryLog:
    """An observer: one line a statement. Its text only as far as `[log] sql` allows; its hash and class always."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    def observe(self, event: QueryEvent) -> None:
        if not event.state.ended:
            return
        level = logging.ERROR if event.error and event.error.code.kind is Kind.INTERNAL else logging.INFO
        log.log(
            level,
            "query ended",
            extra={
                "query_id": event.query_id,
                "session_id": event.session_id,
                "user": event.identity.user,
                "door": event.door,
                "statement": event.statement,
                "state": event.state.value,
                "code": event.error.code.name if event.error else None,
                "rows": event.rows,
                "bytes": event.bytes,
                "affected_rows": event.affected_rows,
                "elapsed_ms": round(event.elapsed_seconds * 1000, 1),
                "sql_sha256": hashlib.sha256(event.sql.encode("utf-8", "surrogatepass")).hexdigest()[:16],
                "sql": loggable(event.sql, self._sql),
            },
        )


def loggable(sql: str, mode: str) -> str | None:
    """`truncated` hides text literals; `full` does so only in statements that speak of a secret."""
    if mode == "none":
        return None
    if mode == "truncated":
        hidden = _TEXT_LITERAL.sub("'…'", sql[: 4 * LONGEST_SQL])
        return hidden if len(hidden) <= LONGEST_SQL else hidden[:LONGEST_SQL] + "…"
    return _TEXT_LITERAL.sub("'…'", sql) if _NAMES_A_SECRET.search(sql) else sql
