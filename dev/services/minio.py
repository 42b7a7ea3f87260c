"""MinIO: a second S3 store. Built from source by Go, because no package registry has the program (AGPL: for tests only)."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import ClassVar

from dev.services.programs import ensure_built, go_install
from dev.services.s3 import Keys, bucket_exists
from dev.services.service import LOOPBACK, Address, Launch, Place, Service
from sqe.engine.install.cache import Progress, cache_dir

# The only version that the public module proxy has: the project stopped tagging releases for it.
MODULE = "github.com/minio/minio"
VERSION = "0.0.0-20260212201848-7aac2a2c5b7c"

BUCKET = "lake"
ROLE = "arn:aws:iam::role/Any"  # AWS' protocol wants one; MinIO gives its own keys less than they can, by session policies alone
# Nothing of it asks or tells the network: no web page, no look for newer versions.
_QUIET = {"MINIO_BROWSER": "off", "MINIO_UPDATE": "off"}


def program_folder() -> Path:
    return cache_dir() / "services" / f"minio-{VERSION}"


class Minio(Service):
    name: ClassVar[str] = "minio"

    def prepare(self, progress: Progress) -> None:
        what = f"minio {VERSION} (about 10 minutes, once)"
        ensure_built(what, program_folder(), lambda bench: go_install(MODULE, VERSION, bench), progress)

    def launch(self, place: Place) -> Launch:
        (place.folder / "data" / BUCKET).mkdir(parents=True, exist_ok=True)  # a folder of a single drive is a bucket
        keys = _keys(place)
        command: list[str | Path] = [program_folder() / "minio", "server", "--quiet"]
        address = f"{LOOPBACK}:{place.ports['http']}"
        environment = {"MINIO_ROOT_USER": keys.access_key, "MINIO_ROOT_PASSWORD": keys.secret_key, **_QUIET}
        return Launch([*command, "--address", address, place.folder / "data"], environment)

    def address(self, place: Place) -> dict[str, str]:
        keys = _keys(place)
        return {
            "s3": place.url(),
            "bucket": BUCKET,
            "role": ROLE,
            "region": "us-east-1",
            "access_key": keys.access_key,
            "secret_key": keys.secret_key,
        }

    def ready(self, address: Address) -> bool:
        return bucket_exists(address["s3"], Keys(address["access_key"], address["secret_key"]), address["bucket"])


def _keys(place: Place) -> Keys:
    """Made once for a place: who knows them keeps them over a restart."""
    file = place.folder / "keys.json"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(json.dumps(["ROOT" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30)]))
    access_key, secret_key = json.loads(file.read_text())
    return Keys(access_key, secret_key)
