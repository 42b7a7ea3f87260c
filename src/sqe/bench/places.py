"""Where a suite's tables lie: in a folder of this machine, or in an object store behind a catalog that hands out keys for it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqe
from sqe.bench.benchmark import BenchmarkError
from sqe.bench.workspace import CATALOG, PASSWORD, USER, free_ports, print_to_stderr, server_config, warehouse

# Of a digest: large enough that two contents never meet, cheap enough for gigabytes.
_DIGEST_BYTES = 16


class Place(ABC):
    name = ""  # stands before the records of what was loaded there
    user = USER
    password = PASSWORD

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def server_config(self, memory: str, more: str = "") -> str:
        """sqe.toml of a server whose catalog has these tables."""

    @abstractmethod
    def state_of(self, schema: str, table: str) -> str:
        """Its snapshot, columns and properties now, empty when the catalog has no such table. No engine has a say in it."""

    @abstractmethod
    def digest(self, path: str) -> str:
        """Of a data file."""

    def path(self, location: str) -> str:
        """A data file by its name here, of the one that Iceberg has for it."""
        return location

    def trino_catalog(self) -> Mapping[str, object] | None:
        """For Trino, unless it is the folder that they share."""
        return None


class LocalFolder(Place):
    def server_config(self, memory: str, more: str = "") -> str:
        return server_config(self.folder, memory, more)

    def state_of(self, schema: str, table: str) -> str:
        path = warehouse(self.folder) / "catalog.db"
        if not path.exists():
            return ""
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            row = database.execute(
                "SELECT metadata_location FROM iceberg_tables WHERE table_namespace = ? AND table_name = ?", (schema, table)
            ).fetchone()
        return _state(json.loads(Path(urlsplit(row[0]).path).read_text())) if row else ""

    def path(self, location: str) -> str:
        return urlsplit(location).path

    def digest(self, path: str) -> str:
        digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        try:
            with open(path, "rb") as content:
                while block := content.read(1 << 20):
                    digest.update(block)
        except FileNotFoundError:
            return "missing"
        return digest.hexdigest()


class ObjectStore(Place):
    """Keycloak, SeaweedFS and the gateway of dev/services. People's keys are those that the gateway vends, a table at a time."""

    name = "s3-"
    # She rules; a person's password is the name and a word.
    user = "carol"
    password = "carol-password"  # noqa: S105 - of a realm that lives here

    def __init__(self, folder: Path, addresses: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__(folder)
        self._at = addresses

    def server_config(self, memory: str, more: str = "") -> str:
        identity, gateway = self._at["keycloak"], self._at["gateway"]
        return f"""{free_ports(memory)}
[[auth.providers]]
type = "oidc_password"
issuer = "{identity["issuer"]}"
client_id = "sqe"
client_secret = "sqe-secret"

[catalog]
name = "{CATALOG}"
type = "rest"
uri = "{gateway["iceberg"]}"
warehouse = "{gateway["warehouse"]}"
auth = "session_bearer"
{more}"""

    def state_of(self, schema: str, table: str) -> str:
        import httpx

        answer = httpx.get(f"{self._at['fixture']['iceberg']}/v1/namespaces/{schema}/tables/{table}", trust_env=False, timeout=30)
        return _state(answer.json()["metadata"]) if answer.status_code == 200 else ""

    def digest(self, path: str) -> str:
        """The store's own; asked with the store's own keys."""
        from botocore.exceptions import ClientError

        from dev.services.s3 import Keys, client

        store, place = self._at["seaweedfs"], urlsplit(path)
        asked = client("s3", store["s3"], Keys(store["access_key"], store["secret_key"]))
        try:
            return str(asked.head_object(Bucket=place.netloc, Key=place.path.lstrip("/"))["ETag"]).strip('"')
        except ClientError:
            return "missing"

    def trino_catalog(self) -> Mapping[str, object]:
        """As a machine that may read: its token is renewed, which a person's would not be."""
        identity, gateway, store = self._at["keycloak"], self._at["gateway"], self._at["seaweedfs"]
        return {
            "connector.name": "iceberg",
            "iceberg.catalog.type": "rest",
            "iceberg.rest-catalog.uri": gateway["iceberg"],
            "iceberg.rest-catalog.warehouse": gateway["warehouse"],
            "iceberg.rest-catalog.security": "OAUTH2",
            "iceberg.rest-catalog.oauth2.credential": "report:report-secret",
            "iceberg.rest-catalog.oauth2.server-uri": identity["token"],
            "iceberg.rest-catalog.oauth2.scope": "openid",
            "iceberg.rest-catalog.vended-credentials-enabled": "true",
            "fs.native-s3.enabled": "true",
            "s3.endpoint": store["s3"],
            "s3.region": store["region"],
            "s3.path-style-access": "true",
        }


_STATE = ("table-uuid", "current-snapshot-id", "current-schema-id", "default-spec-id", "default-sort-order-id", "properties")


def _state(metadata: Mapping[str, Any]) -> str:
    """Of its metadata all but statistics and the log of earlier files: those change neither rows nor how they are read."""
    text = json.dumps([metadata.get(key) for key in _STATE], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


@contextmanager
def place_of(folder: Path, store: str) -> Iterator[Place]:
    """`local` or `s3`. The services of a store run as long as this, and keep their tables for the next time."""
    if store == "local":
        yield LocalFolder(folder)
        return
    import_services()
    from dev.services.stack import Stack

    stack = Stack(folder / "store", print_to_stderr)
    addresses = stack.up(["lake"])
    try:
        _let_machines_read(Path(addresses["gateway"]["grants"]))
        yield ObjectStore(folder, addresses)
    finally:
        stack.stop(reversed(list(stack.status())))


def _let_machines_read(path: Path) -> None:
    grants: list[dict[str, Any]] = json.loads(path.read_text())
    machines = {"to": "role:machine", "on": [], "may": ["read"]}
    if machines not in grants:
        path.write_text(json.dumps([*grants, machines]))


def import_services(else_say: str = "Services are started from a working copy of SQE only") -> None:
    """The command's own path has the installed packages only; in a working copy `dev` lies beside `src`."""
    sys.path.append(str(Path(sqe.__file__).parents[2]))
    try:
        import dev.services.stack  # noqa: F401
    except ImportError:
        raise BenchmarkError(else_say) from None
