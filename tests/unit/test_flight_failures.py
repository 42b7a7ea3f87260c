"""Every code of the family crosses the wire: the right gRPC status, one sentence, no traceback, and back to the same error."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyarrow import flight

from sqe.client.failures import sqe_error
from sqe.doors.flight.failures import MAX_TEXT_BYTES, guarded
from sqe.errors import CODES, GENERIC_USER_ERROR, SYNTAX_ERROR, Grpc, SqeError

RAISED: dict[str, Exception] = {
    name: SqeError(code, "Something is 'wrong'", hint="do [not] that") for name, code in CODES.items()
}
RAISED |= {
    "place": SqeError(SYNTAX_ERROR, "Syntax error at or near 'x'", line=3, column=14),
    "long": SqeError(GENERIC_USER_ERROR, "ž" * 100_000),
    "defect": RuntimeError("an inner secret"),
    "lone surrogate": SqeError(GENERIC_USER_ERROR, "\ud800 is no text"),
}


class Raising(flight.FlightServerBase):  # type: ignore[misc]
    """A Flight server whose verbs fail as they are told."""

    @guarded
    def get_flight_info(self, context: flight.ServerCallContext, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        raise RAISED[descriptor.command.decode()]


@pytest.fixture(scope="module")
def client() -> Iterator[flight.FlightClient]:
    with Raising(("127.0.0.1", 0)) as server, flight.FlightClient(f"grpc://127.0.0.1:{server.port}") as client:
        yield client


def answer(client: flight.FlightClient, name: str) -> Exception:
    with pytest.raises((flight.FlightError, pa.ArrowException)) as caught:
        client.get_flight_info(flight.FlightDescriptor.for_command(name.encode()))
    assert "Traceback" not in str(caught.value)
    return caught.value


STATUS = {
    Grpc.INVALID_ARGUMENT: pa.ArrowInvalid,
    Grpc.ALREADY_EXISTS: pa.ArrowInvalid,
    Grpc.NOT_FOUND: pa.ArrowKeyError,
    Grpc.UNIMPLEMENTED: pa.ArrowNotImplementedError,
    Grpc.UNAUTHENTICATED: flight.FlightUnauthenticatedError,
    Grpc.UNAUTHORIZED: flight.FlightUnauthorizedError,
    Grpc.CANCELLED: flight.FlightCancelledError,
    Grpc.TIMED_OUT: flight.FlightTimedOutError,
    Grpc.UNAVAILABLE: flight.FlightUnavailableError,
    Grpc.INTERNAL: flight.FlightInternalError,
}


@pytest.mark.parametrize("name", CODES)
def test_an_error_keeps_status_code_and_text(client: flight.FlightClient, name: str) -> None:
    sent = RAISED[name]
    raised = answer(client, name)
    back = sqe_error(raised)
    assert isinstance(raised, STATUS[CODES[name].grpc])
    assert (back.code, str(back)) == (CODES[name], str(sent))


def test_the_place_in_the_statement_survives(client: flight.FlightClient) -> None:
    back = sqe_error(answer(client, "place"))
    assert (back.line, back.column, back.message) == (3, 14, "Syntax error at or near 'x'")


def test_a_long_text_is_cut_to_what_every_client_takes(client: flight.FlightClient) -> None:
    assert MAX_TEXT_BYTES - 10 < len(str(sqe_error(answer(client, "long"))).encode()) < MAX_TEXT_BYTES + 10


def test_a_defect_of_ours_shows_nothing_of_itself(client: flight.FlightClient, caplog: pytest.LogCaptureFixture) -> None:
    assert str(sqe_error(answer(client, "defect"))).startswith("GENERIC_INTERNAL_ERROR: The server met an unexpected condition")
    assert "an inner secret" in caplog.text


def test_a_text_that_is_no_utf_8_is_still_a_text(client: flight.FlightClient) -> None:
    assert sqe_error(answer(client, "lone surrogate")).message == "? is no text"
