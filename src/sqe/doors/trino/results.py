"""The documents of the protocol: a page of a result, its statistics, its error."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqe.errors import SqeError
from sqe.query.running import Progress

NO_PROGRESS = Progress(0, 0, 0, 0)


@dataclass(frozen=True)
class Facts:
    """How far a statement is."""

    state: str  # QUEUED, PLANNING, RUNNING, FINISHED or FAILED
    elapsed_seconds: float = 0.0
    queued_seconds: float = 0.0
    progress: Progress = NO_PROGRESS
    rows: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Head:
    """A page without its rows."""

    query_id: str
    info_uri: str
    facts: Facts
    next_uri: str | None = None
    partial_cancel_uri: str | None = None
    columns: Sequence[dict[str, Any]] | None = None
    error: SqeError | None = None
    warnings: Sequence[str] = ()
    update_type: str | None = None
    update_count: int | None = None


def document(head: Head, data: bytes | None = None) -> bytes:
    """The page as JSON. `data` is JSON already, and by far the largest part."""
    fields: dict[str, Any] = {
        "id": head.query_id,
        "infoUri": head.info_uri,
        "partialCancelUri": head.partial_cancel_uri,
        "nextUri": head.next_uri,
        "columns": head.columns,
        "stats": stats(head.facts),
        "error": error_object(head.error) if head.error else None,
        "warnings": [{"warningCode": {"code": 1, "name": "SQE_WARNING"}, "message": text} for text in head.warnings],
        "updateType": head.update_type,
        "updateCount": head.update_count,
    }
    text = json.dumps({name: value for name, value in fields.items() if value is not None}, separators=(",", ":")).encode()
    return text if data is None else text[:-1] + b',"data":' + data + b"}"


def stats(facts: Facts) -> dict[str, Any]:
    """Spark's tasks are Trino's splits: enough for a progress bar to move."""
    done, total, active = facts.progress.completed_tasks, facts.progress.total_tasks, facts.progress.active_tasks
    finished = facts.state == "FINISHED"
    splits = {
        "totalSplits": total,
        "queuedSplits": max(0, total - done - active),
        "runningSplits": active,
        "completedSplits": done,
        "cpuTimeMillis": 0,
        "wallTimeMillis": int(facts.elapsed_seconds * 1000),
        "processedRows": facts.rows,
        "processedBytes": facts.bytes,
        "physicalInputBytes": 0,
    }
    result: dict[str, Any] = {
        "state": facts.state,
        "queued": facts.state == "QUEUED",
        "scheduled": finished or total > 0,
        "nodes": 1 if total or finished else 0,
        **splits,
        "planningTimeMillis": 0,
        "analysisTimeMillis": 0,
        "queuedTimeMillis": int(facts.queued_seconds * 1000),
        "elapsedTimeMillis": int(facts.elapsed_seconds * 1000),
        "finishingTimeMillis": 0,
        "physicalInputTimeMillis": 0,
        "physicalWrittenBytes": 0,
        "internalNetworkInputBytes": 0,
        "peakMemoryBytes": 0,
        "spilledBytes": 0,
    }
    if total or finished:
        share = 100.0 if finished else 100.0 * done / max(total, 1)
        result["progressPercentage"] = share
        result["runningPercentage"] = 0.0 if finished else 100.0 * active / max(total, 1)
        result["rootStage"] = {
            "stageId": "0",
            "state": "FINISHED" if finished else "RUNNING",
            "done": finished,
            "nodes": 1,
            **splits,
            "failedTasks": 0,
            "coordinatorOnly": False,
            "subStages": [],
        }
    return result


def error_object(error: SqeError) -> dict[str, Any]:
    code = error.code
    message = error.message if error.hint is None else f"{error.message} [{error.hint}]"
    where = {"lineNumber": error.line, "columnNumber": error.column or 1} if error.line is not None else None
    if where:
        message = f"line {error.line}:{error.column or 1}: {message}"
    failure: dict[str, Any] = {
        "type": f"io.trino.spi.TrinoException.{code.name}",
        "message": message,
        "suppressed": [],
        "stack": [],
    }
    result: dict[str, Any] = {
        "message": message,
        "sqlState": code.sqlstate,
        "errorCode": code.number,
        "errorName": code.name,
        "errorType": code.kind.value,
        "failureInfo": failure,
    }
    if where:
        result["errorLocation"] = failure["errorLocation"] = where
    return result


@dataclass(frozen=True)
class Address:
    """Where this server is for a client, to make the addresses that it comes back to."""

    base: str  # http://host:port

    def info(self, query_id: str) -> str:
        return f"{self.base}/ui/query.html?{query_id}"

    def page(self, state: str, query_id: str, slug: str, token: int) -> str:
        return f"{self.base}/v1/statement/{state}/{query_id}/{slug}/{token}"

    def partial_cancel(self, query_id: str, slug: str, token: int) -> str:
        return f"{self.base}/v1/statement/executing/partialCancel/{query_id}/0/{slug}/{token}"


@dataclass(frozen=True)
class Slug:
    """The secret part of a query's addresses: whoever has one address cannot make the next."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)

    def of(self, token: int) -> str:
        return "y" + hashlib.blake2b(f"{token}".encode(), key=self.key, digest_size=16).hexdigest()

    def fits(self, slug: str, token: int) -> bool:
        return secrets.compare_digest(self.of(token).encode(), slug.encode("utf-8", "surrogatepass"))
