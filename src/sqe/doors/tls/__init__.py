"""TLS for every port: the certificates, which are reloaded when their files change, and the front of the Flight SQL port.

HTTP ports give `Certificates.context` to their server. Flight's own server takes certificates at its start only and does not
tell who a client is, so `TlsFront` stands before it and hands over decrypted bytes, each request marked with its connection.
"""

from __future__ import annotations

from sqe.doors.tls.certificates import Certificates
from sqe.doors.tls.connections import Connection, Connections
from sqe.doors.tls.front import TlsFront

__all__ = ["Certificates", "Connection", "Connections", "TlsFront"]
