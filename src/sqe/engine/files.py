"""Which files outside the catalogs a session may read (`FROM '…'`, `read_csv`), as the driver wants it (jvm: FileAccess)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqe.engine.catalogs import storage
from sqe.identity import Identity

SETTING = "spark.sqe.files"
EVERYBODY = "*"
DEFAULT_HUB = "https://huggingface.co"
_ANONYMOUS = "software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider"


@dataclass(frozen=True)
class FileRights:
    """Closed unless something is opened. `own`: embedded, where files and network are the user's."""

    own: bool = False
    prefixes: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by role
    hub: str = DEFAULT_HUB
    storage: Mapping[str, str] = field(default_factory=dict)

    def setting(self, identity: Identity, keys: Mapping[str, object]) -> dict[str, str]:
        """`keys`: what secrets add, `{"headers": […], "stores": […]}`."""
        roles = {EVERYBODY, *identity.roles}
        opened = [prefix for role, prefixes in self.prefixes.items() if role in roles for prefix in prefixes]
        if any(prefix.startswith("hf:") for prefix in opened):
            opened.append(f"{self.hub}/")
        facts = {"everything": self.own, "prefixes": opened, "hub": self.hub, "storage": store_settings(self.storage)}
        added = {name: list(found) for name, found in keys.items() if isinstance(found, Sequence)}
        return {SETTING: json.dumps(facts | added | {"stores": [*other_stores(self.storage), *added.get("stores", ())]})}


def other_stores(options: Mapping[str, str]) -> list[object]:
    """What `[storage]` says of other stores than S3. One that it says nothing of stays closed; its libraries are not fetched."""
    found: list[object] = []
    if "gcs_credentials_file" in options or "gcs_endpoint" in options:
        found.append({"scope": "gs://", "settings": storage.gcs(options)})
    if "adls_account_key" in options:
        found.append({"scope": "abfss://", "settings": storage.adls(options)})
    return found


def store_settings(options: Mapping[str, str]) -> dict[str, str]:
    """Of an S3 store. Without keys it is asked without any: the machine's own are not looked for."""
    settings = storage.s3(options)
    known = "s3.access-key-id" in settings or "client.credentials-provider" in settings
    return settings if known else settings | {"client.credentials-provider": _ANONYMOUS}
