"""Session options: `catalog`, `schema` and the settings that `SET` knows, by name.

Flight has messages for them where SQL has statements; the statements run, so that both ways are one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.doors.flight.calls import Call
from sqe.doors.flight.wire import messages
from sqe.errors import INVALID_ARGUMENTS, SqeError
from sqe.query.session_settings import SETTINGS

if TYPE_CHECKING:
    from sqe.query.handler import QueryHandler
    from sqe.session import Session

DOOR = "flight"
CATALOG, SCHEMA = "catalog", "schema"

_Errors = messages.SetSessionOptionsResult


class SessionOptions:
    """Reads and writes the options of the calling session; each name is set on its own, as Flight wants it."""

    def __init__(self, handler: QueryHandler) -> None:
        self._handler = handler

    def set(self, call: Call, request: messages.SetSessionOptionsRequest) -> messages.SetSessionOptionsResult:
        wanted = dict(request.session_options)
        result = messages.SetSessionOptionsResult()
        # The catalog first: a schema is looked for in it, and protobuf's maps have no order.
        for name in sorted(wanted, key=lambda name: (name != CATALOG, name != SCHEMA, name)):
            problem = self._set_one(call, name, wanted[name])
            if problem:
                result.errors[name].value = problem
        return result

    def get(self, call: Call) -> messages.GetSessionOptionsResult:
        result = messages.GetSessionOptionsResult()
        for name, value in _options(call.session).items():
            result.session_options[name].string_value = value
        return result

    def _set_one(self, call: Call, name: str, value: messages.SessionOptionValue) -> int:
        if name not in SETTINGS and name not in (CATALOG, SCHEMA):
            return _Errors.INVALID_NAME
        try:
            with self._handler.submit(call.session, _statement(name, value), door=DOOR):
                return 0
        except SqeError:
            return _Errors.INVALID_VALUE


def _options(session: Session) -> dict[str, str]:
    catalog, namespace = session.current or (session.default_catalog, ("default",))
    settings = {name: session.setting(name) for name in SETTINGS}
    return {CATALOG: catalog, SCHEMA: ".".join(namespace), **settings}


def _statement(name: str, value: messages.SessionOptionValue) -> str:
    kind = value.WhichOneof("option_value")
    if kind == "string_list_value" or (kind is None and name in (CATALOG, SCHEMA)):
        raise SqeError(INVALID_ARGUMENTS, f"The session option {name} takes one value")
    if kind is None:  # Flight's way to say "the default again"
        return f"RESET {name}"
    content = getattr(value, kind)
    text = _quoted(str(content).lower() if isinstance(content, bool) else str(content))
    return {CATALOG: f"SET CATALOG {text}", SCHEMA: f"USE NAMESPACE {text}"}.get(name, f"SET {name} = {text}")


def _quoted(text: str) -> str:
    return "`" + text.replace("`", "``") + "`"
