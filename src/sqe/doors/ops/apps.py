"""What the operators' ports answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def health_app(not_ready: Callable[[], str | None]) -> ASGIApp:
    async def healthz(_: Request) -> JSONResponse:
        """Alive: this process answers. An orchestrator that gets no answer should start it again."""
        return JSONResponse({"status": "alive"})

    async def readyz(_: Request) -> JSONResponse:
        """Ready: statements can run. A load balancer should send clients only then."""
        reason = not_ready()
        if reason is None:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "reason": reason}, status_code=503)

    return Starlette(routes=[Route("/healthz", healthz), Route("/readyz", readyz)])


def metrics_app(text: Callable[[], bytes]) -> ASGIApp:
    def metrics(_: Request) -> Response:
        """Not async: it asks the driver JVM, so Starlette runs it in a thread and health goes on answering."""
        return Response(text(), media_type=METRICS_CONTENT_TYPE)

    return Starlette(routes=[Route("/metrics", metrics)])


def by_port(apps: Mapping[int, ASGIApp]) -> ASGIApp:
    """One server for several ports: each request goes to the app of the port that it came in by."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        await apps[scope["server"][1]](scope, receive, send)

    return dispatch
