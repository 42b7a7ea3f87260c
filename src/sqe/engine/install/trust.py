"""The certificate authorities of this machine, in the only form that every JVM reads.

A Java that came with pip brings its own list and does not know the authority of a company's proxy or mirror, although pip
itself, curl and git on the same machine do. The machine's PEM bundle becomes a JKS trust store: nothing but the certificates
one after the other, so `keytool` (0.3 s for each of 140 certificates) is not needed.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import struct
from collections.abc import Sequence
from pathlib import Path

from sqe.engine.install.cache import Progress, cache_dir, mark_used, publish, quiet, sweep, workshop

# What OpenSSL and the distributions call it: Debian, Red Hat, SUSE, Alpine and macOS.
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)

_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", re.DOTALL)


def machine_trust_store(progress: Progress = quiet) -> Path | None:
    """A trust store with what this machine trusts; None when the machine has no bundle (then Java's own list has to do)."""
    bundle = _bundle()
    if bundle is None:
        return None
    found = bundle.stat()
    key = hashlib.sha256(f"{bundle}:{found.st_size}:{found.st_mtime_ns}".encode()).hexdigest()[:16]
    store = cache_dir() / "trust" / f"{key}.jks"
    if not store.exists():
        certificates = [base64.b64decode(body) for body in _CERTIFICATE.findall(bundle.read_bytes())]
        if not certificates:
            return None
        with workshop("trust", progress) as bench:
            made = bench / store.name
            made.write_bytes(jks(certificates))
            publish(made, store)
            sweep(store.parent, "*.jks", keep=[store])
    mark_used(store)
    return store


def trust_flags(store: Path | None) -> list[str]:
    return [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStoreType=jks"] if store else []


def jks(certificates: Sequence[bytes]) -> bytes:
    """DER certificates as a Java key store (version 2). Its digest is the format's own; without a password none is checked."""
    store = struct.pack(">III", 0xFEEDFEED, 2, len(certificates))
    for number, der in enumerate(certificates):
        store += struct.pack(">I", 2) + _text(f"authority-{number}") + struct.pack(">Q", 0)
        store += _text("X.509") + struct.pack(">I", len(der)) + der
    salted = "changeit".encode("utf-16-be") + b"Mighty Aphrodite" + store
    return store + hashlib.sha1(salted, usedforsecurity=False).digest()


def _text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()


def _bundle() -> Path | None:
    named = os.environ.get("SSL_CERT_FILE")
    for path in ([named] if named else []) + list(BUNDLES):
        if os.path.isfile(path):
            return Path(path)
    return None
