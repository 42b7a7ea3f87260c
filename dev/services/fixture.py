"""The Iceberg REST fixture: the servlet of Iceberg's own tests on a SQLite catalog, with tables in SeaweedFS; no log-in."""

from __future__ import annotations

import sys
from typing import ClassVar

from dev.services.pins import ICEBERG_REST
from dev.services.service import ROOT, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import ensure_jars


class Fixture(Service):
    name: ClassVar[str] = "fixture"
    needs: ClassVar[tuple[str, ...]] = ("seaweedfs",)

    def prepare(self, progress: Progress) -> None:
        ensure_jars(ICEBERG_REST, progress=progress)

    def launch(self, place: Place) -> Launch:
        store = place.peers["seaweedfs"]
        environment = {
            "FIXTURE_PORT": str(place.ports["http"]),
            "FIXTURE_DATABASE": str(place.folder / "catalog.db"),
            "FIXTURE_WAREHOUSE": f"s3://{store['bucket']}",
            "FIXTURE_S3": store["s3"],
            # By the environment, not the command line: those every user of the machine can read.
            "AWS_ACCESS_KEY_ID": store["access_key"],
            "AWS_SECRET_ACCESS_KEY": store["secret_key"],
            "AWS_REGION": store["region"],
            # Else the SDK streams with a trailing checksum through this HTTP client in a form that SeaweedFS 4.48 refuses.
            "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",
        }
        return Launch([sys.executable, "-m", "dev.services.fixture_server"], environment, ROOT)

    def address(self, place: Place) -> dict[str, str]:
        return {"iceberg": place.url(), "warehouse": f"s3://{place.peers['seaweedfs']['bucket']}"}

    def ready(self, address: Address) -> bool:
        return status_of(address["iceberg"] + "/v1/config") == 200
