"""The server's certificate and the authority of its clients, reloaded without a restart."""

from __future__ import annotations

import logging
import os
import ssl
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from sqe.config.sections import Coordinator
from sqe.config.tls import Unusable, checked_context

log = logging.getLogger("sqe.tls")

# Files are looked at when a client connects, but not more often than this.
LOOK_SECONDS = 1.0

_Seen = tuple[tuple[int, int, int] | None, ...]


class Certificates:
    """`context` is one object for the life of the server. Clients that connect get the newest good files; connections that
    are open keep what they have. Files that cannot be used are reported once and change nothing.

    A context's certificate can be replaced in place, but not atomically, and its authorities only be added to. So every
    handshake is handed, in the callback that comes before the certificate is chosen, to the newest context.
    """

    def __init__(self, settings: Coordinator, protocols: Sequence[str], *, clients: bool = False) -> None:
        """`protocols` is offered by ALPN; `clients` asks for client certificates as `tls_client_auth` says."""
        self._settings = settings
        self._protocols = list(protocols)
        self._clients = clients
        self._files = [path for path in (settings.tls_cert, settings.tls_key, settings.tls_client_ca) if path is not None]
        self._lock = threading.Lock()
        self._seen = self._state()
        self._looked = time.monotonic()
        self._newest = self._loaded()
        self.context = self._loaded()
        self.context.sni_callback = self._hand_over

    def _loaded(self) -> ssl.SSLContext:
        context = checked_context(self._settings, clients=self._clients)
        context.set_alpn_protocols(self._protocols)
        # A resumed session would not show its certificate again, which may have expired since.
        context.options |= ssl.OP_NO_TICKET
        context.num_tickets = 0
        return context

    def _hand_over(self, connection: ssl.SSLObject | ssl.SSLSocket, _name: str | None, _: ssl.SSLContext) -> None:
        """Called by OpenSSL in every handshake, also when the client names no server."""
        self._look()
        connection.context = self._newest

    def _look(self) -> None:
        with self._lock:
            if time.monotonic() - self._looked < LOOK_SECONDS:
                return
            self._looked = time.monotonic()
            state = self._state()
            if state == self._seen:
                return
            # A pair that is being written is incomplete now and changes once more.
            self._seen = state
            try:
                self._newest = self._loaded()
            except Unusable as problem:
                log.error("the new certificate is not used, the old one goes on: %s", problem)
            else:
                log.info("the certificate in %s was loaded again", self._settings.tls_cert)

    def _state(self) -> _Seen:
        return tuple(map(_state_of, self._files))


def _state_of(path: Path) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
