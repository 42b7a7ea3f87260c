"""What attackers have: a place on the network that waits for calls, forged tokens, and clients that keep no manners."""

from __future__ import annotations

import base64
import json
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any

import jwt
import pyarrow as pa
from clients import Json, claims
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pyarrow import flight

from sqe.doors.flight.wire import messages, pack


class Listener:
    """Accepts on a loopback port and remembers what comes first on every connection."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self.heard: list[bytes] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(2)
                try:
                    self.heard.append(connection.recv(4096))
                    connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                except OSError:
                    self.heard.append(b"")


def forged(header: Json, content: Json, signature: bytes = b"") -> str:
    return ".".join([_encoded(json.dumps(header).encode()), _encoded(json.dumps(content).encode()), _encoded(signature)])


def with_claims(token: str, **changes: Any) -> str:
    """The same header and signature around other claims."""
    header, _, signature = token.split(".")
    return ".".join([header, _encoded(json.dumps(claims(token) | changes).encode()), signature])


def signed_by_stranger(token: str, header: Json | None = None, **changes: Any) -> str:
    """All as the issuer's, only with a key of our own."""
    kept = {"kid": jwt.get_unverified_header(token)["kid"]} | (header or {})
    return jwt.encode(claims(token) | changes, STRANGER, algorithm="RS256", headers=kept)


def signed_with_public_key(token: str, keys: Json) -> str:
    """The old confusion: the public key as the secret of an HMAC."""
    wanted = jwt.get_unverified_header(token)["kid"]
    (key,) = (jwt.PyJWK(each) for each in keys["keys"] if each["kid"] == wanted)
    public = key.key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    signing = ".".join([_encoded(json.dumps({"alg": "HS256", "typ": "JWT", "kid": wanted}).encode()), token.split(".")[1]])
    return f"{signing}.{_encoded(_hmac(public, signing.encode()))}"


def stranger_jwk() -> Json:
    return json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(STRANGER.public_key()))


STRANGER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _hmac(key: bytes, message: bytes) -> bytes:
    import hashlib
    import hmac

    return hmac.new(key, message, hashlib.sha256).digest()


# Flight by hand.

Headers = list[tuple[bytes, bytes]]


class Silent(flight.ClientAuthHandler):  # type: ignore[misc]
    """A handshake that says nothing; what counts are the headers."""

    def authenticate(self, outgoing: flight.ClientAuthSender, incoming: flight.ClientAuthReader) -> None:
        pass

    def get_token(self) -> bytes:
        return b""


def call(headers: Headers) -> flight.FlightCallOptions:
    return flight.FlightCallOptions(headers=headers, timeout=60)


def statement(sql: str) -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(pack(messages.CommandStatementQuery(query=sql.encode())))


def attempts(client: flight.FlightClient, headers: Headers) -> dict[str, Callable[[], Any]]:
    """All that a client can ask a server for."""
    options = call(headers)
    return {
        "handshake": lambda: client.authenticate(Silent(), options),
        "query": lambda: client.get_flight_info(statement("SELECT 1"), options),
        "schema": lambda: client.get_schema(statement("SELECT 1"), options),
        "rows": lambda: client.do_get(flight.Ticket(b"x"), options).read_all(),
        "action": lambda: list(client.do_action(flight.Action("CloseSession", b""), options)),
        "actions": lambda: list(client.list_actions(options)),
        "upload": lambda: _uploaded(client, options),
    }


def _uploaded(client: flight.FlightClient, options: flight.FlightCallOptions) -> None:
    writer, _ = client.do_put(statement("SELECT 1"), pa.schema([("a", pa.int64())]), options)
    writer.close()


def answer(attempt: Callable[[], Any]) -> str:
    """What a refused attempt says, without what pyarrow's client adds; "got in" when it was not refused."""
    try:
        attempt()
    except (flight.FlightError, pa.ArrowException, OSError) as refused:
        # GetSchema's client in pyarrow 26 does not know what kind of error it got.
        return str(refused).partition(". Detail: ")[0].removeprefix("Unknown error: ")
    return "got in"


def http2(port: int, headers: Headers) -> set[int]:
    """One Flight call with headers that no library would send; the types of the frames that answer it (0 would be rows)."""
    path = b"/arrow.flight.protocol.FlightService/ListActions"
    pseudo = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"localhost")]
    usual = [(b"te", b"trailers"), (b"content-type", b"application/grpc")]
    block = b"".join(b"\0" + _hpack(name) + _hpack(value) for name, value in [*pseudo, *usual, *headers])
    with socket.create_connection(("127.0.0.1", port), 20) as connection:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0, b"") + _frame(1, 4, 1, block))
        connection.sendall(_frame(0, 1, 1, b"\0\0\0\0\0"))
        return _answer(connection)


def _hpack(text: bytes) -> bytes:
    assert len(text) < 127
    return bytes([len(text)]) + text


def _frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    return struct.pack(">I", len(content))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + content


def _answer(connection: socket.socket) -> set[int]:
    """Until the stream ends, is reset, or the connection is closed."""
    kinds: set[int] = set()
    reader = connection.makefile("rb")
    while head := reader.read(9):
        length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        reader.read(length)
        if kind == 4 and not flags & 1:
            connection.sendall(_frame(4, 1, 0, b""))
        if stream == 1:
            kinds.add(kind)
            if kind == 3 or flags & 1:
                break
    return kinds
