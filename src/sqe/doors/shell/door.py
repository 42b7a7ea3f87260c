"""The listener: one thread that accepts, one for each client."""

from __future__ import annotations

import logging
import socket
import threading
import time
from typing import TYPE_CHECKING

from sqe import errors
from sqe.doors.shell.connection import Connection
from sqe.doors.shell.host import Host
from sqe.errors import SqeError

if TYPE_CHECKING:
    from sqe.session import Session

log = logging.getLogger("sqe.doors.shell")


class SharedSessions:
    """The open sessions, for connections that join one (the shell's completion)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_id: dict[str, Session] = {}

    def add(self, session: Session) -> None:
        with self._lock:
            self._by_id[session.id] = session

    def remove(self, session: Session) -> None:
        with self._lock:
            self._by_id.pop(session.id, None)

    def find(self, id: str) -> Session:
        with self._lock:
            session = self._by_id.get(id)
        if session is None:
            raise SqeError(errors.NOT_FOUND, "The session to join does not exist")
        return session

    def keep_alive(self) -> None:
        """A session whose client is connected does not expire, however long its user thinks."""
        with self._lock:
            for session in self._by_id.values():
                session.touch()


class ShellDoor:
    """Serves clients on a socket that is bound and listening already."""

    def __init__(self, listener: socket.socket, host: Host) -> None:
        self._listener = listener
        self._host = host
        self.sessions = SharedSessions()
        self._lock = threading.Lock()
        self._connections: dict[Connection, threading.Thread] = {}
        self._stopping = False
        self._acceptor = threading.Thread(target=self._accept, name="sqe-shell-accept", daemon=True)

    def start(self) -> None:
        self._acceptor.start()

    def close_listener(self) -> None:
        """No new clients; those connected go on."""
        self._stopping = True
        try:
            # close() alone would leave accept() waiting on Linux.
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError as error:
            log.debug("the listener was closed already: %s", error)
        self._listener.close()

    def stop(self, patience_seconds: float = 5) -> None:
        """Hangs up on everybody; running statements are cancelled, sessions closed."""
        self.close_listener()
        with self._lock:
            connections = dict(self._connections)
        leaving = [thread for connection, thread in connections.items() if connection.hang_up()]
        for thread in leaving:
            thread.join(patience_seconds)

    def drain(self, patience_seconds: float) -> None:
        """Waits for clients that are about to go by themselves."""
        with self._lock:
            threads = list(self._connections.values())
        deadline = time.monotonic() + patience_seconds
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def __len__(self) -> int:
        """How many clients are connected."""
        with self._lock:
            return len(self._connections)

    def _accept(self) -> None:
        while not self._stopping:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            connection = Connection(sock, self._host, self.sessions)
            thread = threading.Thread(target=self._serve, args=(connection,), name="sqe-shell-client", daemon=True)
            with self._lock:
                self._connections[connection] = thread
            thread.start()

    def _serve(self, connection: Connection) -> None:
        try:
            connection.serve()
        finally:
            with self._lock:
                self._connections.pop(connection, None)
