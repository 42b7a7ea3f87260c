"""The endpoints, and what happens to every request: who is it, which rights, answer, log."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dev.services.gateway.answers import NoSuchEndpoint, Refusal
from dev.services.gateway.ask import Ask, Handler
from dev.services.gateway.audit import AuditLog, Line, fingerprint
from dev.services.gateway.grants import GrantsFile
from dev.services.gateway.namespaces import (
    create_namespace,
    drop_namespace,
    list_namespaces,
    load_namespace,
    update_namespace,
)
from dev.services.gateway.relations import PREFIX, Tables, Views
from dev.services.gateway.signing import Signer
from dev.services.gateway.tokens import Verifier
from dev.services.gateway.upstream import Upstream
from dev.services.gateway.vending import Vendor

BASE = "/api/catalog"

_NAMESPACES = "/v1/{prefix}/namespaces"
_NAMESPACE = _NAMESPACES + "/{namespace}"
_TABLE = _NAMESPACE + "/tables/{name}"
_VIEW = _NAMESPACE + "/views/{name}"


async def configuration(ask: Ask) -> Response:
    return JSONResponse({"defaults": {}, "overrides": {"prefix": PREFIX}, "endpoints": _offered()})


_tables = Tables()
_views = Views()

# HEAD before GET: Starlette lets a GET route answer HEAD as well.
ENDPOINTS: dict[tuple[str, str], Handler] = {
    ("GET", "/v1/config"): configuration,
    ("GET", _NAMESPACES): list_namespaces,
    ("POST", _NAMESPACES): create_namespace,
    ("HEAD", _NAMESPACE): load_namespace,
    ("GET", _NAMESPACE): load_namespace,
    ("DELETE", _NAMESPACE): drop_namespace,
    ("POST", _NAMESPACE + "/properties"): update_namespace,
    ("GET", _NAMESPACE + "/tables"): _tables.list,
    ("POST", _NAMESPACE + "/tables"): _tables.create,
    ("HEAD", _TABLE): _tables.exists,
    ("GET", _TABLE): _tables.load,
    ("POST", _TABLE): _tables.commit,
    ("DELETE", _TABLE): _tables.drop,
    ("GET", _TABLE + "/credentials"): _tables.credentials,
    ("POST", _TABLE + "/sign"): _tables.sign,
    ("POST", _TABLE + "/metrics"): _tables.metrics,
    ("POST", "/v1/{prefix}/tables/rename"): _tables.rename,
    ("POST", "/v1/{prefix}/transactions/commit"): _tables.commit_all,
    ("GET", _NAMESPACE + "/views"): _views.list,
    ("POST", _NAMESPACE + "/views"): _views.create,
    ("HEAD", _VIEW): _views.exists,
    ("GET", _VIEW): _views.load,
    ("POST", _VIEW): _views.commit,
    ("DELETE", _VIEW): _views.drop,
    ("POST", "/v1/{prefix}/views/rename"): _views.rename,
}


def _offered() -> list[str]:
    """Clients use what is listed here and nothing else; the specification calls the last part {table} or {view}."""
    named = ((method, path.replace("/tables/{name}", "/tables/{table}")) for method, path in ENDPOINTS)
    return [f"{method} {path.replace('/views/{name}', '/views/{view}')}" for method, path in named if path != "/v1/config"]


@dataclass(frozen=True)
class Gateway:
    verifier: Verifier
    grants: GrantsFile
    vendor: Vendor
    signer: Signer
    upstream: Upstream
    audit: AuditLog

    def app(self) -> Starlette:
        routes = [Route(BASE + path, self._answering(handler), methods=[method]) for (method, path), handler in ENDPOINTS.items()]
        anything = Route("/{path:path}", self._answering(_unknown), methods=["GET", "HEAD", "POST", "PUT", "DELETE"])
        return Starlette(routes=[*routes, anything], lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        async with self.upstream.http:
            yield

    def _answering(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            authorization = request.headers.get("Authorization")
            line = Line(request.method, request.url.path, fingerprint(authorization))
            try:
                response = await self._answer(handler, request, authorization, line)
                line.status = response.status_code
                return response
            finally:
                self.audit.write(line)

        return endpoint

    async def _answer(self, handler: Handler, request: Request, authorization: str | None, line: Line) -> Response:
        try:
            principal = await asyncio.to_thread(self.verifier.principal, authorization)
            line.subject, line.name = principal.subject, principal.name
            if request.path_params.get("prefix", PREFIX) != PREFIX:
                raise NoSuchEndpoint("There is no such catalog")
            rights = self.grants.now().of(principal)
            return await handler(Ask(request, principal, rights, line, self.upstream, self.vendor, self.signer))
        except Refusal as refusal:
            return refusal.response()


async def _unknown(ask: Ask) -> Response:
    raise NoSuchEndpoint("There is no such endpoint")
