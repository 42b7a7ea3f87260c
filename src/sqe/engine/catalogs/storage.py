"""Where the tables' files lie: the file access that fits a warehouse's location, with what `[storage]` says about it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from sqe import errors
from sqe.config.azure import is_account_key, is_account_name
from sqe.engine.catalogs import identity
from sqe.engine.install.jars import AZURE_BUNDLE, GCP_BUNDLE, Jar, ensure_jars
from sqe.errors import SqeError

S3_FILES = "org.apache.iceberg.aws.s3.S3FileIO"
# The same, of catalogs whose metadata files are read here (jvm: S3Files).
S3_FILES_AND_METADATA = "org.apache.spark.sql.sqe.files.S3Files"
# The same, of catalogs that vend keys, where the server has an identity of its own.
S3_FILES_VENDED_FIRST = "org.apache.spark.sql.sqe.files.VendedFirst"

# Of other stores: their libraries are loaded when they are wanted (jvm: LateFiles).
LATE_FILES = "org.apache.spark.sql.sqe.files.LateFiles"
_GCS_FILES = "org.apache.iceberg.gcp.gcs.GCSFileIO"
_ADLS_FILES = "org.apache.iceberg.azure.adlsv2.ADLSFileIO"

_DEFAULT_REGION = "us-east-1"


def location(warehouse: str) -> str:
    """A folder of this machine as the URI that it is; other URIs as they are."""
    return warehouse if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", warehouse) else Path(warehouse).expanduser().absolute().as_uri()


def in_s3(warehouse: str) -> bool:
    return warehouse.startswith(("s3://", "s3a://", "s3n://"))


def files(warehouse: str, catalog: Mapping[str, str]) -> dict[str, str]:
    """The settings for a warehouse at this location. On a disk, Iceberg's default asks Hadoop's file systems."""
    if in_s3(warehouse):
        return {"io-impl": S3_FILES_AND_METADATA, **s3(catalog)}
    if warehouse.startswith("gs://"):
        return {"io-impl": LATE_FILES, **gcs(catalog)}
    if warehouse.startswith(("abfss://", "abfs://")):
        return {"io-impl": LATE_FILES, **adls(catalog)}
    return {}


def jars(warehouse: str) -> tuple[Jar, ...]:
    """The libraries of the store that a warehouse lies in, when they are not the engine's own."""
    if warehouse.startswith("gs://"):
        return (GCP_BUNDLE,)
    return (AZURE_BUNDLE,) if warehouse.startswith(("abfss://", "abfs://")) else ()


def gcs(catalog: Mapping[str, str]) -> dict[str, str]:
    """Google Cloud Storage, with the key of a service account or without any; the machine's own identity is never used."""
    result = _late(_GCS_FILES, GCP_BUNDLE) | {"gcs.project-id": catalog.get("gcs_project", "sqe")}
    if endpoint := catalog.get("gcs_endpoint"):
        result["gcs.service.host"] = endpoint
    if credentials := service_account(catalog):
        return result | {"sqe.gcs.credentials": credentials}
    return result | {"gcs.no-auth": "true"}


def service_account(catalog: Mapping[str, str]) -> str | None:
    text = catalog.get("gcs_credentials")
    try:
        if text is None and (file := catalog.get("gcs_credentials_file")):
            text = Path(file).expanduser().read_text()
        # Other kinds of credentials name programs and services that tell who one is: nobody is to choose those for the server.
        if text is not None and json.loads(text).get("type") != "service_account":
            raise ValueError
    except (OSError, ValueError, AttributeError):
        raise SqeError(errors.CONFIGURATION_INVALID, "The credentials for gs:// are not the key of a service account") from None
    return text


def adls(catalog: Mapping[str, str]) -> dict[str, str]:
    """Azure Data Lake Storage Gen2, with the key of a storage account. Without one Iceberg would use the machine's identity."""
    account, key = storage_account(catalog)
    result = _late(_ADLS_FILES, AZURE_BUNDLE) | {
        "adls.auth.shared-key.account.name": account,
        "adls.auth.shared-key.account.key": key,
    }
    if endpoint := catalog.get("adls_endpoint"):
        # Locations name the account as Azure does, or by the host of the endpoint.
        result |= {
            f"adls.connection-string.{host}": endpoint for host in (_azure_host(account), urlsplit(endpoint).netloc) if host
        }
    return result


def storage_account(catalog: Mapping[str, str]) -> tuple[str, str]:
    """The name of a storage account and its key."""
    account, key = catalog.get("adls_account", ""), catalog.get("adls_account_key", "")
    if not account or not key:
        raise SqeError(errors.CONFIGURATION_INVALID, "Files of abfss:// need the name and the key of a storage account")
    if not is_account_name(account):
        raise SqeError(errors.CONFIGURATION_INVALID, "The name of a storage account has 3 to 24 small letters and digits")
    if not is_account_key(key):
        raise SqeError(errors.CONFIGURATION_INVALID, "The key for abfss:// is not the key of a storage account")
    return account, key


def _azure_host(account: str) -> str:
    return f"{account}.dfs.core.windows.net"


def _late(implementation: str, jar: Jar) -> dict[str, str]:
    ensure_jars([jar])
    return {"sqe.files-impl": implementation, "sqe.files-jar": str(jar.path)}


def s3(catalog: Mapping[str, str]) -> dict[str, str]:
    """`[storage]`, for what a catalog leaves open."""
    result = {
        "client.region": catalog.get("s3_region") or catalog.get("region") or _DEFAULT_REGION,
        # A store that hangs must not hang a statement: a task that waits for it keeps its core until this is over, also when
        # its statement was cancelled.
        "http-client.apache.connection-timeout-ms": "5000",
        "http-client.apache.socket-timeout-ms": "10000",
        # A store that is down is told after 8 s at the latest; Iceberg's own tries take up to 46 s.
        "s3.retry.num-retries": "4",
        "s3.retry.min-wait-ms": "500",
        "s3.retry.max-wait-ms": "4000",
    }
    if endpoint := catalog.get("s3_endpoint"):
        result["s3.endpoint"] = endpoint
    if catalog.get("s3_path_style") == "true":
        result["s3.path-style-access"] = "true"
    if found := keys(catalog):
        return result | {"s3.access-key-id": found[0], "s3.secret-access-key": found[1]}
    return result | (identity.provider(catalog, result["client.region"]) if identity.is_chosen(catalog) else {})


def keys(catalog: Mapping[str, str]) -> tuple[str, str] | None:
    """The AWS keys of a catalog: its own, else those of `[storage]`; None when sqe.toml has neither."""
    for name, secret in (("access_key", "secret_key"), ("s3_access_key", "s3_secret_key")):
        if key := catalog.get(name):
            return key, catalog[secret]
    return None
