"""`[storage] s3_identity`: AWS keys of the environment, of a profile, or for a web identity token."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from config_files import Written, problems

from sqe import errors
from sqe.attached.kinds import catalog_options, checked_secret, file_keys, with_secret
from sqe.attached.store import Secret
from sqe.config import load
from sqe.engine.catalogs import spark_settings
from sqe.engine.files import store_settings
from sqe.errors import SqeError
from sqe.identity.catalogs import shared_identities

PROVIDER = "client.credentials-provider"
KEYS_CLASS = "org.apache.spark.sql.sqe.ConfiguredKeys"
IDENTITY_CLASS = "org.apache.spark.sql.sqe.files.S3Identity"
ROLE = "arn:aws:iam::123456789012:role/lake"

CATALOGS: dict[str, dict[str, str]] = {
    "jdbc": {"type": "jdbc", "uri": "jdbc:sqlite:x", "warehouse": "s3://lake/x"},
    "hive": {"type": "hive", "uri": "thrift://h:1"},
    "glue": {"type": "glue", "warehouse": "s3://lake"},
    "s3tables": {"type": "s3tables", "table_bucket_arn": "arn:aws:s3tables:eu-central-1:123456789012:bucket/sales"},
    "signed": {"type": "rest", "uri": "https://h", "auth": "sigv4"},
    "vending": {"type": "rest", "uri": "https://h"},
}


def options(catalog: dict[str, str]) -> dict[str, str]:
    prefix = "spark.sql.catalog.lake."
    return {name.removeprefix(prefix): value for name, value in spark_settings("lake", catalog, "s").items()}


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ASIA")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "brief")
    return {"s3_identity": "environment"}


@pytest.fixture
def token(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "token").write_text("a.b.c")
    return {"s3_identity": "web_identity", "s3_role_arn": ROLE, "s3_token_file": str(tmp_path / "token")}


@pytest.mark.parametrize("kind", CATALOGS)
def test_every_catalog_in_s3_is_opened_with_the_keys_of_the_environment(kind: str, environment: dict[str, str]) -> None:
    found = options(environment | CATALOGS[kind])
    assert {name.removeprefix(PROVIDER): value for name, value in found.items() if name.startswith(PROVIDER)} == {
        "": KEYS_CLASS,
        ".access-key-id": "ASIA",
        ".secret-access-key": "hidden",
        ".session-token": "brief",
    }
    assert not {"s3.access-key-id", "rest.access-key-id"} & found.keys()


@pytest.mark.parametrize("kind", ["signed", "vending", "s3tables"])
def test_keys_that_a_catalog_vends_come_before_the_servers_identity(kind: str, environment: dict[str, str]) -> None:
    assert options(environment | CATALOGS[kind])["io-impl"] == "org.apache.spark.sql.sqe.files.VendedFirst"


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_an_environment_without_keys_is_told_without_them(
    name: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name)
    with pytest.raises(SqeError) as caught:
        options(environment | CATALOGS["jdbc"])
    assert caught.value.code == errors.CONFIGURATION_INVALID
    assert not re.search("ASIA|hidden|brief", str(caught.value))


def test_without_the_setting_the_environment_is_not_looked_at(environment: dict[str, str]) -> None:
    assert not [name for name in options(CATALOGS["jdbc"]) if "key" in name or PROVIDER in name]
    with pytest.raises(SqeError, match="needs access_key"):
        options(CATALOGS["glue"])


def test_a_catalogs_own_keys_come_first(environment: dict[str, str]) -> None:
    own = {"access_key": "AKIA", "secret_key": "own"}
    assert options(environment | CATALOGS["glue"] | own)[f"{PROVIDER}.access-key-id"] == "AKIA"
    signed = options(environment | CATALOGS["signed"] | own)
    assert (signed["rest.access-key-id"], signed["s3.access-key-id"]) == ("AKIA", "AKIA")
    assert PROVIDER not in signed


def test_a_profile_and_a_role_are_named_and_sealed(token: dict[str, str], tmp_path: Path) -> None:
    by_role = options(token | CATALOGS["jdbc"] | {"s3_region": "eu-west-1", "s3_sts_endpoint": "https://sts.example"})
    assert by_role[PROVIDER] == IDENTITY_CLASS
    named = {"role": ROLE, "token-file": token["s3_token_file"], "region": "eu-west-1", "endpoint": "https://sts.example"}
    assert {name: by_role[f"{PROVIDER}.{name}"] for name in named} == named
    profile = {"s3_identity": "profile", "s3_profile": "lake", "s3_profile_file": str(tmp_path / "token")}
    found = options(profile | CATALOGS["glue"])
    assert (found[f"{PROVIDER}.profile"], found[f"{PROVIDER}.file"]) == ("lake", str(tmp_path / "token"))
    other = options(profile | CATALOGS["glue"] | {"s3_profile": "other"})
    assert len({settings[f"{PROVIDER}.seal"] for settings in (by_role, found, other)}) == 3


@pytest.mark.parametrize("key", ["s3_token_file", "s3_profile_file"])
def test_files_that_are_not_there_are_told(key: str, token: dict[str, str], tmp_path: Path) -> None:
    identity = token if key == "s3_token_file" else {"s3_identity": "profile"}
    with pytest.raises(SqeError, match="cannot be read") as caught:
        options(identity | {key: str(tmp_path / "none")} | CATALOGS["jdbc"])
    assert caught.value.code == errors.CONFIGURATION_INVALID


def test_files_as_tables_are_read_with_it_and_a_secret_has_nothing_of_it(environment: dict[str, str]) -> None:
    assert store_settings(environment)[PROVIDER] == KEYS_CLASS
    assert store_settings({})[PROVIDER].endswith("AnonymousCredentialsProvider")
    secret = Secret("s", "aws", {"key_id": "AKIA", "secret": "own"}, "")
    assert "ASIA" not in str(file_keys([secret]))


CONTRADICTIONS = {
    "keys beside it": (
        "s3_identity = 'environment'\ns3_access_key = 'k'\ns3_secret_key = 's'",
        "storage.s3_access_key is not used with storage.s3_identity = 'environment'",
    ),
    "no token": (f"s3_identity = 'web_identity'\ns3_role_arn = '{ROLE}'", "needs storage.s3_token_file"),
    "neither": ("s3_identity = 'web_identity'", "needs storage.s3_role_arn and storage.s3_token_file"),
    "no role": ("s3_identity = 'web_identity'\ns3_token_file = '/t'", "needs storage.s3_role_arn"),
    "profile without profile": ("s3_profile = 'lake'", "storage.s3_profile is not used with storage.s3_identity = 'keys'"),
    "role of a profile": (f"s3_identity = 'profile'\ns3_role_arn = '{ROLE}'", "storage.s3_role_arn is not used with"),
    "unknown": ("s3_identity = 'machine'", "must be one of keys, environment, profile, web_identity"),
}


@pytest.mark.parametrize(("text", "sentence"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradictions_are_told_at_start(written: Written, text: str, sentence: str) -> None:
    [problem] = problems(written(f"[storage]\n{text}\n"))
    assert sentence in problem


def test_it_reaches_catalogs_that_need_keys_and_is_told_as_shared(written: Written, tmp_path: Path) -> None:
    text = """
        [storage]
        s3_identity = "profile"
        s3_profile = "lake"
        [catalog]
        type = "glue"
        warehouse = "s3://lake"
        [catalogs.here]
        type = "sqlite"
        path = "/w"
        """
    settings = load(written(text), {})
    assert settings.catalog_options()["lake"].items() >= {"s3_identity": "profile", "s3_profile": "lake"}.items()
    assert "s3_identity" not in settings.catalog_options()["here"]
    told = list(shared_identities(settings))
    assert [each.split()[:2] for each in told] == [["catalog", "lake"], ["storage", "has"]]
    assert "s3_identity = 'profile'" in told[1]
    assert "one identity for all users" in told[1]
    production = problems(written("[coordinator]\nproduction_mode = true\n" + text))
    assert [each for each in production if "production_mode refuses storage.s3_identity = 'profile'" in each]


@pytest.mark.parametrize(
    "name", ["s3_identity", "s3_profile", "s3_profile_file", "s3_role_arn", "s3_token_file", "s3_sts_endpoint"]
)
@pytest.mark.parametrize("address", ["jdbc:sqlite:x", "s3://lake", "https://h", "thrift://h:1"])
def test_users_cannot_choose_it(name: str, address: str) -> None:
    given = {name: "environment", "warehouse": "s3://lake"} | ({"type": "glue"} if address.startswith("s3:") else {})
    given = {key: text for key, text in given.items() if key != "warehouse" or "type" not in given}
    with pytest.raises(SqeError, match=f"has no option {name.upper()}"):
        catalog_options(address, given, Secret("s", "aws", {"key_id": "k", "secret": "s"}, ""))
    with pytest.raises(SqeError, match=f"has no {name.upper()}"):
        checked_secret("s", {"type": "aws", "key_id": "k", "secret": "s", name: "environment"})


def test_a_catalog_that_a_user_attaches_gets_nothing_of_it(environment: dict[str, str]) -> None:
    attached = with_secret(catalog_options("jdbc:sqlite:x", {"warehouse": "s3://lake"}, None), {})
    assert not [name for name in options(attached) if name.startswith(PROVIDER)]
