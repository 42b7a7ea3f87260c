"""An LDAP directory: UnboundID's in-memory server, by StartTLS on one port and by TLS on another."""

from __future__ import annotations

import ipaddress
import socket
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12

from dev.services.pins import UNBOUNDID
from dev.services.service import LOOPBACK, ROOT, Address, Launch, Place, Service
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import ensure_jars

BASE = "dc=example,dc=com"
READER = f"cn=reader,{BASE}"
READER_PASSWORD = "reader-password"  # noqa: S105 - of a server that only tests reach

# The key store is of this run; its password protects nothing that the key beside it does not show.
STORE_PASSWORD = "store"  # noqa: S105


class Ldap(Service):
    name: ClassVar[str] = "ldap"
    ports: ClassVar[tuple[str, ...]] = ("ldap", "ldaps")

    def prepare(self, progress: Progress) -> None:
        ensure_jars([UNBOUNDID], progress=progress)

    def launch(self, place: Place) -> Launch:
        if not (place.folder / "server.p12").exists():
            _write_certificate(place.folder)
        environment = {
            "LDAP_PORT": str(place.ports["ldap"]),
            "LDAPS_PORT": str(place.ports["ldaps"]),
            "LDAP_STORE": str(place.folder / "server.p12"),
            "LDAP_ENTRIES": str(Path(__file__).with_name("ldap_entries.ldif")),
        }
        return Launch([sys.executable, "-m", "dev.services.ldap_server"], environment, ROOT)

    def address(self, place: Place) -> dict[str, str]:
        return {
            "ldap": f"ldap://{LOOPBACK}:{place.ports['ldap']}",
            "ldaps": f"ldaps://{LOOPBACK}:{place.ports['ldaps']}",
            "ca": str(place.folder / "ca.pem"),
            "base": BASE,
            "bind_dn": READER,
            "bind_password": READER_PASSWORD,
        }

    def ready(self, address: Address) -> bool:
        for url in (address["ldap"], address["ldaps"]):
            try:
                socket.create_connection((LOOPBACK, int(url.rpartition(":")[2])), timeout=1).close()
            except OSError:
                return False
        return True


def _write_certificate(folder: Path) -> None:
    """One certificate that is its own authority, for the loopback address."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ldap of dev/services")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=365))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK))]), critical=False)
        .sign(private, hashes.SHA256())
    )
    (folder / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    encryption = serialization.BestAvailableEncryption(STORE_PASSWORD.encode())
    store = pkcs12.serialize_key_and_certificates(b"ldap", private, certificate, None, encryption)
    (folder / "server.p12").write_bytes(store)
