"""The messages of Flight SQL as bytes: what the door reads and the client writes, and the other way round.

A command, a ticket or an action body is a `google.protobuf.Any`: a type URL and the message itself. `Any` is written
and read here by hand because its type URL carries Arrow's package name while our descriptors have our own.
"""

from __future__ import annotations

from typing import TypeVar

from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError, Message

from sqe.doors.flight.wire import flight_sql_pb2 as messages
from sqe.errors import INVALID_ARGUMENTS, NOT_SUPPORTED, SqeError

__all__ = ["SESSION_HEADER", "messages", "pack", "parse", "statement_text", "unpack"]

_TYPE_URL = "type.googleapis.com/arrow.flight.protocol.sql."

# What a client of the embedded socket says at log-in: {"warehouse": folder, "catalogs": {name: folder}}.
SESSION_HEADER = "x-sqe-session"

M = TypeVar("M", bound=Message)


def pack(message: Message) -> bytes:
    """The message inside an `Any`, with the type URL that every Flight SQL client knows."""
    wrapped: bytes = Any(type_url=_TYPE_URL + message.DESCRIPTOR.name, value=message.SerializeToString()).SerializeToString()
    return wrapped


def unpack(data: bytes) -> Message:
    """The message that an `Any` holds; a name that we do not speak or damaged bytes are the client's error."""
    wrapped = parse(Any, data)
    prefix, _, name = wrapped.type_url.rpartition(".")
    # Arrow's clients differ in what they write before the name; only the package and the name mean something.
    if not prefix.endswith("arrow.flight.protocol.sql"):
        raise SqeError(INVALID_ARGUMENTS, "The request is not a Flight SQL message")
    kind: type[Message] | None = getattr(messages, name, None) if name in messages.DESCRIPTOR.message_types_by_name else None
    if kind is None:
        what = "Substrait plans are" if "Substrait" in name else f"The Flight SQL message {name[:80]!r} is"
        raise SqeError(NOT_SUPPORTED, f"{what} not supported")
    return parse(kind, wrapped.value)


def parse(kind: type[M], data: bytes) -> M:
    """Bytes of a known message; some actions send it bare, without an `Any`."""
    message: M = kind()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise SqeError(INVALID_ARGUMENTS, f"The request is not a well-formed {kind.DESCRIPTOR.name} message") from None
    return message


def statement_text(query: bytes) -> str:
    """The statement that a client sent; texts travel as bytes so that this error is ours to word."""
    try:
        return query.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise SqeError(INVALID_ARGUMENTS, f"The statement is not valid UTF-8 at byte {wrong.start + 1}") from None
