"""`TlsFront`: the port that clients see. It ends TLS and passes each connection on to a server behind a unix socket."""

from __future__ import annotations

import errno
import logging
import select
import socket
import ssl
import threading
import time
from contextlib import suppress
from pathlib import Path

from sqe.doors.ports import listening
from sqe.doors.tls.certificates import Certificates
from sqe.doors.tls.connections import HEADER, Connection, Connections
from sqe.doors.tls.marking import Marking
from sqe.doors.tls.pump import NotHttp2, Pump, Stopped, Waiting, shake_hands

log = logging.getLogger("sqe.tls")

# A thread and two sockets each. Beyond it new ones are closed at once.
MOST_CONNECTIONS = 1000
# From the connection to the first bytes of HTTP/2.
HANDSHAKE_SECONDS = 10.0
# After which time a client that vanished without a word is given up.
VANISHED_SECONDS = 60
# How long a client that was refused may take to hear why.
REFUSED_SECONDS = 1.0


class TlsFront:
    """Binds in its constructor, serves from `start` to `stop`. `connections` tell the server behind it who its callers are."""

    def __init__(
        self,
        certificates: Certificates,
        connections: Connections,
        *,
        host: str,
        port: int,
        key: str,
        behind: Path,
        most_connections: int = MOST_CONNECTIONS,
        handshake_seconds: float = HANDSHAKE_SECONDS,
    ) -> None:
        self._connections = connections
        self._certificates = certificates
        self._behind = str(behind)
        self._most = most_connections
        self._handshake_seconds = handshake_seconds
        self._listener = listening(host, port, key)
        self.port: int = self._listener.getsockname()[1]
        self._stopping, self._stop = socket.socketpair()
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()
        self._acceptor = threading.Thread(target=self._accept_all, name="sqe-tls-accept", daemon=True)

    def start(self) -> None:
        self._acceptor.start()

    def stop_accepting(self) -> None:
        """New clients are refused; those that are here go on."""
        with suppress(OSError):  # closed already
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        if self._acceptor.is_alive():
            self._acceptor.join()
        self._listener.close()

    def stop(self) -> None:
        self.stop_accepting()
        self._stop.close()  # every connection's thread sees its other end close
        with self._lock:
            left = list(self._threads)
        for thread in left:
            thread.join()
        self._stopping.close()

    @property
    def connected(self) -> int:
        """Connections, those in their handshake too."""
        return len(self._threads)

    def _accept_all(self) -> None:
        while True:
            try:
                client, address = self._listener.accept()
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS):
                    time.sleep(0.1)  # until some connection ends; the client waits in the queue
                elif error.errno not in (errno.ECONNABORTED, errno.EINTR):
                    return
                continue
            with self._lock:
                full = len(self._threads) >= self._most
                if not full:
                    thread = threading.Thread(target=self._serve, args=(client, _peer(address)), name="sqe-tls", daemon=True)
                    self._threads.add(thread)
            if full:
                client.close()
                log.warning("a connection is refused: %d are open already", self._most)
                continue
            try:
                thread.start()
            except RuntimeError:  # the system has no more threads
                client.close()
                self._ended(thread)

    def _serve(self, client: socket.socket, address: str) -> None:
        try:
            with client:
                self._serve_client(client, address)
        except Stopped:
            pass
        except (TimeoutError, NotHttp2, OSError) as error:
            # Port scans, wrong certificates, lost connections: any stranger can cause these, so they are not for the log.
            log.debug("the connection from %s has ended: %s", address, error or type(error).__name__)
        except Exception:
            log.exception("the connection from %s has failed", address)
        finally:
            self._ended(threading.current_thread())

    def _serve_client(self, client: socket.socket, address: str) -> None:
        deadline = time.monotonic() + self._handshake_seconds
        _prepare(client)
        with self._certificates.context.wrap_socket(client, server_side=True, do_handshake_on_connect=False) as tls:
            waiting = Waiting(self._stopping)
            try:
                shake_hands(tls, waiting, deadline)
            except ssl.SSLError:
                _let_hear_why(tls, waiting)
                raise
            connection = _connection(tls, address)
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
                server.connect(self._behind)
                server.setblocking(False)
                self._connections.add(connection)
                try:
                    Pump(tls, server, Marking(HEADER, connection.mark), waiting).run(deadline)
                finally:
                    self._connections.remove(connection)
            _say_goodbye(tls)

    def _ended(self, thread: threading.Thread) -> None:
        with self._lock:
            self._threads.discard(thread)


def _prepare(client: socket.socket) -> None:
    client.setblocking(False)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", VANISHED_SECONDS // 2), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):  # not every system has them all
            client.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _connection(tls: ssl.SSLSocket, address: str) -> Connection:
    certificate = tls.getpeercert(binary_form=True)
    # Only what was verified counts. OpenSSL has ended the handshake otherwise; without an authority it never asks.
    details = tls.getpeercert() if certificate else None
    if not certificate or not details:
        return Connection(address)
    return Connection(address, certificate, ssl.cert_time_to_seconds(str(details["notAfter"])))


def _let_hear_why(refused: ssl.SSLSocket, waiting: Waiting) -> None:
    """Closing a socket with unread bytes makes the system throw away what was sent last: the alert that says what is wrong."""
    deadline = time.monotonic() + REFUSED_SECONDS
    with suppress(OSError):
        socket.socket.shutdown(refused, socket.SHUT_WR)
        waiting.watch(refused, select.POLLIN)
        while waiting.wait(deadline - time.monotonic()) and socket.socket.recv(refused, 1 << 14):
            pass


def _say_goodbye(tls: ssl.SSLSocket) -> None:
    """TLS's end of the stream, so that the client knows that nothing was cut off."""
    with suppress(ssl.SSLError, OSError):  # the client was faster, or does not answer
        tls.unwrap()


def _peer(address: tuple[str, int] | tuple[str, int, int, int]) -> str:
    host, port = address[:2]
    return f"ipv6:%5B{host}%5D:{port}" if ":" in host else f"ipv4:{host}:{port}"
