"""Tables and views: the same rules for both; tables come with keys to their files."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

import httpx
from starlette.responses import JSONResponse, Response

from dev.services.gateway.answers import BadRequest, Forbidden, NoSuchTable, NoSuchView, Refusal
from dev.services.gateway.ask import LEVELS, Ask, no_namespace, passed
from dev.services.gateway.grants import Name, Privilege
from dev.services.gateway.signing import READING
from dev.services.gateway.upstream import check_location, check_properties, check_updates, namespace_path, plain
from dev.services.gateway.vending import Vended

PREFIX = "lake"


@dataclass(frozen=True)
class Relations:
    """The handlers of one kind of relation."""

    collection: ClassVar[str]
    word: ClassVar[str]
    missing: ClassVar[type[Refusal]]

    async def list(self, ask: Ask) -> Response:
        ask.need_to_see(ask.namespace)
        answer = await ask.forward(self._path(ask.namespace), no_namespace(ask.namespace))
        if answer.status_code != 200:
            return passed(answer)
        content = answer.json()
        content["identifiers"] = [
            found for found in content["identifiers"] if ask.rights.may(Privilege.READ, (*found["namespace"], found["name"]))
        ]
        return JSONResponse(content)

    async def create(self, ask: Ask) -> Response:
        body = await ask.body()
        name = (*ask.namespace, *plain([body.get("name")]))
        ask.need_to_see(ask.namespace)
        self._need_to_create(ask, name)
        check_location(body.get("location"), ask.upstream.location(name))
        check_properties(body.get("properties"))
        answer = await ask.forward(self._path(ask.namespace), no_namespace(ask.namespace))
        return await self._loaded(ask, name, answer)

    async def load(self, ask: Ask) -> Response:
        name = self._name(ask)
        ask.need(Privilege.READ, name, self._absent(name))
        return await self._loaded(ask, name, await self._forward(ask, name))

    async def exists(self, ask: Ask) -> Response:
        name = self._name(ask)
        ask.need(Privilege.READ, name, self._absent(name))
        return passed(await self._forward(ask, name))

    async def commit(self, ask: Ask) -> Response:
        name, body = self._name(ask), await ask.body()
        self._check_change(ask, name, body)
        return await self._loaded(ask, name, await self._forward(ask, name))

    async def drop(self, ask: Ask) -> Response:
        name = self._name(ask)
        ask.need(Privilege.WRITE, name, self._absent(name))
        return passed(await self._forward(ask, name))

    async def rename(self, ask: Ask) -> Response:
        body = await ask.body()
        source, destination = identifier(body.get("source")), identifier(body.get("destination"))
        ask.need(Privilege.WRITE, source, self._absent(source))
        ask.need_to_see(destination[:-1])
        self._need_to_create(ask, destination)
        if source[:-1] != destination[:-1]:
            # The files would stay where the old namespace's grants, not the new one's, decide.
            raise BadRequest("Renaming into another namespace is not supported")
        return passed(await ask.forward(f"/{self.collection}/rename", self._absent(source)))

    def _check_change(self, ask: Ask, name: Name, change: dict[str, Any]) -> None:
        """A commit that asserts that there is nothing yet is the second half of a creation."""
        if any(requirement.get("type") == "assert-create" for requirement in change.get("requirements") or ()):
            ask.need_to_see(name[:-1])
            self._need_to_create(ask, name)
        else:
            ask.need(Privilege.WRITE, name, self._absent(name))
        check_updates(change.get("updates"), ask.upstream.location(name))

    async def _loaded(self, ask: Ask, name: Name, answer: httpx.Response) -> Response:
        return passed(answer)

    async def _forward(self, ask: Ask, name: Name) -> httpx.Response:
        return await ask.forward(f"{self._path(name[:-1])}/{quote(name[-1], safe='')}", self._absent(name))

    def _path(self, namespace: Name) -> str:
        return f"{namespace_path(namespace)}/{self.collection}"

    def _name(self, ask: Ask) -> Name:
        return (*ask.namespace, *plain([ask.request.path_params["name"]]))

    def _absent(self, name: Name) -> Refusal:
        return self.missing(f"{self.word} does not exist: {'.'.join(name)}")

    def _need_to_create(self, ask: Ask, name: Name) -> None:
        if not ask.rights.may(Privilege.CREATE, name):
            raise Forbidden(f"Principal '{ask.principal.name}' is not authorized to create {'.'.join(name)}")


class Views(Relations):
    collection = "views"
    word = "View"
    missing = NoSuchView


class Tables(Relations):
    collection = "tables"
    word = "Table"
    missing = NoSuchTable

    async def credentials(self, ask: Ask) -> Response:
        """New keys for a table that is in use: those of the first answer end after an hour."""
        name = self._name(ask)
        ask.need(Privilege.READ, name, self._absent(name))
        path = f"{self._path(name[:-1])}/{quote(name[-1], safe='')}"
        answer = await ask.forward(path, self._absent(name))
        vended = await self._vend(ask, name, answer.json()["metadata"]["location"])
        return JSONResponse({"storage-credentials": [{"prefix": vended.prefix, "config": vended.config}]})

    async def sign(self, ask: Ask) -> Response:
        """A request to the store, for a client without keys."""
        name, asked = self._name(ask), await ask.body()
        ask.need(Privilege.READ if asked.get("method") in READING else Privilege.WRITE, name, self._absent(name))
        signed = await asyncio.to_thread(ask.signer.sign, ask.upstream.location(name), asked)
        return JSONResponse(signed, headers={"Cache-Control": "no-cache"})

    async def metrics(self, ask: Ask) -> Response:
        """Scan reports: the right to read is checked, the content is of no interest here."""
        name = self._name(ask)
        ask.need(Privilege.READ, name, self._absent(name))
        return Response(status_code=204)

    async def commit_all(self, ask: Ask) -> Response:
        changes = (await ask.body()).get("table-changes") or ()
        for change in changes:
            self._check_change(ask, identifier(change.get("identifier")), change)
        return passed(await ask.forward("/transactions/commit", NoSuchTable("Table does not exist")))

    async def _loaded(self, ask: Ask, name: Name, answer: httpx.Response) -> Response:
        wanted = ask.request.headers.get("X-Iceberg-Access-Delegation", "")
        if answer.status_code != 200 or not wanted:
            return passed(answer)
        content = answer.json()
        if "vended-credentials" not in wanted:
            base = f"{str(ask.request.base_url).rstrip('/')}/api/catalog"
            content["config"] = (content.get("config") or {}) | ask.signer.config(base, f"{_address(name)}/sign")
            return JSONResponse(content)
        vended = await self._vend(ask, name, content["metadata"]["location"])
        content["config"] = (content.get("config") or {}) | vended.config
        content["storage-credentials"] = [{"prefix": vended.prefix, "config": vended.config}]
        return JSONResponse(content)

    async def _vend(self, ask: Ask, name: Name, location: str) -> Vended:
        writable = ask.rights.may(Privilege.WRITE, name)
        vended = await asyncio.to_thread(ask.vendor.vend, location, writable, ask.principal.name, f"{_address(name)}/credentials")
        ask.line.vended = vended.access_key
        return vended


def _address(table: Name) -> str:
    return f"v1/{PREFIX}/namespaces/{quote(LEVELS.join(table[:-1]), safe='')}/tables/{quote(table[-1], safe='')}"


def identifier(content: Any) -> Name:
    if not isinstance(content, dict) or not isinstance(content.get("namespace"), list):
        raise BadRequest("An identifier has a namespace and a name")
    return plain([*content["namespace"], content.get("name")])
