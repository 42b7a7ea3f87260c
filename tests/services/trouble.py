"""Services in trouble: a proxy that lets a real one stall, answer slowly or refuse, and a gateway that leads to it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from clients import Addresses
from waiting import eventually

from dev.services.gateway.app import BASE
from dev.services.process import free_ports
from dev.services.service import LOOPBACK, ROOT, status_of


class Proxy:
    """Passes bytes between clients and a real service, until it is told to stall, to delay every request, or to refuse."""

    def __init__(self, target: str) -> None:
        self._target = int(target.rpartition(":")[2].partition("/")[0])
        self._flows = threading.Event()
        self._flows.set()
        self._delay = 0.0
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self.port = free_ports(["proxy"])["proxy"]
        self.held = 0  # pieces of requests that came while it stalled
        self._listen()

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @contextmanager
    def stalling(self) -> Iterator[None]:
        """Connections are taken and nothing is ever answered: what comes meanwhile is answered afterwards at the earliest."""
        self.held = 0
        self._flows.clear()
        try:
            yield
        finally:
            self._flows.set()

    @contextmanager
    def refusing(self) -> Iterator[None]:
        self.close()
        try:
            yield
        finally:
            self._listen()

    @contextmanager
    def delaying(self, seconds: float) -> Iterator[None]:
        """Every piece of a request waits so long, as at a store that is far away and busy."""
        self._delay = seconds
        try:
            yield
        finally:
            self._delay = 0.0

    def close(self) -> None:
        with self._lock:
            listener, self._listener = self._listener, None
            ends, self._open = self._open, set()
        if listener is not None:
            _cut(listener)
        for end in ends:
            _cut(end)

    def _listen(self) -> None:
        self._listener = socket.create_server((LOOPBACK, self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection((LOOPBACK, self._target))
        except OSError:
            _cut(client)
            return
        with self._lock:
            self._open |= {client, server}
        threading.Thread(target=self._pump, args=(server, client, False), daemon=True).start()
        self._pump(client, server, True)

    def _pump(self, source: socket.socket, sink: socket.socket, requests: bool) -> None:
        with suppress(OSError):
            while content := source.recv(65536):
                if not self._flows.is_set():
                    self.held += 1
                    self._flows.wait()
                if requests and self._delay:
                    time.sleep(self._delay)
                sink.sendall(content)
        for end in (source, sink):
            _cut(end)
        with self._lock:
            self._open -= {source, sink}


def _cut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def gateway_with_store(services: Addresses, folder: Path, store: str) -> Iterator[dict[str, Any]]:
    """A second gateway to the same lake, whose tables are read and written by way of `store`. Its address as of the stack's."""
    folder.mkdir()
    settings = json.loads((Path(services["gateway"]["grants"]).parent / "settings.json").read_text())
    settings |= {"port": free_ports(["http"])["http"], "audit": str(folder / "audit.jsonl")}
    settings["store"]["vended_endpoint"] = store
    (folder / "settings.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "dev.services.gateway", str(folder / "settings.json")]
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        url = f"http://{LOOPBACK}:{settings['port']}{BASE}"
        eventually(lambda: status_of(f"{url}/v1/config") == 401)
        yield {**services["gateway"], "iceberg": url, "audit": settings["audit"]}
    finally:
        process.terminate()
        process.wait(30)
