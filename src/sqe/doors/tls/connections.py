"""Who is behind a request that comes from the front: its address and the certificate that its TLS handshake has verified."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# Added to every request by the front. Its value is known to this process only, so that nobody can speak for somebody else.
HEADER = "x-sqe-connection"


@dataclass(frozen=True)
class Connection:
    """One client's connection. `address` has the form of gRPC's peers: `ipv4:127.0.0.1:4711`."""

    address: str
    certificate: bytes | None = None  # DER; None: the client showed none
    expires_at: float = float("inf")  # the certificate's end
    mark: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)

    @property
    def fingerprint(self) -> str:
        """Of the certificate; empty without one."""
        return hashlib.sha256(self.certificate).hexdigest() if self.certificate else ""

    @property
    def expired(self) -> bool:
        return time.time() >= self.expires_at


class Connections:
    """The connections that are open now, by their marks. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, Connection] = {}

    def add(self, connection: Connection) -> None:
        with self._lock:
            self._open[connection.mark] = connection

    def remove(self, connection: Connection) -> None:
        with self._lock:
            self._open.pop(connection.mark, None)

    def of(self, headers: Mapping[str, Sequence[str]]) -> Connection | None:
        """A client may send such headers too, but none with a mark: those never leave this process."""
        with self._lock:
            found = [self._open[mark] for mark in headers.get(HEADER, ()) if mark in self._open]
        return found[0] if found else None

    def __len__(self) -> int:
        return len(self._open)
