"""Every service by name, and the stacks: names for sets of services that belong together."""

from __future__ import annotations

from collections.abc import Iterable

from dev.services.fixture import Fixture
from dev.services.gateway.service import GatewayService
from dev.services.hive import Hive
from dev.services.keycloak import Keycloak
from dev.services.ldap import Ldap
from dev.services.minio import Minio
from dev.services.moto import Moto
from dev.services.nessie import Nessie
from dev.services.opa import Opa
from dev.services.postgres import Postgres
from dev.services.seaweedfs import SeaweedFS
from dev.services.service import Service
from dev.services.storelog import StoreLog
from dev.services.trino import Trino
from sqe.errors import CONFIGURATION_INVALID, SqeError

SERVICES: dict[str, Service] = {
    service.name: service
    for service in (
        Keycloak(),
        StoreLog(),
        SeaweedFS(),
        Minio(),
        Fixture(),
        GatewayService(),
        Nessie(),
        Moto(),
        Ldap(),
        Postgres(),
        Hive(),
        Opa(),
        Trino(),
    )
}

STACKS: dict[str, tuple[str, ...]] = {
    "lake": ("keycloak", "seaweedfs", "fixture", "gateway"),
    "nessie": ("keycloak", "seaweedfs", "nessie"),
    "catalogs": ("fixture", "gateway", "nessie", "moto", "postgres", "hive"),
}


def resolve(names: Iterable[str]) -> list[Service]:
    """The services behind the names and all that they need, each after what it needs."""
    found: dict[str, Service] = {}
    for name in names:
        for member in STACKS.get(name, (name,)):
            _add(member, found)
    return list(found.values())


def _add(name: str, found: dict[str, Service]) -> None:
    if name in found:
        return
    if name not in SERVICES:
        known = ", ".join(sorted({*STACKS, *SERVICES}))
        raise SqeError(CONFIGURATION_INVALID, f"There is no service or stack {name!r}: known are {known}")
    for needed in SERVICES[name].needs:
        _add(needed, found)
    found[name] = SERVICES[name]
