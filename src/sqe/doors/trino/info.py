"""What clients and Trino's tools ask beside statements: the server's version and state, its node, one's own queries."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sqe.doors.trino.results import Facts, stats
from sqe.query.events import QueryEvent, State
from sqe.version import TRINO_VERSION

if TYPE_CHECKING:
    from sqe.doors.trino.app import Door
    from sqe.query.handler import QueryHandler

ENVIRONMENT = "sqe"
NODE = "sqe-coordinator"


class Info:
    def __init__(self, door: Door, handler: QueryHandler, not_ready: Callable[[], str | None]) -> None:
        self._door = door
        self._handler = handler
        self._not_ready = not_ready
        self._started = time.monotonic()

    def routes(self) -> list[Route]:
        guarded = self._door.guarded
        return [
            Route("/v1/info", guarded(self._info)),
            Route("/v1/info/state", guarded(self._state)),
            Route("/v1/node", guarded(self._nodes)),
            Route("/v1/query", guarded(self._queries)),
            Route("/v1/query/{query_id}", guarded(self._query)),
            Route("/v1/query/{query_id}", guarded(self._kill), methods=["DELETE"]),
        ]

    async def _info(self, _: Request) -> Response:
        """Open to all, as Trino's is: drivers ask it before they log in."""
        starting = await self._reason() is not None
        version = {"version": TRINO_VERSION}
        return JSONResponse(
            {
                "nodeVersion": version,
                "environment": ENVIRONMENT,
                "coordinator": True,
                "coordinatorId": NODE,
                "starting": starting,
                "uptime": f"{time.monotonic() - self._started:.2f}s",
            }
        )

    async def _state(self, _: Request) -> Response:
        reason = await self._reason()
        if reason is None:
            return JSONResponse("ACTIVE")
        return JSONResponse("SHUTTING_DOWN" if "shutting" in reason else "INACTIVE")

    async def _reason(self) -> str | None:
        return await asyncio.to_thread(self._not_ready)

    async def _nodes(self, request: Request) -> Response:
        await self._door.known(request)
        uri = self._door.address(request).base
        return JSONResponse([{"uri": uri, "recentRequests": 0.0, "recentFailures": 0.0, "age": "0.00s"}])

    async def _queries(self, request: Request) -> Response:
        return JSONResponse([self._shown(event, request) for event in await self._own(request)])

    async def _query(self, request: Request) -> Response:
        wanted = request.path_params["query_id"]
        event = next((each for each in await self._own(request) if each.query_id == wanted), None)
        if event is None:
            return PlainTextResponse("Query not found", 410)
        return JSONResponse(self._shown(event, request))

    async def _kill(self, request: Request) -> Response:
        known = await self._door.known(request)
        statement = self._door.statements.find(request.path_params["query_id"], known.user)
        if statement is None:
            return PlainTextResponse("Query not found", 404)
        await asyncio.to_thread(statement.cancel)
        return Response(status_code=204)

    async def _own(self, request: Request) -> list[QueryEvent]:
        """One's own alone, an administrator's too: SQL shows all of them to those who may see them."""
        known = await self._door.known(request)
        return [event for event in self._handler.queries() if event.identity.user == known.user]

    def _shown(self, event: QueryEvent, request: Request) -> dict[str, Any]:
        failed = event.state in (State.FAILED, State.CANCELED)
        state = "FAILED" if failed else event.state.value
        shown: dict[str, Any] = {
            "queryId": event.query_id,
            "session": {"user": event.identity.user, "source": event.origin.client, "timeZoneKey": 0},
            "state": state,
            "scheduled": event.state is not State.QUEUED,
            "self": f"{self._door.address(request).base}/v1/query/{event.query_id}",
            "query": event.sql,
            "updateType": None if event.statement == "query" else event.statement.upper(),
            "queryStats": {
                **stats(Facts(state, event.elapsed_seconds, rows=event.rows, bytes=event.bytes)),
                "createTime": _moment(event.created),
                "elapsedTime": f"{event.elapsed_seconds:.2f}s",
            },
        }
        if event.error is not None:
            code = event.error.code
            shown["errorType"] = code.kind.value
            shown["errorCode"] = {"code": code.number, "name": code.name, "type": code.kind.value}
        return shown


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
