"""What `[storage]` and secrets say of Google's and Azure's stores, before anything is asked of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqe.attached.kinds import checked_secret, with_secret
from sqe.attached.store import Secret
from sqe.engine.catalogs import jars, storage
from sqe.engine.install.jars import AZURE_BUNDLE, GCP_BUNDLE
from sqe.errors import SqeError

ACCOUNT = {"adls_account": "acme", "adls_account_key": "a2V5"}


@pytest.mark.parametrize("missing", ["adls_account", "adls_account_key"])
def test_azure_wants_the_key_of_an_account(missing: str) -> None:
    """Without one its library would use the machine's identity."""
    with pytest.raises(SqeError, match="need the name and the key"):
        storage.adls({name: text for name, text in ACCOUNT.items() if name != missing})


@pytest.mark.parametrize("account", [{"adls_account": "Acme/"}, {"adls_account_key": "tell-nobody"}], ids=["name", "key"])
def test_azure_wants_a_name_and_a_key_as_azure_makes_them(account: dict[str, str]) -> None:
    with pytest.raises(SqeError, match="of a storage account") as caught:
        storage.adls(ACCOUNT | account)
    assert "tell-nobody" not in str(caught.value)


def test_an_endpoint_stands_for_the_accounts_host_and_its_own() -> None:
    settings = storage.adls(ACCOUNT | {"adls_endpoint": "https://acme.dfs.stack.example:8443/"})
    for host in ("acme.dfs.core.windows.net", "acme.dfs.stack.example:8443"):
        assert settings[f"adls.connection-string.{host}"] == "https://acme.dfs.stack.example:8443/"


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"type": "external_account"}', '{"type": "authorized_user", "refresh_token": "tell-nobody"}'],
)
def test_only_the_key_of_a_service_account_is_taken(text: str, tmp_path: Path) -> None:
    (tmp_path / "key.json").write_text(text)
    for options in ({"gcs_credentials": text}, {"gcs_credentials_file": str(tmp_path / "key.json")}):
        with pytest.raises(SqeError, match="not the key of a service account") as caught:
            storage.service_account(options)
        assert "tell-nobody" not in str(caught.value)
    with pytest.raises(SqeError, match="not the key of a service account"):
        checked_secret("s", {"type": "gcs", "json": text})


def test_a_file_with_the_key_is_read(tmp_path: Path) -> None:
    key = json.dumps({"type": "service_account"})
    (tmp_path / "key.json").write_text(key)
    assert storage.service_account({"gcs_credentials_file": str(tmp_path / "key.json")}) == key
    with pytest.raises(SqeError, match="not the key of a service account"):
        storage.service_account({"gcs_credentials_file": str(tmp_path / "none.json")})


def test_libraries_are_fetched_for_the_warehouses_that_need_them() -> None:
    warehouses = ["s3://b/w", "/data/w", "gs://b/w", "gs://c/w", "abfss://c@a.dfs.core.windows.net/w"]
    assert jars([{"type": "hive", "warehouse": each} for each in warehouses]) == [GCP_BUNDLE, AZURE_BUNDLE]
    assert jars([{"type": "hive"}]) == []


def test_a_catalogs_secret_becomes_what_storage_would_say() -> None:
    secrets = {"a": Secret("a", "azure", {"account_name": "acme", "account_key": "a2V5"}, "")}
    options = {"type": "jdbc", "uri": "jdbc:sqlite:x", "warehouse": "abfss://c@acme.dfs.core.windows.net/w", "secret": "a"}
    assert with_secret(options, secrets).items() >= ACCOUNT.items()
