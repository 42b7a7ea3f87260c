"""Namespaces: one sees those on which, or in which, one has a right."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from dev.services.gateway.answers import Forbidden
from dev.services.gateway.ask import Ask, no_namespace, passed
from dev.services.gateway.grants import Privilege
from dev.services.gateway.upstream import check_properties, namespace_path, plain


async def list_namespaces(ask: Ask) -> Response:
    if ask.parent:
        ask.need_to_see(ask.parent)
    answer = await ask.forward("/namespaces", no_namespace(ask.parent))
    if answer.status_code != 200:
        return passed(answer)
    content = answer.json()
    content["namespaces"] = [name for name in content["namespaces"] if ask.rights.sees(tuple(name))]
    return JSONResponse(content)


async def create_namespace(ask: Ask) -> Response:
    body = await ask.body()
    namespace = plain(body.get("namespace") or ())
    if not ask.rights.may(Privilege.CREATE, namespace):
        raise Forbidden(f"Principal '{ask.principal.name}' is not authorized to create {'.'.join(namespace)}")
    check_properties(body.get("properties"))
    return passed(await ask.forward("/namespaces", no_namespace(namespace[:-1])))


async def load_namespace(ask: Ask) -> Response:
    ask.need_to_see(ask.namespace)
    return passed(await ask.forward(namespace_path(ask.namespace), no_namespace(ask.namespace)))


async def drop_namespace(ask: Ask) -> Response:
    ask.need(Privilege.WRITE, ask.namespace, no_namespace(ask.namespace))
    return passed(await ask.forward(namespace_path(ask.namespace), no_namespace(ask.namespace)))


async def update_namespace(ask: Ask) -> Response:
    ask.need(Privilege.WRITE, ask.namespace, no_namespace(ask.namespace))
    check_properties((await ask.body()).get("updates"))
    return passed(await ask.forward(f"{namespace_path(ask.namespace)}/properties", no_namespace(ask.namespace)))
