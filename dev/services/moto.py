"""moto: services of AWS. It lets everybody do everything, until a client posts a number to `/moto-api/reset-auth`: after so many
more actions it checks signatures and rights as AWS does, from the keys that it issued."""

from __future__ import annotations

import sys
from typing import ClassVar

from dev.services.service import LOOPBACK, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress


class Moto(Service):
    name: ClassVar[str] = "moto"

    def prepare(self, progress: Progress) -> None:
        """Nothing to fetch: it is among the packages to develop with."""

    def launch(self, place: Place) -> Launch:
        command = [sys.executable, "-m", "moto.server", "-H", LOOPBACK, "-p", str(place.ports["http"])]
        return Launch([*command])

    def address(self, place: Place) -> dict[str, str]:
        return {"aws": place.url(), "region": "us-east-1", "account": "123456789012"}

    def ready(self, address: Address) -> bool:
        return status_of(address["aws"] + "/moto-api/data.json") == 200
