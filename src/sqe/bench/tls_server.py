"""A process of the benchmark `tls`: one stream of rows at three addresses, plain, with pyarrow's own TLS, and behind our front.

Its arguments are the certificate, its key and a folder for the socket; it prints the ports and ends with its standard input.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import flight

from sqe.config.sections import Coordinator
from sqe.doors.tls.certificates import Certificates
from sqe.doors.tls.connections import Connections
from sqe.doors.tls.front import TlsFront

ROWS = 64 * 1024


class Rows(flight.FlightServerBase):  # type: ignore[misc]
    """The ticket says how many."""

    def do_get(self, context: flight.ServerCallContext, ticket: flight.Ticket) -> flight.FlightDataStream:
        numbers = pa.array(range(ROWS))
        batch = pa.record_batch(dict.fromkeys(("a", "b", "c", "d"), numbers))
        batches = (batch for _ in range(int(ticket.ticket) // ROWS))
        return flight.RecordBatchStream(pa.RecordBatchReader.from_batches(batch.schema, batches))


def main(certificate: Path, key: Path, folder: Path) -> None:
    plain = Rows("grpc://127.0.0.1:0")
    native = Rows("grpc+tls://127.0.0.1:0", tls_certificates=[(certificate.read_bytes(), key.read_bytes())])
    behind = folder / "rows.sock"
    hidden = Rows(f"grpc+unix://{behind}")
    certificates = Certificates(Coordinator(tls_cert=certificate, tls_key=key), ["h2"])
    front = TlsFront(certificates, Connections(), host="127.0.0.1", port=0, key="port", behind=behind)
    front.start()
    print(json.dumps({"plain": plain.port, "native": native.port, "front": front.port}), flush=True)
    sys.stdin.read()
    assert hidden is not None  # it serves as long as it is referred to
    os._exit(0)  # gRPC's servers would wait for their clients


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
