"""How a failure leaves the door: one clear sentence with the right gRPC status, never a traceback.

pyarrow 26 turns an exception of a verb into a status in two ways. Its own `Flight…Error`s carry text and extra bytes, but
there are only seven and none of them is INVALID_ARGUMENT, NOT_FOUND or UNIMPLEMENTED, which ADBC turns into
ProgrammingError and NotSupportedError. Any other exception gets its status from its builtin base (ValueError, KeyError,
NotImplementedError) and appends `traceback.format_exception()` to the text; where that call fails, only the name of the
exception's type. So the classes below make it fail, and are named after the SQLSTATE:

    TABLE_NOT_FOUND: Table 'x' does not exist. Detail: Python exception: SQLSTATE 42P01

A pyarrow with a way to send these statuses makes `_Untraceable` needless.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

from pyarrow import flight

from sqe.errors import Grpc, SqeError, internal
from sqe.limits import TooManyRequests

log = logging.getLogger("sqe.doors.flight")

# gRPC sends the text in the trailers, twice, escaped; Java's clients refuse more than 8 kB of them.
MAX_TEXT_BYTES = 1024

# The trailer that carries code, number and SQLSTATE as JSON; ADBC shows it in the details of its exceptions.
TRAILER = "x-sqe-error"

_FLIGHT_ERRORS: dict[Grpc, type[Exception]] = {
    Grpc.UNAUTHENTICATED: flight.FlightUnauthenticatedError,
    Grpc.UNAUTHORIZED: flight.FlightUnauthorizedError,
    Grpc.CANCELLED: flight.FlightCancelledError,
    Grpc.TIMED_OUT: flight.FlightTimedOutError,
    Grpc.UNAVAILABLE: flight.FlightUnavailableError,
    Grpc.INTERNAL: flight.FlightInternalError,
}
_BUILTIN_ERRORS: dict[Grpc, type[Exception]] = {
    Grpc.INVALID_ARGUMENT: ValueError,
    Grpc.NOT_FOUND: KeyError,
    Grpc.UNIMPLEMENTED: NotImplementedError,
    Grpc.ALREADY_EXISTS: ValueError,  # no builtin exception becomes ALREADY_EXISTS
}

P = ParamSpec("P")
R = TypeVar("R")


class _Untraceable:
    """Mixed into the exceptions that pyarrow would send with their traceback; see the head of this file."""

    args: tuple[str, ...]

    def __str__(self) -> str:
        return self.args[0]  # KeyError's own would quote it

    @property
    def __cause__(self) -> NoReturn:
        raise RuntimeError("this exception has no traceback to show")


@cache
def _untraceable(status: Grpc, sqlstate: str) -> type[Exception]:
    return type(f"SQLSTATE {sqlstate}", (_Untraceable, _BUILTIN_ERRORS[status]), {})


def failure(error: SqeError, context: flight.ServerCallContext | None = None) -> Exception:
    """The exception that makes pyarrow send this error; `context` lets the details travel in a trailer."""
    code = error.code
    text = _shortened(str(error))
    facts: dict[str, object] = {"code": code.name, "number": code.number, "sqlstate": code.sqlstate}
    if isinstance(error, TooManyRequests):
        facts["retry_after_seconds"] = error.retry_after
    details = json.dumps(facts)
    if context is not None:
        context.add_trailer(TRAILER, details)
    if code.grpc in _FLIGHT_ERRORS:
        return _FLIGHT_ERRORS[code.grpc](text, details.encode())
    return _untraceable(code.grpc, code.sqlstate)(text)


def translated(error: Exception, context: flight.ServerCallContext | None = None) -> Exception:
    """What a client may see of any exception. A defect of ours is logged here, whole, and shown as nothing but a defect."""
    if isinstance(error, SqeError):
        return failure(error, context)
    left = isinstance(error, flight.FlightCancelledError)
    if left:
        return error  # the client went away while we were reading from it; nobody reads the answer
    log.error("a Flight call failed unexpectedly", exc_info=error)
    return failure(internal(), context)


def guarded(
    verb: Callable[Concatenate[Any, flight.ServerCallContext, P], R],
) -> Callable[Concatenate[Any, flight.ServerCallContext, P], R]:
    """Wraps every verb of the server: whatever happens inside, the client gets a sentence with a code."""

    @wraps(verb)
    def call(server: Any, context: flight.ServerCallContext, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(server, context, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the boundary: nothing may pass untranslated
            raise translated(error, context) from None

    return call


def _shortened(text: str) -> str:
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_TEXT_BYTES:
        return encoded.decode("utf-8")
    return encoded[:MAX_TEXT_BYTES].decode("utf-8", "ignore") + "…"
