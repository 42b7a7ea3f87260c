"""Where the tables of a suite lie: each place has a sqe.toml that loads, and tells when a file is not what was loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.bench.main import run
from sqe.bench.places import LocalFolder, ObjectStore, Place
from sqe.config import load

ADDRESSES = {
    "keycloak": {"issuer": "http://127.0.0.1:1/realms/sqe", "token": "http://127.0.0.1:1/token"},
    "gateway": {"iceberg": "http://127.0.0.1:2/api/catalog", "warehouse": "lake"},
    "seaweedfs": {"s3": "http://127.0.0.1:3", "region": "us-east-1"},
}


@pytest.mark.parametrize("place", [LocalFolder(Path("/nowhere")), ObjectStore(Path("/nowhere"), ADDRESSES)])
def test_a_server_is_configured_for_it(place: Place, tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text(place.server_config("1g", '\n[engine.spark]\n"spark.sql.shuffle.partitions" = "2"\n'))
    settings = load(tmp_path / "sqe.toml", {})
    assert list(settings.catalog_options()) == ["lake"]
    assert settings.engine.spark == {"spark.sql.shuffle.partitions": "2"}


def test_a_changed_file_has_another_digest(tmp_path: Path) -> None:
    place, file = LocalFolder(tmp_path), tmp_path / "a.parquet"
    file.write_bytes(b"rows")
    before = place.digest(place.path(file.as_uri()))
    file.write_bytes(b"cows")
    assert len({before, place.digest(str(file)), place.digest(str(tmp_path / "none"))}) == 3


def test_trino_gets_vended_keys_and_none_of_the_store(tmp_path: Path) -> None:
    assert LocalFolder(tmp_path).trino_catalog() is None
    catalog = ObjectStore(tmp_path, ADDRESSES).trino_catalog()
    assert catalog["iceberg.rest-catalog.vended-credentials-enabled"] == "true"
    assert not [name for name in catalog if "key" in name]


def test_engines_that_cannot_reach_a_store_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqe.bench.workspace.prepared_folder", lambda _: tmp_path)
    assert run(["run", "tpch", "--store", "s3", "--engines", "sqe,duckdb", "--folder", str(tmp_path)]) == 1
    assert "--store s3 is for sqe, sqe-trino and trino" in capsys.readouterr().err
