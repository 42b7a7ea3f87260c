"""What the catalog `system` shows, as the driver wants it. Who may see which rows was decided before."""

from __future__ import annotations

from collections.abc import Iterable

from sqe.query.events import QueryEvent


def queries_as_rows(events: Iterable[QueryEvent]) -> list[dict[str, object]]:
    """Rows of `system.runtime.queries` (jvm: SystemCatalog.scala has the columns)."""
    return [
        {
            "query_id": event.query_id,
            "state": event.state.value,
            "user": event.identity.user,
            "source": event.door,
            "query": event.sql,
            "statement": event.statement,
            "created": int(event.created * 1_000_000),
            "elapsed_ms": int(event.elapsed_seconds * 1000),
            "rows": event.rows,
            "bytes": event.bytes,
            "affected_rows": event.affected_rows,
            "error_code": event.error.code.name if event.error else None,
            "error_message": event.error.message if event.error else None,
        }
        for event in events
    ]
