"""Flight's handshake with a bearer token: an identity provider's token in, the token of a session of one's own out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyarrow import flight

from sqe.client.failures import reaching
from sqe.errors import AUTHENTICATION_FAILED, INVALID_ARGUMENTS, SqeError

if TYPE_CHECKING:  # loads the whole configuration
    from sqe.config.values import Secret

Header = tuple[bytes, bytes]

# gRPC's own servers take 8 kB of headers for sure and never more than 16 kB; a name and a password grow by a third on the way.
LONGEST_CREDENTIALS = 12_000


def session_header(uri: str, token: Secret, **connection: Any) -> Header:
    """What the calls of the new session carry. `connection` are the options of pyarrow's client.

    On a connection of its own: pyarrow 26 sends the handler of a handshake along with every later call of its client.
    """
    presented = (b"authorization", b"Bearer " + as_bytes(token))
    answer = _Answer()
    with flight.FlightClient(uri, middleware=[answer], **connection) as client:
        why = flight.FlightCallOptions(timeout=5)
        with reaching(uri, lambda: list(client.list_actions(why))):
            client.authenticate(_Nothing(), flight.FlightCallOptions(headers=[presented]))
    if not answer.authorization:
        raise SqeError(AUTHENTICATION_FAILED, "Authentication failed")
    return b"authorization", answer.authorization.encode()


def check_size(*parts: str) -> None:
    """gRPC drops a call with more, and the server would seem not to be there."""
    size = sum(len(part.encode("utf-8", "surrogatepass")) for part in parts)
    if size > LONGEST_CREDENTIALS:
        raise SqeError(INVALID_ARGUMENTS, f"The credentials have {size} bytes, and a Flight header takes {LONGEST_CREDENTIALS}")


def as_bytes(token: Secret) -> bytes:
    """For a header or a body. A token with anything but plain characters is nobody's."""
    text = token.reveal()
    if not (text.isascii() and text.isprintable()):
        raise SqeError(AUTHENTICATION_FAILED, "Authentication failed")
    check_size(text)
    return text.encode("ascii")


class _Nothing(flight.ClientAuthHandler):  # type: ignore[misc]
    """The header says it all."""

    def authenticate(self, outgoing: Any, incoming: Any) -> None:
        pass

    def get_token(self) -> bytes:
        return b""


class _Answer(flight.ClientMiddlewareFactory):  # type: ignore[misc]
    """Keeps the header that the server answered with: pyarrow shows headers to middleware only."""

    def __init__(self) -> None:
        super().__init__()
        self.authorization = ""

    def start_call(self, info: flight.CallInfo) -> flight.ClientMiddleware:
        return _Reader(self)


class _Reader(flight.ClientMiddleware):  # type: ignore[misc]
    def __init__(self, answer: _Answer) -> None:
        super().__init__()
        self._answer = answer

    def received_headers(self, headers: dict[str, list[str]]) -> None:
        for value in headers.get("authorization", []):
            self._answer.authorization = value
