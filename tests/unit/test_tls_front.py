"""The TLS front with a real Flight server behind it: who gets through, what the server learns of them, and what is left over."""

from __future__ import annotations

import gc
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from authority import Authority, Pair
from pyarrow import flight
from waiting import eventually

from sqe.config.sections import Coordinator
from sqe.doors.tls import certificates as certificates_module
from sqe.doors.tls import pump as pump_module
from sqe.doors.tls.certificates import Certificates
from sqe.doors.tls.connections import HEADER, Connection, Connections
from sqe.doors.tls.front import TlsFront
from sqe.doors.tls.marking import PREFACE

BATCH = pa.record_batch({"n": pa.array(range(100_000))})


class Seen(flight.ServerMiddlewareFactory):
    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.calls: list[tuple[flight.FlightMethod, list[str], Connection | None]] = []

    def start_call(self, info: flight.CallInfo, headers: dict[str, list[str]]) -> None:
        self.calls.append((info.method, headers.get(HEADER, []), self._connections.of(headers)))


class Greeter(flight.ServerAuthHandler):
    def authenticate(self, outgoing: flight.ServerAuthSender, incoming: flight.ServerAuthReader) -> None:
        outgoing.write(b"hello")

    def is_valid(self, token: bytes) -> bytes:
        return b""


class Numbers(flight.FlightServerBase):
    """As many batches as the ticket says; `taken` counts those of a put."""

    taken = 0

    def do_get(self, context: flight.ServerCallContext, ticket: flight.Ticket) -> flight.RecordBatchStream:
        batches = (BATCH for _ in range(int(ticket.ticket)))
        return flight.RecordBatchStream(pa.RecordBatchReader.from_batches(BATCH.schema, batches))

    def do_put(
        self, context: flight.ServerCallContext, descriptor: object, reader: flight.MetadataRecordBatchReader, _: object
    ) -> None:
        self.taken = sum(chunk.data.num_rows for chunk in reader)


@dataclass
class House:
    """A server behind its front."""

    front: TlsFront
    seen: Seen
    server: Numbers
    connections: Connections
    clients: list[flight.FlightClient] = field(default_factory=list)

    def client(self, root: Path, pair: Pair | None = None, **options: object) -> flight.FlightClient:
        if pair is not None:
            options |= {"cert_chain": pair.certificate.read_bytes(), "private_key": pair.key.read_bytes()}
        client = flight.FlightClient(f"grpc+tls://localhost:{self.front.port}", tls_root_certs=root.read_bytes(), **options)
        self.clients.append(client)
        return client

    def raw(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.front.port), timeout=20)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def pair(authority: Authority) -> Pair:
    return authority.server()


@pytest.fixture
def house(pair: Pair, authority: Authority, tmp_path: Path) -> Iterator[Callable[..., House]]:
    opened: list[House] = []

    def build(client_auth: str = "none", *, min_version: str = "1.2", **options: object) -> House:
        settings = Coordinator(
            tls_cert=pair.certificate,
            tls_key=pair.key,
            tls_client_auth=client_auth,
            tls_client_ca=None if client_auth == "none" else authority.file,
            tls_min_version=min_version,
        )
        connections = Connections()
        seen = Seen(connections)
        behind = tmp_path / "s"
        server = Numbers(f"grpc+unix://{behind}", auth_handler=Greeter(), middleware={"seen": seen})
        front = TlsFront(
            Certificates(settings, ["h2"], clients=True),
            connections,
            host="127.0.0.1",
            port=0,
            key="port",
            behind=behind,
            **options,
        )
        front.start()
        opened.append(House(front, seen, server, connections))
        return opened[-1]

    yield build
    for each in opened:
        for client in each.clients:
            client.close()
        each.front.stop()
        each.server.shutdown()


def rows(client: flight.FlightClient, batches: int = 1) -> int:
    return sum(chunk.data.num_rows for chunk in client.do_get(flight.Ticket(str(batches).encode())))


def test_results_and_uploads_go_through_unchanged(house: Callable[..., House], authority: Authority) -> None:
    here = house()
    client = here.client(authority.file)
    assert client.do_get(flight.Ticket(b"20")).read_all() == pa.Table.from_batches([BATCH] * 20)
    writer, _ = client.do_put(flight.FlightDescriptor.for_path("x"), BATCH.schema)
    for _ in range(20):
        writer.write_batch(BATCH)
    writer.close()
    assert here.server.taken == 20 * BATCH.num_rows


def test_every_call_carries_its_connection_the_handshake_too(house: Callable[..., House], authority: Authority) -> None:
    here = house("optional")
    known = authority.client("alice")
    with_certificate, without = here.client(authority.file, known), here.client(authority.file)
    for client in (with_certificate, without):
        client.authenticate_basic_token("somebody", "secret")
        rows(client)
        rows(client)
    methods = [method for method, _, _ in here.seen.calls]
    assert methods == [flight.FlightMethod.HANDSHAKE, flight.FlightMethod.DO_GET, flight.FlightMethod.DO_GET] * 2
    mine, others = {call[2] for call in here.seen.calls[:3]}, {call[2] for call in here.seen.calls[3:]}
    ((mine_is,), (other_is,)) = mine, others
    assert mine_is is not None
    assert other_is is not None
    assert mine_is.certificate == known.der
    assert other_is.certificate is None
    assert mine_is.address.startswith("ipv4:127.0.0.1:")
    assert mine_is.address != other_is.address


def test_many_headers_need_frames_of_their_own_and_still_arrive(house: Callable[..., House], authority: Authority) -> None:
    """More than one HTTP/2 frame of headers: the mark goes behind the last."""
    here = house()
    client = here.client(authority.file, generic_options=[("grpc.max_metadata_size", 1 << 20)])
    headers = [(f"x-long-{number}".encode(), os.urandom(1500).hex().encode()) for number in range(2)]
    options = flight.FlightCallOptions(headers=headers)
    assert client.do_get(flight.Ticket(b"1"), options).read_all().num_rows == BATCH.num_rows
    assert here.seen.calls[-1][2] is not None


def test_a_client_cannot_speak_for_another_connection(house: Callable[..., House], authority: Authority) -> None:
    here = house("optional")
    victim = here.client(authority.file, authority.client("alice"))
    rows(victim)
    liar = here.client(authority.file)
    forged = [(HEADER.encode(), value) for value in (b"", b"0" * 32, b"alice", b"a" * 3000)]
    liar.do_get(flight.Ticket(b"1"), flight.FlightCallOptions(headers=forged)).read_all()
    _, values, found = here.seen.calls[-1]
    assert len(values) == len(forged) + 1
    assert found is not None
    assert found.certificate is None


def test_wrong_authority_on_either_side_ends_the_handshake(
    house: Callable[..., House], authority: Authority, tmp_path: Path
) -> None:
    here = house("required")
    stranger = Authority(tmp_path, "strangers")
    for root, shown in (
        (stranger.file, authority.client("alice")),  # the client does not know the server's
        (authority.file, stranger.client("mallory")),  # the server does not know the client's
        (authority.file, authority.client("late", days=-1)),
        (authority.file, authority.server("a-server-s")),  # not made for clients
        (authority.file, None),
    ):
        with pytest.raises(pa.ArrowException):
            rows(here.client(root, shown))
    assert here.seen.calls == []
    assert rows(here.client(authority.file, authority.client("alice"))) == BATCH.num_rows


def test_optional_client_certificates_are_verified_when_shown(
    house: Callable[..., House], authority: Authority, tmp_path: Path
) -> None:
    here = house("optional")
    with pytest.raises(pa.ArrowException):
        rows(here.client(authority.file, Authority(tmp_path, "strangers").client("mallory")))
    assert rows(here.client(authority.file)) == BATCH.num_rows


@pytest.mark.parametrize(
    ("least", "offered", "accepted"),
    [
        ("1.2", ssl.TLSVersion.TLSv1_1, False),
        ("1.2", ssl.TLSVersion.TLSv1_2, True),
        ("1.2", ssl.TLSVersion.TLSv1_3, True),
        ("1.3", ssl.TLSVersion.TLSv1_2, False),
        ("1.3", ssl.TLSVersion.TLSv1_3, True),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_versions_of_tls_are_refused(
    house: Callable[..., House], authority: Authority, least: str, offered: ssl.TLSVersion, accepted: bool
) -> None:
    context = ssl.create_default_context(cafile=str(authority.file))
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, offered
    context.set_alpn_protocols(["h2"])
    here = house(min_version=least)
    try:
        with here.raw() as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
            assert tls.selected_alpn_protocol() == "h2"
        worked = True
    except ssl.SSLError:
        worked = False
    assert worked == accepted


@pytest.mark.parametrize(
    "said", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", PREFACE, os.urandom(2000), b"\x16\x03\x01\xff\xff" + b"\0" * 70_000, b"\0"]
)
def test_what_is_not_tls_is_closed(house: Callable[..., House], authority: Authority, said: bytes) -> None:
    here = house(handshake_seconds=0.5)
    with here.raw() as plain:
        try:
            plain.sendall(said)
            answer = plain.recv(4096)
            while answer and (more := plain.recv(4096)):
                answer += more
        except ConnectionError:
            answer = b""
    assert len(answer) < 50  # an alert at most, and no word of HTTP
    eventually(lambda: here.front.connected == 0)
    assert rows(here.client(authority.file)) == BATCH.num_rows


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", PREFACE[:-1] + b"x", os.urandom(100), PREFACE[:10], b""])
def test_what_is_not_http_2_never_reaches_the_server(house: Callable[..., House], authority: Authority, said: bytes) -> None:
    here = house(handshake_seconds=0.5)
    context = ssl.create_default_context(cafile=str(authority.file))
    with here.raw() as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
        if said:
            tls.sendall(said)
        while tls.recv(4096):  # gRPC's own settings, which it sends before it has read anything
            pass
    eventually(lambda: here.front.connected == 0)
    assert here.seen.calls == []


def drip(connection: socket.socket, said: bytes) -> None:
    """A byte at a time, in 10 s in all."""
    for byte in said:
        connection.sendall(bytes((byte,)))
        threading.Event().wait(0.02)


def test_half_open_handshakes_time_out_even_when_bytes_trickle(house: Callable[..., House]) -> None:
    here = house(handshake_seconds=0.5)
    silent, dripping = here.raw(), here.raw()
    began = time.monotonic()
    with silent, dripping:
        eventually(lambda: here.front.connected == 2)
        with pytest.raises(ConnectionError):
            drip(dripping, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 490)
        assert silent.recv(10) == b""
        assert time.monotonic() - began < 10
    eventually(lambda: here.front.connected == 0)


def test_connections_are_bounded_and_room_comes_back(house: Callable[..., House], authority: Authority) -> None:
    here = house(most_connections=3)
    held = [here.raw() for _ in range(3)]
    eventually(lambda: here.front.connected == 3)
    with here.raw() as refused:
        assert refused.recv(10) == b""
    for each in held:
        each.close()
    eventually(lambda: here.front.connected == 0)
    assert rows(here.client(authority.file)) == BATCH.num_rows


def test_clients_that_leave_in_the_middle_free_their_thread_and_sockets(
    house: Callable[..., House], authority: Authority
) -> None:
    here = house()
    rows(here.client(authority.file))
    here.clients.pop().close()
    eventually(lambda: here.front.connected == 0)
    handles = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        client = here.client(authority.file)
        reader = client.do_get(flight.Ticket(b"100000"))
        reader.read_chunk()
        reader.cancel()
        del reader
        here.clients.pop().close()
        del client
    gc.collect()
    eventually(lambda: here.front.connected == 0 and len(here.connections) == 0)
    eventually(lambda: len(os.listdir("/proc/self/fd")) <= handles)


def test_a_client_that_takes_nothing_is_given_up(
    pair: Pair, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP/2 would not let a server write so much unasked; a client with a huge window could ask for it."""
    monkeypatch.setattr(pump_module, "STALLED_SECONDS", 0.5)
    behind = tmp_path / "s"
    settings = Coordinator(tls_cert=pair.certificate, tls_key=pair.key)
    front = TlsFront(Certificates(settings, ["h2"]), Connections(), host="127.0.0.1", port=0, key="port", behind=behind)
    context = ssl.create_default_context(cafile=str(authority.file))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(behind))
        listener.listen()
        front.start()
        try:
            plain = socket.create_connection(("127.0.0.1", front.port))
            with plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
                tls.sendall(PREFACE)
                server, _ = listener.accept()
                with server, pytest.raises(ConnectionError):
                    server.sendall(bytes(64 << 20))
                eventually(lambda: front.connected == 0)
        finally:
            front.stop()


def test_a_stopped_front_leaves_no_thread_and_no_socket(house: Callable[..., House], authority: Authority) -> None:
    here = house()
    client = here.client(authority.file)
    reader = client.do_get(flight.Ticket(b"100000"))
    reader.read_chunk()
    half_open = here.raw()
    eventually(lambda: here.front.connected == 2)
    here.front.stop()
    assert here.front.connected == 0
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("sqe-tls")]
    with half_open:
        assert half_open.recv(10) == b""
    with pytest.raises(pa.ArrowException):
        reader.read_all()
    with pytest.raises(ConnectionError):
        here.raw()


def served(house: House, root: Path) -> bytes:
    """The certificate that a new client is shown."""
    context = ssl.create_default_context(cafile=str(root))
    with house.raw() as plain, context.wrap_socket(plain, server_hostname="localhost") as tls:
        return tls.getpeercert(binary_form=True) or b""


def test_new_files_are_served_at_once_and_running_streams_go_on(
    house: Callable[..., House], authority: Authority, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates_module, "LOOK_SECONDS", 0.0)
    here = house()
    client = here.client(authority.file)
    reader = client.do_get(flight.Ticket(b"200"))
    first = reader.read_chunk().data.num_rows
    old, new = pair.der, authority.server("renewed")
    assert served(here, authority.file) == old
    pair.replace(new)
    assert served(here, authority.file) == new.der != old
    assert first + sum(chunk.data.num_rows for chunk in reader) == 200 * BATCH.num_rows


def test_new_files_that_cannot_be_used_change_nothing_and_are_said_once(
    house: Callable[..., House],
    authority: Authority,
    pair: Pair,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(certificates_module, "LOOK_SECONDS", 0.0)
    here = house()
    old = pair.der
    other = authority.server("other")
    for broken in (
        b"",
        b"no certificate",
        other.certificate.read_bytes(),
        authority.server("x", days=-1).certificate.read_bytes(),
    ):
        caplog.clear()
        pair.certificate.write_bytes(broken)
        for _ in range(3):
            assert served(here, authority.file) == old
        assert [record.levelname for record in caplog.records] == ["ERROR"]
    pair.replace(other)
    assert served(here, authority.file) == other.der


def test_a_new_client_authority_replaces_the_old_one(
    house: Callable[..., House], authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates_module, "LOOK_SECONDS", 0.0)
    here = house("required")
    old = authority.client("alice")
    root = tmp_path / "root.pem"
    root.write_bytes(authority.file.read_bytes())
    assert rows(here.client(root, old)) == BATCH.num_rows
    newer = Authority(tmp_path, "newer")
    authority.file.write_bytes(newer.file.read_bytes())
    assert rows(here.client(root, newer.client("bob"))) == BATCH.num_rows
    with pytest.raises(pa.ArrowException):
        rows(here.client(root, old))
