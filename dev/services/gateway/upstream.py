"""The catalog behind the gateway, and the one rule that it cannot be asked to keep: where a table may lie."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from dev.services.gateway.answers import BadRequest, Forbidden, Unavailable
from dev.services.gateway.grants import Name

# The fixture joins levels with a dot (it says so in its configuration), clients of the gateway with the standard's 0x1F.
SEPARATOR = "."

_PLAIN = re.compile(r"[\w-]+")

# Properties that move a table's files away from its location, and with them what keys would have to be vended for.
_MOVING = ("location", "write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path")


@dataclass(frozen=True)
class Upstream:
    http: httpx.AsyncClient
    warehouse: str

    async def ask(self, method: str, path: str, query: Mapping[str, str], body: bytes) -> httpx.Response:
        headers = {"Content-Type": "application/json"} if body else {}
        try:
            return await self.http.request(method, f"/v1{path}", params=query, content=body, headers=headers)
        except httpx.HTTPError as failure:
            raise Unavailable("The catalog cannot be reached") from failure

    def location(self, name: Name) -> str:
        return "/".join([self.warehouse, *name])


def namespace_path(namespace: Name) -> str:
    """A path has the separator in its encoded form; a plain dot would be part of a name to the fixture."""
    return "/namespaces/" + "%2E".join(quote(level, safe="") for level in namespace)


def plain(name: Iterable[object]) -> Name:
    """Names that are the same in a path, a policy and a separator; anything else would need rules of its own."""
    levels = tuple(name)
    texts = tuple(level for level in levels if isinstance(level, str) and _PLAIN.fullmatch(level))
    if len(texts) != len(levels) or not texts:
        raise BadRequest("Names consist of letters, digits, _ and -")
    return texts


def check_properties(properties: Any) -> None:
    """Fail closed: a property that names another place is refused, wherever the place is."""
    if any(key in _MOVING for key in properties or ()):
        raise Forbidden("A table lies where the catalog puts it")


def check_location(location: Any, expected: str) -> None:
    if location is not None and location != expected:
        raise Forbidden("A table lies where the catalog puts it")


def check_updates(updates: Any, expected: str) -> None:
    for update in updates or ():
        if update.get("action") == "set-location":
            check_location(update.get("location"), expected)
        check_properties(update.get("updates"))
