"""Every kind of catalog that can be started here: its name in SQL, what it needs, its settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from clients import Addresses

from dev.services.service import Address

# The name in SQL, and the services that it takes.
NEEDS: dict[str, tuple[str, ...]] = {
    "lite": (),
    "postgres": ("postgres", "seaweedfs"),
    "folders": (),
    "hive": ("hive",),
    "glue": ("moto", "seaweedfs"),
    "fixture": ("lake",),
    "gateway": ("lake",),
    "nessie": ("nessie",),
    "weed": ("seaweedfs",),
}


def config(services: Addresses, folder: Path) -> str:
    """The settings of all catalogs whose services are there."""
    running = {"lake", *services} if "gateway" in services else set(services)
    found = [SECTIONS[name](services, folder) for name, needs in NEEDS.items() if running.issuperset(needs)]
    return _storage(services) + "\n".join(found)


def _storage(services: Addresses) -> str:
    if "seaweedfs" not in services:
        return ""
    store = services["seaweedfs"]
    return f"""
[storage]
s3_endpoint = "{store["s3"]}"
s3_region = "{store["region"]}"
s3_path_style = true
s3_access_key = "{store["access_key"]}"
s3_secret_key = "{store["secret_key"]}"
"""


def _lite(services: Addresses, folder: Path) -> str:
    return f"""
[catalog]
name = "lite"
type = "sqlite"
path = "{folder / "lite"}"
"""


def _postgres(services: Addresses, folder: Path) -> str:
    postgres = services["postgres"]
    return f"""
[catalogs.postgres]
type = "jdbc"
uri = "{postgres["jdbc"]}"
user = "{postgres["user"]}"
password = "{postgres["password"]}"
warehouse = "s3://lake/postgres"
"""


def _folders(services: Addresses, folder: Path) -> str:
    return f"""
[catalogs.folders]
type = "hadoop"
warehouse = "{folder / "folders"}"
"""


def _hive(services: Addresses, folder: Path) -> str:
    return f"""
[catalogs.hive]
type = "hive"
uri = "{services["hive"]["thrift"]}"
warehouse = "{services["hive"]["warehouse"]}"
"""


def _glue(services: Addresses, folder: Path) -> str:
    return f"""
[catalogs.glue]
type = "glue"
uri = "{services["moto"]["aws"]}"
region = "us-east-1"
warehouse = "s3://lake/glue"
"""


def _fixture(services: Addresses, folder: Path) -> str:
    return f"""
[catalogs.fixture]
type = "rest"
uri = "{services["fixture"]["iceberg"]}"
auth = "none"
"""


def _gateway(services: Addresses, folder: Path) -> str:
    """By three names: what these servers answer is what the gateway answers, and none of them can be had here."""
    catalog = f"""
uri = "{services["gateway"]["iceberg"]}"
warehouse = "lake"
"""
    kinds = {"gateway": "rest", "polaris": "polaris", "unity": "unity", "horizon": "horizon"}
    return "".join(f'\n[catalogs.{name}]\ntype = "{kind}"{catalog}' for name, kind in kinds.items())


def _nessie(services: Addresses, folder: Path) -> str:
    return f"""
[catalogs.nessie]
type = "nessie"
uri = "{services["nessie"]["iceberg"]}"
warehouse = "lake"
"""


def _weed(services: Addresses, folder: Path) -> str:
    return f"\n[catalogs.weed]{stores_own_catalog(services['seaweedfs'])}"


def stores_own_catalog(store: Address) -> str:
    """The REST catalog of SeaweedFS itself."""
    return f"""
type = "rest"
uri = "{store["iceberg"]}"
warehouse = "s3://{store["table_bucket"]}"
auth = "client_credentials"
token_endpoint = "{store["iceberg"]}/v1/oauth/tokens"
client_id = "{store["access_key"]}"
client_secret = "{store["secret_key"]}"
scope = "PRINCIPAL_ROLE:ALL"
"""


SECTIONS: dict[str, Callable[[Addresses, Path], str]] = {
    "lite": _lite,
    "postgres": _postgres,
    "folders": _folders,
    "hive": _hive,
    "glue": _glue,
    "fixture": _fixture,
    "gateway": _gateway,
    "nessie": _nessie,
    "weed": _weed,
}
