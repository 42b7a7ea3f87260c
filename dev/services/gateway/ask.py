"""One request of a known person, with what its handler needs to answer it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from dev.services.gateway.answers import BadRequest, Forbidden, NoSuchNamespace, Refusal
from dev.services.gateway.audit import Line
from dev.services.gateway.grants import Name, Privilege, Rights
from dev.services.gateway.signing import Signer
from dev.services.gateway.tokens import Principal
from dev.services.gateway.upstream import SEPARATOR, Upstream, plain
from dev.services.gateway.vending import Vendor

LEVELS = "\x1f"


@dataclass(frozen=True)
class Ask:
    request: Request
    principal: Principal
    rights: Rights
    line: Line
    upstream: Upstream
    vendor: Vendor
    signer: Signer

    @property
    def namespace(self) -> Name:
        return plain(self.request.path_params["namespace"].split(LEVELS))

    @property
    def parent(self) -> Name:
        named = self.request.query_params.get("parent")
        return plain(named.split(LEVELS)) if named else ()

    async def body(self) -> dict[str, Any]:
        try:
            content = json.loads(await self.request.body())
        except ValueError as failure:
            raise BadRequest("The body is not JSON") from failure
        if not isinstance(content, dict):
            raise BadRequest("The body is not a JSON object")
        return content

    async def forward(self, path: str, missing: Refusal) -> httpx.Response:
        """Ask the catalog. What is missing there is said in our words, which are also those for what may not be seen."""
        query = dict(self.request.query_params)
        if self.parent:
            query["parent"] = SEPARATOR.join(self.parent)
        answer = await self.upstream.ask(self.request.method, path, query, await self.request.body())
        if answer.status_code == 404:
            raise missing
        return answer

    def need_to_see(self, namespace: Name) -> None:
        if not self.rights.sees(namespace):
            raise no_namespace(namespace)

    def need(self, privilege: Privilege, name: Name, missing: Refusal) -> None:
        """Refused openly only on what the person sees; else it is missing."""
        if self.rights.may(privilege, name):
            return
        if self.rights.may(Privilege.READ, name):
            raise Forbidden(f"Principal '{self.principal.name}' is not authorized to {privilege} {'.'.join(name)}")
        raise missing


Handler = Callable[[Ask], Awaitable[Response]]


def no_namespace(namespace: Name) -> NoSuchNamespace:
    return NoSuchNamespace(f"Namespace does not exist: {'.'.join(namespace)}")


def passed(answer: httpx.Response) -> Response:
    """The catalog's answer, without the stack traces that the fixture puts into its errors."""
    if answer.status_code < 400:
        return Response(answer.content, answer.status_code, media_type=answer.headers.get("Content-Type"))
    try:
        error = answer.json()["error"]
        content = {"error": {key: error[key] for key in ("message", "type", "code")}}
    except (ValueError, KeyError, TypeError):
        content = {"error": {"message": "The catalog failed", "type": "InternalServerError", "code": answer.status_code}}
    return JSONResponse(content, answer.status_code)
