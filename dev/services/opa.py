"""Open Policy Agent: Rego decisions over HTTP. Built from source by Go, because no package registry has the program."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from dev.services.programs import ensure_built, go_install
from dev.services.service import LOOPBACK, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress, cache_dir

# Go checks the module and all that it needs against the public checksum database.
MODULE = "github.com/open-policy-agent/opa"
VERSION = "1.22.0"


def program_folder() -> Path:
    return cache_dir() / "services" / f"opa-{VERSION}"


class Opa(Service):
    name: ClassVar[str] = "opa"

    def prepare(self, progress: Progress) -> None:
        what = f"opa {VERSION} (some minutes, once)"
        ensure_built(what, program_folder(), lambda bench: go_install(MODULE, VERSION, bench), progress)

    def launch(self, place: Place) -> Launch:
        address = f"{LOOPBACK}:{place.ports['http']}"
        return Launch(
            [program_folder() / "opa", "run", "--server", "--addr", address, "--skip-version-check", "--log-level", "error"]
        )

    def address(self, place: Place) -> dict[str, str]:
        return {"url": place.url()}

    def ready(self, address: Address) -> bool:
        return status_of(address["url"] + "/health") == 200
