"""What the catalog `system` shows, as the driver wants it. Who may see which rows was decided before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sqe.query.events import QueryEvent
from sqe.version import __version__

if TYPE_CHECKING:
    from sqe.query.running import Progress

# There is one machine so far; users learn that it is there, not where.
_NODE = "coordinator"


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


def tasks_as_rows(events: Iterable[QueryEvent], running: Mapping[str, Progress]) -> list[dict[str, object]]:
    """Rows of `system.runtime.tasks`: one for each statement that runs, with how far it is."""
    return [
        {
            "node_id": _NODE,
            "task_id": f"{event.query_id}.0",
            "query_id": event.query_id,
            "state": event.state.value,
            "splits": running[event.query_id].total_tasks,
            "running_splits": running[event.query_id].active_tasks,
            "completed_splits": running[event.query_id].completed_tasks,
            "output_rows": event.rows,
            "created": int(event.created * 1_000_000),
        }
        for event in events
        if event.query_id in running
    ]


def nodes_as_rows() -> list[dict[str, object]]:
    return [{"node_id": _NODE, "http_uri": None, "node_version": __version__, "coordinator": True, "state": "active"}]
