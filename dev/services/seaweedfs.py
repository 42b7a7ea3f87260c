"""SeaweedFS: S3 with STS, and an Iceberg REST catalog of its own that vends credentials."""

from __future__ import annotations

import base64
import json
import secrets
from pathlib import Path
from typing import ClassVar

from dev.services.pins import SEAWEEDFS
from dev.services.programs import ensure_wheel, wheel_folder
from dev.services.s3 import Keys, bucket_exists
from dev.services.service import LOOPBACK, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress

BUCKET = "lake"
TABLE_BUCKET = "warehouse"
ROLE = "arn:aws:iam::role/Vend"

_SERVERS = ("master", "volume", "filer", "s3", "admin")


class SeaweedFS(Service):
    name: ClassVar[str] = "seaweedfs"
    needs: ClassVar[tuple[str, ...]] = ("storelog",)
    # Each server also has a gRPC port, which is its own plus 10000 unless told.
    ports: ClassVar[tuple[str, ...]] = (*_SERVERS, *(f"{server}.grpc" for server in _SERVERS), "iceberg")

    def prepare(self, progress: Progress) -> None:
        ensure_wheel(SEAWEEDFS, progress)

    def launch(self, place: Place) -> Launch:
        data = place.folder / "data"
        data.mkdir(exist_ok=True)
        keys = _write_once(place.folder / "s3.json", _identities())
        iam = _write_once(place.folder / "iam.json", _roles())
        options = {
            "dir": data,
            "ip": LOOPBACK,
            "ip.bind": LOOPBACK,
            "master.telemetry": "false",
            "webdav": "false",
            "admin.ui": "false",
            "s3.port.iceberg": place.ports["iceberg"],
            "s3.port.lance": 0,
            "s3.config": keys,
            "s3.iam.config": iam,
            "s3.auditLogConfig": _write_once(place.folder / "audit.json", _audit(int(place.peers["storelog"]["port"]))),
            "s3.iceberg.credentialRole": ROLE,
            "s3.externalUrl": place.url("s3"),
            "bucket": BUCKET,
            "tableBucket": TABLE_BUCKET,
        }
        for server in _SERVERS:
            options[f"{server}.port"] = place.ports[server]
            options[f"{server}.port.grpc"] = place.ports[f"{server}.grpc"]
        command: list[str | Path] = [wheel_folder(SEAWEEDFS) / "bin" / "weed", "mini"]
        return Launch([*command, *(f"-{name}={value}" for name, value in options.items())])

    def address(self, place: Place) -> dict[str, str]:
        (identity,) = json.loads((place.folder / "s3.json").read_text())["identities"]
        (key,) = identity["credentials"]
        return {
            "s3": place.url("s3"),
            "iceberg": place.url("iceberg"),
            "bucket": BUCKET,
            "table_bucket": TABLE_BUCKET,
            "role": ROLE,
            "region": "us-east-1",
            "access_key": key["accessKey"],
            "secret_key": key["secretKey"],
        }

    def ready(self, address: Address) -> bool:
        if status_of(address["iceberg"] + "/v1/config") is None:
            return False
        return bucket_exists(address["s3"], Keys(address["access_key"], address["secret_key"]), address["bucket"])


def _write_once(path: Path, content: object) -> Path:
    """Keys are made once for a place: who knows them keeps them over a restart."""
    if not path.exists():
        path.write_text(json.dumps(content, indent=1))
    return path


def _identities() -> object:
    key = {"accessKey": "ROOT" + secrets.token_hex(8).upper(), "secretKey": secrets.token_urlsafe(30)}
    return {"identities": [{"name": "root", "credentials": [key], "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}


def _audit(port: int) -> object:
    return {"fluent_host": LOOPBACK, "fluent_port": port, "fluent_network": "tcp", "async": True}


def _roles() -> object:
    """The role whose session policies scope vended keys.

    The Federated statement is for SeaweedFS' own catalog: without it that one silently vends nothing.
    """
    trust = [
        {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": ["sts:AssumeRole"]},
        {"Effect": "Allow", "Principal": {"Federated": "iceberg-catalog"}, "Action": ["sts:AssumeRoleWithCredentials"]},
    ]
    everything = {"Effect": "Allow", "Action": ["s3:*", "sts:*", "s3tables:*"], "Resource": ["*"]}
    return {
        "sts": {
            "tokenDuration": "1h",
            "maxSessionLength": "12h",
            "issuer": "seaweedfs-sts",
            "signingKey": base64.b64encode(secrets.token_bytes(32)).decode(),
        },
        "policy": {"defaultEffect": "Deny", "storeType": "memory"},
        "roles": [
            {
                "roleName": "Vend",
                "roleArn": ROLE,
                "trustPolicy": {"Version": "2012-10-17", "Statement": trust},
                "attachedPolicies": ["Everything"],
            }
        ],
        "policies": [{"name": "Everything", "document": {"Version": "2012-10-17", "Statement": [everything]}}],
    }
