"""From what pyarrow raises on the client's side back to the error that the server meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa
from pyarrow import flight

from sqe.errors import (
    AUTHENTICATION_FAILED,
    CODES,
    EXCEEDED_TIME_LIMIT,
    GENERIC_INTERNAL_ERROR,
    REMOTE_HOST_GONE,
    USER_CANCELED,
    ErrorCode,
    SqeError,
)

# `CODE: line 1:8: sentence [hint]. Detail: …`; gRPC and pyarrow add what is around it.
_OURS = re.compile(
    r"\b(?P<code>[A-Z][A-Z_]+): (?:line (?P<line>\d+):(?P<column>\d+): )?(?P<text>.*?)(?:\. Detail: .*)?$", re.DOTALL
)
_HINT = re.compile(r"^(?P<text>.*) \[(?P<hint>[^\[\]]+)\]$", re.DOTALL)

# When the text is not ours: something between us and the server failed.
_BY_TYPE: tuple[tuple[type[Exception], ErrorCode], ...] = (
    (flight.FlightUnauthenticatedError, AUTHENTICATION_FAILED),
    (flight.FlightCancelledError, USER_CANCELED),
    (flight.FlightTimedOutError, EXCEEDED_TIME_LIMIT),
    (flight.FlightUnavailableError, REMOTE_HOST_GONE),
    (OSError, REMOTE_HOST_GONE),
)


@contextmanager
def understood() -> Iterator[None]:
    """Everything inside raises `SqeError` only."""
    try:
        yield
    except (flight.FlightError, pa.ArrowException, OSError) as error:
        raise sqe_error(error) from None


@contextmanager
def reaching(uri: str, asked_again: Callable[[], object] | None = None) -> Iterator[None]:
    """Like `understood`, for the first call of a connection: what is not the server's own word means that there is none.

    A handshake of pyarrow 26 that fails does not say why, other calls do: `asked_again` makes one.
    """
    try:
        yield
    except (flight.FlightError, pa.ArrowException, OSError) as error:
        found = sqe_error(error)
        if found.code is REMOTE_HOST_GONE or found.code.name not in str(error):
            found = _unreachable(uri, _text_of(asked_again) if asked_again is not None else str(error))
        raise found from None


def _text_of(call: Callable[[], object]) -> str:
    try:
        call()
    except (flight.FlightError, pa.ArrowException, OSError) as error:
        return str(error)
    return ""


# What gRPC and OpenSSL say when the two sides do not agree on TLS, and what it means. {0} is the expression's first group.
_TLS_FAILURES = (
    (r"certificate verify failed: ([a-z -]+)", "The certificate of the server at {uri} cannot be trusted: {0}", "--tls-ca FILE"),
    (r"Peer name .* is not in peer certificate", "The certificate of the server at {uri} is another server's", None),
    (
        r"wrong version number|packet length too long|record too large",
        "The server at {uri} does not speak TLS",
        "grpc://, no --tls",
    ),
    (
        r"TSI_DATA_CORRUPTED|alert",
        "The server at {uri} refused the connection; does it want a client certificate?",
        "--tls-cert FILE",
    ),
)
_CLOSED = re.compile(r"reset by peer|Socket closed|Broken pipe")


def _unreachable(uri: str, text: str) -> SqeError:
    for pattern, sentence, hint in _TLS_FAILURES:
        found = re.search(pattern, text)
        if found and uri.startswith("grpc+tls:"):
            return SqeError(REMOTE_HOST_GONE, sentence.format(*found.groups(), uri=uri), hint=hint)
    if _CLOSED.search(text) and not uri.startswith("grpc+unix:"):
        hint = None if uri.startswith("grpc+tls:") else "does it want TLS? grpc+tls://, --tls"
        return SqeError(REMOTE_HOST_GONE, f"The server at {uri} closed the connection", hint=hint)
    return SqeError(REMOTE_HOST_GONE, f"The server at {uri} cannot be reached")


def sqe_error(error: Exception) -> SqeError:
    text = str(error)
    found = _OURS.search(text)
    code = CODES.get(found["code"]) if found else None
    if found is None or code is None:
        return _foreign(error, text)
    hinted = _HINT.match(found["text"])
    message, hint = (hinted["text"], hinted["hint"]) if hinted else (found["text"], None)
    line = int(found["line"]) if found["line"] else None
    column = int(found["column"]) if found["column"] else None
    return SqeError(code, message, hint=hint, line=line, column=column)


def _foreign(error: Exception, text: str) -> SqeError:
    for kind, code in _BY_TYPE:
        if isinstance(error, kind):
            return SqeError(code, _FOREIGN_TEXTS.get(code.name) or text.splitlines()[0])
    return SqeError(GENERIC_INTERNAL_ERROR, text.splitlines()[0] if text else type(error).__name__)


_FOREIGN_TEXTS = {
    AUTHENTICATION_FAILED.name: "Authentication failed",
    USER_CANCELED.name: "The statement was cancelled",
    REMOTE_HOST_GONE.name: "The server cannot be reached",
}
