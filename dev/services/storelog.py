"""The store's own log of requests, as lines of JSON: SeaweedFS sends it in the forward protocol of Fluentd, we write it down.

Vended keys carry the user's name into it (`requester_arn` ends in `/Vend/alice`): the store's word on who touched which object.
"""

from __future__ import annotations

import socket
import sys
from typing import ClassVar

from dev.services.service import LOOPBACK, ROOT, Address, Launch, Place, Service
from sqe.engine.install.cache import Progress


class StoreLog(Service):
    name: ClassVar[str] = "storelog"
    ports: ClassVar[tuple[str, ...]] = ("fluent",)

    def prepare(self, progress: Progress) -> None:
        """Nothing to fetch: it is ours."""

    def launch(self, place: Place) -> Launch:
        command = [sys.executable, "-m", "dev.services.storelog_server", str(place.ports["fluent"])]
        return Launch([*command, place.folder / "requests.jsonl"], folder=ROOT)

    def address(self, place: Place) -> dict[str, str]:
        return {"port": str(place.ports["fluent"]), "requests": str(place.folder / "requests.jsonl")}

    def ready(self, address: Address) -> bool:
        try:
            socket.create_connection((LOOPBACK, int(address["port"])), timeout=1).close()
        except OSError:
            return False
        return True
