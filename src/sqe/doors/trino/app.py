"""What the Trino port answers: statements and their pages. The rest of its addresses is in `info.py` and `oauth.py`."""

from __future__ import annotations

import asyncio
import gzip
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sqe import errors
from sqe.doors.trino.callers import Callers, KnownLogin, Peer
from sqe.doors.trino.properties import warnings_of
from sqe.doors.trino.request import BadRequest, ClientRequest, Headers
from sqe.doors.trino.results import Address, Facts, Head, document
from sqe.doors.trino.statement import Missing, Page, Statement
from sqe.doors.trino.statements import Statements
from sqe.doors.trino.where import address_for
from sqe.errors import SqeError
from sqe.limits import TooManyRequests

log = logging.getLogger("sqe.trino")

# How long a poll waits for something new.
POLL_SECONDS = 1.0
# Rows are compressed in the loop's thread up to this size, beyond it in another one.
COMPRESS_HERE_BYTES = 64 * 1024
COMPRESS_FROM_BYTES = 2048
PROGRESS_SECONDS = 0.5
LONGEST_TOKEN = 12

Challenge = Callable[[Address, str], list[str]]
Endpoint = Callable[[Request], Awaitable[Response]]


class Refusal(Exception):
    """An answer that is no page."""

    def __init__(self, response: Response) -> None:
        self.response = response


def headers_of(request: Request) -> Headers:
    """Names in lower case, each with all its values."""
    found: dict[str, list[str]] = {}
    for name, value in request.scope["headers"]:
        found.setdefault(name.decode("latin-1"), []).append(_text(value))
    return found


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def peer_of(request: Request) -> Peer:
    certificate, expires_at = request.scope.get("state", {}).get("certificate", (None, float("inf")))
    return Peer(request.client.host if request.client else "", certificate, expires_at)


class Door:
    """The requests of clients, in the loop's thread."""

    def __init__(
        self,
        callers: Callers,
        statements: Statements,
        *,
        max_body_bytes: int,
        trusts: Callable[[str], bool],
        challenge: Challenge,
    ) -> None:
        self.callers = callers
        self.statements = statements
        self._max_body_bytes = max_body_bytes
        self._trusts = trusts
        self._challenge = challenge
        # Log-ins wait for passwords to be hashed and for identity providers; those who are known do not wait for them.
        self._logins = ThreadPoolExecutor(32, "sqe-trino-login")
        self._sessions = ThreadPoolExecutor(16, "sqe-trino-session")

    def close(self) -> None:
        self._logins.shutdown(wait=False, cancel_futures=True)
        self._sessions.shutdown(wait=False, cancel_futures=True)

    def routes(self) -> list[Route]:
        page = "/v1/statement/{state}/{query_id}/{slug}/{token}"
        cancel = "/v1/statement/executing/partialCancel/{query_id}/{stage}/{slug}/{token}"
        return [
            Route("/v1/statement", self.guarded(self._post), methods=["POST"]),
            Route(cancel, self.guarded(self._partial_cancel), methods=["DELETE"]),
            Route(page, self.guarded(self._page), methods=["GET", "HEAD"]),
            Route(page, self.guarded(self._delete), methods=["DELETE"]),
        ]

    def guarded(self, endpoint: Endpoint) -> Endpoint:
        """Nothing of ours leaves untranslated: no traceback, and no 500 without an error object."""

        async def answer(request: Request) -> Response:
            try:
                return await endpoint(request)
            except Refusal as refusal:
                return refusal.response
            except BadRequest as error:
                return PlainTextResponse(str(error), 400)
            except SqeError as error:
                return self.refused(request, error)
            except Exception:
                log.exception("a request met a defect")
                return self.refused(request, errors.internal())

        return answer

    def refused(self, request: Request, error: SqeError) -> Response:
        if error.code is errors.AUTHENTICATION_FAILED:
            response = PlainTextResponse(error.message, 401)
            for text in self._challenge(self.address(request), self.client_address(request)):
                response.headers.append("WWW-Authenticate", text)
            return response
        if isinstance(error, TooManyRequests):
            return PlainTextResponse(error.message, 429, {"Retry-After": str(error.retry_after)})
        query_id = secrets.token_hex(16)
        head = Head(query_id, self.address(request).info(query_id), Facts("FAILED"), error=error)
        return Response(document(head), 200 if request.method == "POST" else 503, media_type="application/json")

    def address(self, request: Request) -> Address:
        return address_for(request, headers_of(request), self._trusts)

    def client_address(self, request: Request) -> str:
        return self.callers.address_of(headers_of(request), peer_of(request))

    async def known(self, request: Request) -> KnownLogin:
        """Who asks. Raises AUTHENTICATION_FAILED."""
        presented = self.callers.presented(headers_of(request), peer_of(request))
        known = self.callers.recognised(presented)
        if known is not None:
            return known
        return await asyncio.get_running_loop().run_in_executor(self._logins, self.callers.log_in, presented)

    async def _post(self, request: Request) -> Response:
        client = ClientRequest.of(headers_of(request))
        known = await self.known(request)
        denied = self.callers.check_user(known, client)
        if denied is not None:
            return PlainTextResponse(denied, 403)
        sql = await self._sql(request)
        session = await asyncio.get_running_loop().run_in_executor(self._sessions, self.callers.session, known, client)
        statement = self.statements.start(known, session, sql, client)
        statement.warnings += warnings_of(client)
        return await self._answer(request, statement.first(self.address(request)))

    async def _sql(self, request: Request) -> str:
        parts, size = [], 0
        async for part in request.stream():
            size += len(part)
            if size > self._max_body_bytes:
                raise SqeError(
                    errors.QUERY_TEXT_TOO_LARGE,
                    f"The statement has more than {self._max_body_bytes} bytes",
                    hint="query.max_sql_bytes",
                )
            parts.append(part)
        try:
            return b"".join(parts).decode("utf-8")
        except UnicodeDecodeError:
            raise SqeError(errors.SYNTAX_ERROR, "The statement is not valid UTF-8") from None

    async def _statement(self, request: Request) -> tuple[Statement, int]:
        """The statement that an address names, for its own user: every other one is not found."""
        known = await self.known(request)
        path = request.path_params
        statement = self.statements.find(path["query_id"], known.user)
        token = path["token"]
        if statement is None or not (token.isascii() and token.isdigit() and len(token) <= LONGEST_TOKEN):
            raise _not_found()
        if path.get("state", "executing") not in ("queued", "executing") or not statement.fits(path["slug"], int(token)):
            raise _not_found()
        statement.seen = time.monotonic()
        return statement, int(token)

    async def _page(self, request: Request) -> Response:
        statement, token = await self._statement(request)
        if request.method == "HEAD":
            return Response()
        found = statement.check(token)
        if isinstance(found, Missing):
            return PlainTextResponse("Query not found" if found is Missing.UNKNOWN else "Gone", found.value)
        return await self._answer(request, found or await self._next(request, statement, token))

    async def _next(self, request: Request, statement: Statement, token: int) -> Page:
        address = self.address(request)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + POLL_SECONDS
        while True:
            statement.changed.clear()
            page = statement.page(token, address, at_once=False)
            if page is not None:
                return page
            try:
                await asyncio.wait_for(statement.changed.wait(), deadline - loop.time())
            except TimeoutError:
                break
        await self._ask_progress(statement)
        page = statement.page(token, address, at_once=True)
        if page is None:  # another poll for the same token was faster, and its client has gone on
            raise _not_found()
        return page

    async def _ask_progress(self, statement: Statement) -> None:
        """One question at a time, and no poll waits long for it: a driver without memory left answers late."""
        if statement.query is None:
            return
        if statement.asking is None:
            loop = asyncio.get_running_loop()
            statement.asking = loop.run_in_executor(self._sessions, statement.query.progress)
        with suppress(TimeoutError):
            statement.progress = await asyncio.wait_for(asyncio.shield(statement.asking), PROGRESS_SECONDS)
        if statement.asking.done():
            statement.asking = None

    async def _delete(self, request: Request) -> Response:
        statement, _ = await self._statement(request)
        statement.left = True
        await asyncio.get_running_loop().run_in_executor(self._sessions, statement.cancel)
        return Response(status_code=204)

    async def _partial_cancel(self, request: Request) -> Response:
        statement, _ = await self._statement(request)
        await asyncio.get_running_loop().run_in_executor(self._sessions, statement.finish_early)
        return Response(status_code=204)

    async def _answer(self, request: Request, page: Page) -> Response:
        body = page.body
        headers = {"Cache-Control": "no-store"}
        if page.compressible and len(body) >= COMPRESS_FROM_BYTES and _takes_gzip(request):
            headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
            if len(body) > COMPRESS_HERE_BYTES:
                body = await asyncio.to_thread(gzip.compress, body, 1)
            else:
                body = gzip.compress(body, 1)
        response = Response(body, media_type="application/json", headers=headers)
        if page.encoding is not None:
            response.headers["X-Trino-Query-Data-Encoding"] = page.encoding
        for name, value in page.changes.headers():
            response.headers.append(name, value)
        return response


def _takes_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "").lower()


def _not_found() -> Refusal:
    return Refusal(PlainTextResponse("Query not found", 404))


def application(routes: list[Route]) -> Starlette:
    async def missing(_: Request, __: Exception) -> Response:
        return JSONResponse({"message": "Not found"}, 404)

    return Starlette(routes=routes, exception_handlers={404: missing})
