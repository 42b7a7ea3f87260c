"""An Iceberg REST catalog that lets in only requests signed with SigV4, as AWS does: it checks the signature with AWS' own
library and passes the request on to a catalog without a log-in."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ACCESS_KEY = "AKIASIGNED"
SECRET_KEY = "signed-secret"  # noqa: S105 - of a server that only tests reach

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request, "
    r"SignedHeaders=(?P<headers>[^,]+), Signature=(?P<signature>[0-9a-f]{64})"
)


@dataclass
class SignedCatalog:
    url: str
    upstream: str
    signed_for: set[tuple[str, str]] = field(default_factory=set)  # service and region
    refused: int = 0

    def accepts(self, method: str, path: str, headers: dict[str, str], body: bytes) -> bool:
        told = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        if told is None or told["key"] != ACCESS_KEY:
            return False
        signed = {name: headers[name] for name in told["headers"].split(";")}
        request = AWSRequest(method, self.url + path, signed, body)
        request.context["timestamp"] = headers["x-amz-date"]
        signer = SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), told["service"], told["region"])
        expected = signer.signature(signer.string_to_sign(request, _canonical(signer, request, body)), request)
        self.signed_for.add((told["service"], told["region"]))
        return bool(expected == told["signature"])


def _canonical(signer: SigV4Auth, request: AWSRequest, body: bytes) -> str:
    """Its last line is the body's hash, which botocore would take from the header; Iceberg writes it in Base64 there."""
    canonical: str = signer.canonical_request(request)
    return canonical.rpartition("\n")[0] + "\n" + hashlib.sha256(body).hexdigest()


@contextmanager
def signed_catalog(upstream: str) -> Iterator[SignedCatalog]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            if not catalog.accepts(self.command, self.path, headers, body):
                catalog.refused += 1
                self._send(
                    403, b'{"error": {"message": "signature", "type": "ForbiddenException", "code": 403}}', "application/json"
                )
                return
            passed = {name: headers[name] for name in ("content-type", "accept") if name in headers}
            found = httpx.request(self.command, upstream + self.path, content=body, headers=passed, trust_env=False, timeout=60)
            self._send(found.status_code, found.content, found.headers.get("content-type", "application/json"))

        def _send(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_POST = do_DELETE = answer

        def log_message(self, format: str, *values: object) -> None:
            """Nothing: a test's output is for failures."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    catalog = SignedCatalog(f"http://127.0.0.1:{server.server_port}", upstream)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield catalog
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
