"""The gateway as a service of the stack."""

from __future__ import annotations

import json
import sys
from typing import ClassVar

from dev.services.gateway.app import BASE
from dev.services.realm import USERS
from dev.services.service import ROOT, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress

AUDIENCE = "lake"
KEY_SECONDS = 3600

EVERYTHING = ["read", "write", "create"]

# Everybody has a namespace of the same name; one is shared; carol rules.
GRANTS = [
    *({"to": user.name, "on": [user.name], "may": EVERYTHING} for user in USERS),
    {"to": "group:engineers", "on": ["shared"], "may": EVERYTHING},
    {"to": "group:analysts", "on": ["shared"], "may": ["read"]},
    {"to": "role:admin", "on": [], "may": EVERYTHING},
]


class GatewayService(Service):
    name: ClassVar[str] = "gateway"
    needs: ClassVar[tuple[str, ...]] = ("keycloak", "seaweedfs", "fixture")

    def prepare(self, progress: Progress) -> None:
        """Nothing to fetch: it is ours."""

    def launch(self, place: Place) -> Launch:
        grants, settings = place.folder / "grants.json", place.folder / "settings.json"
        if not grants.exists():
            grants.write_text("[\n " + ",\n ".join(map(json.dumps, GRANTS)) + "\n]\n")
        settings.write_text(json.dumps(_settings(place), indent=1))
        settings.chmod(0o600)
        return Launch([sys.executable, "-m", "dev.services.gateway", settings], {"NO_PROXY": "127.0.0.1"}, ROOT)

    def address(self, place: Place) -> dict[str, str]:
        return {
            "iceberg": place.url() + BASE,
            "warehouse": "lake",
            "audience": AUDIENCE,
            "grants": str(place.folder / "grants.json"),
            "audit": str(place.folder / "audit.jsonl"),
        }

    def ready(self, address: Address) -> bool:
        return status_of(address["iceberg"] + "/v1/config") == 401


def _settings(place: Place) -> dict[str, object]:
    identity, store, catalog = (place.peers[name] for name in ("keycloak", "seaweedfs", "fixture"))
    return {
        "port": place.ports["http"],
        "issuer": identity["issuer"],
        "jwks": identity["jwks"],
        "audience": AUDIENCE,
        "upstream": catalog["iceberg"],
        "warehouse": catalog["warehouse"],
        "store": {**store, "seconds": KEY_SECONDS},
        "grants": str(place.folder / "grants.json"),
        "audit": str(place.folder / "audit.jsonl"),
    }
