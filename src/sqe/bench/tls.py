"""What TLS costs a stream: our front, the TLS of pyarrow's own server, and none, with the same rows behind. No engine."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pyarrow import flight

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run, fewest
from sqe.bench.figures import Declared, Figure
from sqe.bench.processes import Child

STREAM = Declared("tls.stream", "one stream through our TLS front", 1.67, "s", "the TLS of pyarrow's Flight server")

_BYTES_A_ROW = 32


def measure(run: Run) -> Iterator[Figure]:
    rows = run.options.rows * 1_000_000
    with tempfile.TemporaryDirectory(prefix="sqe-bench-") as folder:
        certificate, key = _certificate(Path(folder))
        with closing(Child([sys.executable, "-m", "sqe.bench.tls_server", str(certificate), str(key), folder])) as server:
            ports = server.answer(60)
            seconds: dict[str, list[float]] = {name: [] for name in ports}
            for _ in range(run.options.rounds):  # in turns, so that a busy moment of the machine meets all
                for name, port in ports.items():
                    seconds[name].append(_streamed(name, port, rows, certificate))
    best = {name: fewest(name, values) for name, values in seconds.items()}
    for name, value in best.items():
        run.say(f"  {name}: {rows * _BYTES_A_ROW / value / 1e6:.0f} MB/s")
    yield STREAM.measured(best["front"], best["native"])


def _streamed(name: str, port: int, rows: int, certificate: Path) -> float:
    scheme = "grpc" if name == "plain" else "grpc+tls"
    with flight.FlightClient(f"{scheme}://localhost:{port}", tls_root_certs=certificate.read_bytes()) as client:
        client.do_get(flight.Ticket(b"0")).read_all()  # the connection is made before the clock starts
        started = time.monotonic()
        for _ in client.do_get(flight.Ticket(str(rows).encode())):
            pass
        return time.monotonic() - started


def _certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    try:
        subprocess.run(
            [*words.split(), "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError):
        raise BenchmarkError("A certificate could not be made; is openssl there?") from None
    return certificate, key


BENCHMARK = Benchmark(
    "tls",
    "A stream of rows through the TLS front, without an engine",
    (STREAM,),
    (Option("rows", 12, "million rows of a stream"), Option("rounds", 5, "streams of each kind; the fastest counts")),
    measure,
)
