"""Asking a server how people log in there; the one call that needs no credentials."""

from __future__ import annotations

from pyarrow import flight

from sqe.client.failures import reaching
from sqe.client.tls import SYSTEM_TLS, ClientTls
from sqe.errors import AUTHENTICATION_FAILED, NOT_SUPPORTED, SqeError
from sqe.identity.options import LoginOption, from_json


def login_options(uri: str, tls: ClientTls = SYSTEM_TLS) -> list[LoginOption]:
    """Empty when the server names none, or is one that does not know the question."""
    try:
        with reaching(uri), flight.FlightClient(uri, **tls.options(uri)) as client:
            answers = [result.body.to_pybytes() for result in client.do_action(flight.Action("LoginOptions", b""))]
        return from_json(answers[0]) if answers else []
    except SqeError as error:
        if error.code in (AUTHENTICATION_FAILED, NOT_SUPPORTED):
            return []
        raise
    except ValueError:
        return []
