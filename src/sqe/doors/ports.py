"""Listening sockets of the doors, bound before anything slow starts, with one sentence when that is not possible."""

from __future__ import annotations

import errno
import socket

from sqe.errors import CONFIGURATION_INVALID, SqeError


def listening(host: str, port: int, key: str) -> socket.socket:
    """A listening TCP socket. `key` is what to change in sqe.toml when the port is taken. Port 0 takes a free one.

    It listens at once: clients that come while the rest of the server starts wait in its queue and are not refused.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror:
        raise SqeError(CONFIGURATION_INVALID, f"coordinator.host {host} is not a known address") from None
    listener = socket.socket(family, kind, protocol)
    try:
        # A server that was just stopped leaves connections behind for a minute; they must not keep its successor out.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise SqeError(CONFIGURATION_INVALID, _sentence(error, host, port, key)) from None
    return listener


def address_of(listener: socket.socket) -> str:
    """`host:port` as it was bound, with an IPv6 host in brackets."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _sentence(error: OSError, host: str, port: int, key: str) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"{key} {port} is already in use on {host}"
        case errno.EACCES:
            return f"{key} {port} may not be opened by this user"
        case errno.EADDRNOTAVAIL:
            return f"coordinator.host {host} is not an address of this machine"
        case _:
            return f"{key} {port} cannot be opened on {host}: {error.strerror}"
