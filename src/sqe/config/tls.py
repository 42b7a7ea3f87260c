"""`coordinator.tls_*`: whether the files can be used, for `--check`, for the start and for a reload.

`ssl` and `cryptography` are imported only when TLS is configured: a plain server starts without them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.config.sections import Coordinator

if TYPE_CHECKING:
    import ssl


class Unusable(Exception):
    """Why a file cannot be used: `key` names the setting, the text is a sentence."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(f"coordinator.{key} {text}")
        self.key = key


def findings(settings: Coordinator) -> Iterator[tuple[tuple[str, ...], str]]:
    """Keys that need each other, and files that cannot be used. The keys that a sentence is about, and the sentence."""
    pair = ("tls_cert", "tls_key")
    if (settings.tls_cert is None) != (settings.tls_key is None):
        yield pair, "coordinator.tls_cert and coordinator.tls_key need each other"
        return
    asks = settings.tls_client_auth != "none"
    if settings.tls_client_ca is not None and not asks:
        yield ("tls_client_auth", "tls_client_ca"), "coordinator.tls_client_ca is not used with tls_client_auth = 'none'"
    if asks and settings.tls_client_ca is None:
        yield ("tls_client_ca", "tls_client_auth"), "coordinator.tls_client_auth needs the key 'tls_client_ca'"
    if settings.tls_cert is None:
        if asks:
            yield (*pair, "tls_client_auth"), "coordinator.tls_client_auth needs the keys 'tls_cert' and 'tls_key'"
        return
    try:
        checked_context(settings, clients=asks and settings.tls_client_ca is not None)
    except Unusable as problem:
        yield (problem.key,), str(problem)


def checked_context(settings: Coordinator, *, clients: bool) -> ssl.SSLContext:
    """A server's context from the files as they are now, or `Unusable`."""
    import ssl

    assert settings.tls_cert is not None
    assert settings.tls_key is not None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[settings.tls_min_version]
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION | ssl.OP_CIPHER_SERVER_PREFERENCE
    _load_pair(context, settings.tls_cert, settings.tls_key)
    _check_dates("tls_cert", settings.tls_cert)
    if clients and settings.tls_client_auth != "none":
        assert settings.tls_client_ca is not None
        _load_authority(context, settings.tls_client_ca)
        context.verify_mode = ssl.CERT_REQUIRED if settings.tls_client_auth == "required" else ssl.CERT_OPTIONAL
    return context


def _load_pair(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    import ssl

    _readable("tls_cert", certificate)
    _readable("tls_key", key)

    def locked() -> str:  # without it OpenSSL asks on the terminal
        raise _Locked

    try:
        context.load_cert_chain(certificate, key, password=locked)
    except _Locked:
        raise Unusable("tls_key", f"{key} is protected by a password, which this server cannot enter") from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise Unusable("tls_key", f"{key} does not belong to the certificate in {certificate}") from None
        if error.reason in ("CA_MD_TOO_WEAK", "EE_KEY_TOO_SMALL"):
            raise Unusable("tls_cert", f"{certificate} has a key or a signature that is too weak") from None
        _parsed("tls_cert", certificate)
        raise Unusable("tls_key", f"{key} holds no private key in PEM form that fits the certificate") from None
    except OSError as error:  # changed since it was read
        raise Unusable("tls_cert", f"{certificate} cannot be read: {error.strerror}") from None


class _Locked(Exception):
    """The key is encrypted."""


def _load_authority(context: ssl.SSLContext, path: Path) -> None:
    import ssl

    _readable("tls_client_ca", path)
    try:
        context.load_verify_locations(path)
    except (ssl.SSLError, OSError):
        raise Unusable("tls_client_ca", f"{path} holds no certificate in PEM form") from None
    if not context.cert_store_stats()["x509_ca"]:
        raise Unusable("tls_client_ca", f"{path} holds no certificate of an authority")


def _readable(key: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Unusable(key, f"{path} cannot be read: {error.strerror}") from None


def _parsed(key: str, path: Path) -> tuple[float, float]:
    """When the first certificate of the file becomes and ceases to be valid."""
    from cryptography import x509

    try:
        certificate = x509.load_pem_x509_certificate(_readable(key, path))
    except ValueError:
        raise Unusable(key, f"{path} holds no certificate in PEM form") from None
    return certificate.not_valid_before_utc.timestamp(), certificate.not_valid_after_utc.timestamp()


def _check_dates(key: str, path: Path) -> None:
    begins, ends = _parsed(key, path)
    now = time.time()
    if now >= ends:
        raise Unusable(key, f"{path} has expired on {time.strftime('%Y-%m-%d', time.gmtime(ends))}")
    if now < begins:
        raise Unusable(key, f"{path} is not valid before {time.strftime('%Y-%m-%d', time.gmtime(begins))}")
