"""Open Policy Agent: Rego decisions over HTTP. Built from source by Go, because no package registry has the program."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import ClassVar

from dev.services.programs import ensure_built
from dev.services.service import LOOPBACK, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress, cache_dir
from sqe.errors import CONFIGURATION_INVALID, SqeError

# Go checks the module and all that it needs against the public checksum database.
MODULE = "github.com/open-policy-agent/opa"
VERSION = "1.22.0"


def program_folder() -> Path:
    return cache_dir() / "services" / f"opa-{VERSION}"


class Opa(Service):
    name: ClassVar[str] = "opa"

    def prepare(self, progress: Progress) -> None:
        ensure_built(f"opa {VERSION} (some minutes, once)", program_folder(), _build, progress)

    def launch(self, place: Place) -> Launch:
        address = f"{LOOPBACK}:{place.ports['http']}"
        return Launch(
            [program_folder() / "opa", "run", "--server", "--addr", address, "--skip-version-check", "--log-level", "error"]
        )

    def address(self, place: Place) -> dict[str, str]:
        return {"url": place.url()}

    def ready(self, address: Address) -> bool:
        return status_of(address["url"] + "/health") == 200


def _build(bench: Path) -> tuple[Path, Launch]:
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise SqeError(CONFIGURATION_INVALID, "OPA is built by Go, and this machine has none")
    made = bench / "made"
    return made, Launch([go, "install", f"{MODULE}@v{VERSION}"], {"GOBIN": str(made), "CGO_ENABLED": "0"})
