"""Nessie: an Iceberg REST catalog that checks the user's Keycloak token itself and vends keys by STS."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from dev.services.pins import NESSIE
from dev.services.programs import newer_java
from dev.services.service import LOOPBACK, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import ensure_jars

AUDIENCE = "nessie"
MINIMUM_JAVA = 21

_ON_CONTENT = "['READ_CONTENT_KEY', 'READ_ENTITY_VALUE', 'CREATE_ENTITY', 'UPDATE_ENTITY', 'DELETE_ENTITY']"

# As in the gateway: everybody has a namespace of the same name, admins have everything. (`role` is the user's name.)
RULES = {
    "reference": f"!(op in {_ON_CONTENT}) && op != 'DELETE_REFERENCE' && op != 'ASSIGN_REFERENCE_TO_HASH'",
    "own": f"op in {_ON_CONTENT} && (path == role || path.startsWith(role + '.'))",
    "admin": "'admin' in roles",
}


class Nessie(Service):
    name: ClassVar[str] = "nessie"
    needs: ClassVar[tuple[str, ...]] = ("keycloak", "seaweedfs")
    ports: ClassVar[tuple[str, ...]] = ("http", "management")
    start_seconds: ClassVar[float] = 180

    def prepare(self, progress: Progress) -> None:
        newer_java(MINIMUM_JAVA, "Nessie")
        ensure_jars([NESSIE], progress=progress)

    def launch(self, place: Place) -> Launch:
        _write_properties(place.folder / "config" / "application.properties", _properties(place))
        flags = ["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        # Quarkus reads config/application.properties of the folder in which it starts; a command line would show the keys.
        return Launch([newer_java(MINIMUM_JAVA, "Nessie").executable, *flags, "-jar", NESSIE.path], folder=place.folder)

    def address(self, place: Place) -> dict[str, str]:
        return {"iceberg": place.url() + "/iceberg", "api": place.url() + "/api/v2", "warehouse": "lake", "audience": AUDIENCE}

    def ready(self, address: Address) -> bool:
        return status_of(address["iceberg"] + "/v1/config") == 401


def _properties(place: Place) -> dict[str, object]:
    identity, store = place.peers["keycloak"], place.peers["seaweedfs"]
    s3 = "nessie.catalog.service.s3.default-options"
    return {
        "quarkus.http.host": LOOPBACK,
        "quarkus.http.port": place.ports["http"],
        "quarkus.management.host": LOOPBACK,
        "quarkus.management.port": place.ports["management"],
        "quarkus.otel.sdk.disabled": "true",
        "nessie.version.store.type": "ROCKSDB",
        "nessie.version.store.persist.rocks.database-path": place.folder / "store",
        "nessie.catalog.default-warehouse": "lake",
        "nessie.catalog.warehouses.lake.location": f"s3://{store['bucket']}/nessie",
        f"{s3}.region": store["region"],
        f"{s3}.endpoint": store["s3"],
        f"{s3}.path-style-access": "true",
        f"{s3}.access-key": "urn:nessie-secret:quarkus:store-key",
        "store-key.name": store["access_key"],
        "store-key.secret": store["secret_key"],
        f"{s3}.sts-endpoint": store["s3"],
        f"{s3}.client-iam.enabled": "true",
        f"{s3}.client-iam.assume-role": store["role"],
        f"{s3}.client-iam.session-duration": "PT1H",
        "nessie.server.authentication.enabled": "true",
        "quarkus.oidc.tenant-enabled": "true",
        "quarkus.oidc.auth-server-url": identity["issuer"],
        "quarkus.oidc.client-id": AUDIENCE,
        "quarkus.oidc.token.audience": AUDIENCE,
        "quarkus.oidc.token.principal-claim": "preferred_username",
        "nessie.server.authorization.enabled": "true",
        **{f"nessie.server.authorization.rules.{name}": rule for name, rule in RULES.items()},
    }


def _write_properties(path: Path, properties: dict[str, object]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.touch(mode=0o600)
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
