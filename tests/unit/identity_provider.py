"""A small identity provider on the loopback address, with real keys and real HTTP, that does what a test tells it to."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

Json = dict[str, Any]
Form = dict[str, str]
Answer = tuple[int, bytes]

TOKEN, KEYS, DESCRIPTION = "/token", "/keys", "/.well-known/openid-configuration"


def answer(status: int = 200, **body: Any) -> Answer:
    return status, json.dumps(body).encode()


def segment(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class SigningPair:
    """A key pair under a name, as an issuer has it."""

    def __init__(self, name: str = "first", *, bits: int = 2048, curve: ec.EllipticCurve | None = None) -> None:
        self.name = name
        self.algorithm = "RS256" if curve is None else "ES256"
        private = rsa.generate_private_key(65537, bits) if curve is None else ec.generate_private_key(curve)
        self.private: Any = private

    @property
    def published(self) -> Json:
        writer = RSAAlgorithm if self.algorithm == "RS256" else ECAlgorithm
        public: Json = writer.to_jwk(self.private.public_key(), as_dict=True)
        return {**public, "kid": self.name, "use": "sig", "alg": self.algorithm}

    @property
    def public_pem(self) -> bytes:
        return self.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)  # type: ignore[no-any-return]

    def signed(self, claims: Json, **header: Any) -> str:
        return jwt.PyJWS().encode(json.dumps(claims).encode(), self.private, self.algorithm, {"kid": self.name, **header})


@cache
def first_pair() -> SigningPair:
    """RSA keys take a tenth of a second to make; tests that need others make them."""
    return SigningPair()


class IdentityProvider:
    """Answers are replaced by assigning to `answers[path]`; what was asked is in `asked`."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.pair = first_pair()
        self.published = [self.pair.published]
        self.asked: list[tuple[str, Form, dict[str, str]]] = []
        self.token_answer: Callable[[Form], Answer] = lambda form: answer(400, error="unsupported_grant_type")
        self.answers: dict[str, Callable[[Form], Answer]] = {
            TOKEN: lambda form: self.token_answer(form),
            KEYS: lambda _: answer(keys=self.published),
            DESCRIPTION: lambda _: answer(
                issuer=self.url, token_endpoint=self.url + TOKEN, jwks_uri=self.url + KEYS, **self.more_description
            ),
        }
        self.more_description: Json = {}

    def count(self, path: str) -> int:
        return sum(1 for asked, _, _ in self.asked if asked == path)

    def claims(self, **changes: Any) -> Json:
        """Those of a good token of alice; a change to None leaves a claim out."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": "sqe",
            "sub": "alice-1",
            "iat": now,
            "exp": now + 300,
            "preferred_username": "alice",
            "realm_access": {"roles": ["analyst"]},
            "groups": ["eu"],
        }
        return {name: value for name, value in (claims | changes).items() if value is not None}

    def token(self, **changes: Any) -> str:
        return self.pair.signed(self.claims(**changes))

    def grant(self, life: int = 300, **changes: Any) -> Answer:
        """A token endpoint's good answer."""
        return answer(access_token=self.token(**changes), token_type="Bearer", expires_in=life, refresh_token="next")  # noqa: S106

    def stall(self, path: str, seconds: float = 30) -> threading.Event:
        """Answers as before, but only after so long, or when the event is set."""
        before, release = self.answers[path], threading.Event()

        def wait(form: Form) -> Answer:
            release.wait(seconds)
            return before(form)

        self.answers[path] = wait
        return release

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def running() -> Iterator[IdentityProvider]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(dict(parse_qsl(body, keep_blank_values=True)))

        def _answer(self, form: Form) -> None:
            provider.asked.append((self.path, form, dict(self.headers)))
            status, body = provider.answers.get(self.path, lambda _: answer(404))(form)
            self.send_response(status)
            if status in (301, 302, 307, 308):
                self.send_header("Location", body.decode())
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Tests read what was asked from `asked`."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Clients that did not wait are what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    provider = IdentityProvider(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield provider
    finally:
        provider.stop()
        thread.join()
