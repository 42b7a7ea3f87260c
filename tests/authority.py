"""A certificate authority of the tests' own: server and client certificates as they are, as they should not be, and expired."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    """The files of a certificate and its key."""

    certificate: Path
    key: Path

    @property
    def der(self) -> bytes:
        return x509.load_pem_x509_certificate(self.certificate.read_bytes()).public_bytes(serialization.Encoding.DER)

    def replace(self, other: Pair) -> None:
        """The files get the contents of others, as renewals do it."""
        for mine, theirs in ((self.certificate, other.certificate), (self.key, other.key)):
            fresh = mine.with_suffix(".fresh")
            fresh.write_bytes(theirs.read_bytes())
            fresh.rename(mine)


class Authority:
    """Signs certificates and writes them into a folder."""

    def __init__(self, folder: Path, name: str = "tests") -> None:
        self._folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"authority of {name}")])
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.file = folder / f"{name}-authority.pem"
        self.file.write_bytes(_pem(self._signed(self._name, self._key, [x509.BasicConstraints(True, None)], DAY)))

    def server(self, file: str = "server", days: float = 1, host: str = "localhost") -> Pair:
        names = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        return self._pair(file, host, names, ExtendedKeyUsageOID.SERVER_AUTH, days)

    def client(self, name: str, *alternative: x509.GeneralName, days: float = 1, file: str = "") -> Pair:
        return self._pair(file or name.replace("/", "_"), name, alternative, ExtendedKeyUsageOID.CLIENT_AUTH, days)

    def _pair(
        self,
        file: str,
        name: str,
        names: tuple[x509.GeneralName, ...] | list[x509.GeneralName],
        use: x509.ObjectIdentifier,
        days: float,
    ) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        extensions: list[x509.ExtensionType] = [x509.BasicConstraints(False, None), x509.ExtendedKeyUsage([use])]
        if names:
            extensions.append(x509.SubjectAlternativeName(names))
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        pair = Pair(self._folder / f"{file}.pem", self._folder / f"{file}-key.pem")
        pair.certificate.write_bytes(_pem(self._signed(subject, key, extensions, timedelta(days=days))))
        pair.key.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        )
        pair.key.chmod(0o600)
        return pair

    def _signed(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, extensions: list[x509.ExtensionType], life: timedelta
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 30 * DAY)
            .not_valid_after(now + life)
        )
        for extension in extensions:
            builder = builder.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
        return builder.sign(self._key, hashes.SHA256())


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
