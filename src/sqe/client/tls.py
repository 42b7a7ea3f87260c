"""The client's side of TLS: whom it trusts and what it shows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.errors import INVALID_ARGUMENTS, SqeError

# The variable that OpenSSL's programs and Python's libraries take the authorities from; gRPC alone does not.
AUTHORITIES = "SSL_CERT_FILE"

PemFile = bytes | str | Path


@dataclass(frozen=True)
class ClientTls:
    """PEM texts. Without `authorities`, those of SSL_CERT_FILE or of the system; `certificate` and `key` are the client's."""

    authorities: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise SqeError(INVALID_ARGUMENTS, "A client certificate and its key need each other")
        if self.certificate is not None and self.insecure:  # gRPC would not send it
            raise SqeError(INVALID_ARGUMENTS, "A client certificate is not shown to a server that is not verified")

    def options(self, uri: str) -> dict[str, Any]:
        """As pyarrow's client takes them."""
        if not uri.startswith("grpc+tls:"):
            return {}
        authorities = self.authorities
        if authorities is None and os.environ.get(AUTHORITIES):
            authorities = pem(os.environ[AUTHORITIES])
        return {
            "tls_root_certs": authorities,
            "cert_chain": self.certificate,
            "private_key": self.key,
            "disable_server_verification": self.insecure,
        }


def pem(given: PemFile | None) -> bytes | None:
    """A PEM text, or the contents of the file that holds it."""
    if given is None or isinstance(given, bytes):
        return given
    try:
        content = Path(given).read_bytes()
    except OSError as error:
        raise SqeError(INVALID_ARGUMENTS, f"{given} cannot be read: {error.strerror}") from None
    if b"-----BEGIN " not in content:
        raise SqeError(INVALID_ARGUMENTS, f"{given} holds nothing in PEM form")
    return content


SYSTEM_TLS = ClientTls()
