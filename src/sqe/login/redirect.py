"""The listener that a browser comes back to after a log-in (RFC 8252, 7.3): 127.0.0.1, any port, one request."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from sqe.errors import AUTHENTICATION_FAILED, SqeError

PATH = "/sqe-login"
# A browser opens connections on suspicion and sends nothing on them; they may not keep the one that counts waiting.
SILENT_SECONDS = 10.0

PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>SQE</title>
<p>SQE has the answer of your identity provider. You can close this page and return to the terminal.</p></html>
"""
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": str(len(PAGE)),
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Connection": "close",
}


class RedirectListener:
    """Listens from its construction on. The first request is the answer, whatever it says; then the port is closed."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Request)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="sqe-login-redirect", daemon=True)
        self._thread.start()

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}{PATH}"

    def query(self, timeout_seconds: float) -> str:
        """The query of the request, once it is there. Raises when none comes in time."""
        if not self._server.answered.wait(timeout_seconds):
            raise SqeError(AUTHENTICATION_FAILED, "Nobody logged in with the browser in time", hint="start again with sqe login")
        self.close()
        return self._server.query

    def close(self) -> None:
        """Safe to call twice."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> RedirectListener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.answered = threading.Event()
        self.query = ""
        self._lock = threading.Lock()
        self._taken = False

    def take(self) -> bool:
        """True for the first request only."""
        with self._lock:
            first, self._taken = not self._taken, True
        return first

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that ended early is no news for the terminal."""


class _Request(BaseHTTPRequestHandler):
    server: _Server
    timeout = SILENT_SECONDS
    server_version, sys_version = "sqe", ""

    def do_GET(self) -> None:
        if not self.server.take():
            self.close_connection = True
            return
        target = urlsplit(self.path)
        try:
            self.send_response(200 if target.path == PATH else 404)
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(PAGE)
        finally:
            self.close_connection = True
            self.server.query = target.query if target.path == PATH else ""
            self.server.answered.set()

    def log_message(self, format: str, *arguments: Any) -> None:
        """The request line holds the code: it is written nowhere."""
