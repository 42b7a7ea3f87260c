"""The addresses of the external log-in: what the browser and the waiting client ask."""

from __future__ import annotations

import asyncio
import html
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from sqe.doors.trino.external import CALLBACK, PENDING_SECONDS, ExternalLogin, is_id
from sqe.errors import AUTHENTICATION_FAILED, SqeError

if TYPE_CHECKING:
    from sqe.doors.trino.app import Door

# How long a client's question for its token waits for the person.
POLL_SECONDS = 10.0
LOOK_SECONDS = 0.2

COOKIE = "sqe-login"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class ExternalRoutes:
    def __init__(self, door: Door, external: ExternalLogin) -> None:
        self._door = door
        self._external = external

    def routes(self) -> list[Route]:
        guarded = self._door.guarded
        return [
            Route("/oauth2/token/initiate/{hashed}", guarded(self._initiate)),
            Route("/oauth2/token/{asked}", guarded(self._token)),
            Route("/oauth2/token/{asked}", guarded(self._drop), methods=["DELETE"]),
            Route(CALLBACK, guarded(self._callback)),
        ]

    async def _initiate(self, request: Request) -> Response:
        hashed = request.path_params["hashed"]
        client, mark = request.query_params.get("from", ""), request.query_params.get("mark", "")
        if not self._external.handed_out(hashed, client, mark):
            return _page("This address was not handed out by this server.", 404)
        here = self._door.client_address(request)
        if client != here and "sure" not in request.query_params:
            again = f"?{urlencode({'from': client, 'mark': mark, 'sure': 'yes'})}"
            question = (
                f"A program at {html.escape(client)} asks to run statements in your name. Go on only if you started it yourself."
                f' <a href="{html.escape(again)}">I started it</a>'
            )
            return HTMLResponse(_BODY.format(question), headers=_HEADERS)
        try:
            url, pending = await asyncio.to_thread(self._external.start, hashed, self._door.address(request))
        except SqeError as error:
            return _failed(error)
        response = RedirectResponse(url, 303, headers=_HEADERS)
        secure = self._door.address(request).base.startswith("https:")
        response.set_cookie(
            COOKIE, pending.browser.reveal(), int(PENDING_SECONDS), path=CALLBACK, secure=secure, httponly=True, samesite="lax"
        )
        return response

    async def _callback(self, request: Request) -> Response:
        query, state = request.url.query, request.query_params.get("state", "")
        try:
            await asyncio.to_thread(self._external.finish, query, state, request.cookies.get(COOKIE, ""))
        except SqeError as error:
            return _failed(error)
        response = _page("You are logged in. This window can be closed.", 200)
        response.delete_cookie(COOKIE, path=CALLBACK)
        return response

    async def _token(self, request: Request) -> Response:
        """Not sooner than there is something to say, or after a while."""
        asked = request.path_params["asked"]
        if not is_id(asked):
            return PlainTextResponse("Not found", 404)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + POLL_SECONDS
        while loop.time() < deadline:
            pending = self._external.pending(asked)
            if pending is not None and pending.over:
                said = {"token": pending.token.reveal()} if pending.token is not None else {"error": pending.error or ""}
                return JSONResponse(said, headers={"Cache-Control": "no-store"})
            await asyncio.sleep(LOOK_SECONDS)
        return JSONResponse({"nextUri": f"{self._door.address(request).base}/oauth2/token/{asked}"})

    async def _drop(self, request: Request) -> Response:
        asked = request.path_params["asked"]
        if is_id(asked):
            self._external.drop(asked)
        return Response()


_BODY = "<!doctype html><title>SQE</title><body style='font-family: sans-serif; margin: 4em'><p>{}</p>"


def _page(text: str, status: int) -> HTMLResponse:
    return HTMLResponse(_BODY.format(html.escape(text)), status, headers=_HEADERS)


def _failed(error: SqeError) -> HTMLResponse:
    """No 401, for which a browser would ask for a password."""
    return _page(error.message, 403 if error.code is AUTHENTICATION_FAILED else 503)
