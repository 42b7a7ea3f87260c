"""Catalogs of all types: what of sqe.toml reaches Iceberg, what is refused before, and who is warned of."""

from __future__ import annotations

import re

import pytest
from config_files import Written

from sqe.config import ConfigErrors, load
from sqe.engine.catalogs import jars, spark_settings
from sqe.engine.install.jars import MYSQL, POSTGRESQL
from sqe.errors import SqeError
from sqe.identity.catalogs import shared_identities

BUCKET = "arn:aws:s3tables:eu-central-1:123456789012:bucket/sales"
KEYS = {"access_key": "AKIA", "secret_key": "hidden"}


def options(catalog: dict[str, str]) -> dict[str, str]:
    prefix = "spark.sql.catalog.lake."
    return {name.removeprefix(prefix): value for name, value in spark_settings("lake", catalog, "s").items()}


def test_s3tables_is_a_signed_rest_catalog_at_the_buckets_region() -> None:
    found = options({"type": "s3tables", "table_bucket_arn": BUCKET, **KEYS})
    assert found["uri"] == "https://s3tables.eu-central-1.amazonaws.com/iceberg"
    assert found["warehouse"] == BUCKET
    assert (found["rest.auth.type"], found["rest.signing-name"], found["rest.signing-region"]) == (
        "sigv4",
        "s3tables",
        "eu-central-1",
    )
    assert (found["rest.access-key-id"], found["s3.access-key-id"]) == ("AKIA", "AKIA")


@pytest.mark.parametrize(
    ("uri", "more", "service", "region"),
    [
        ("https://glue.eu-west-1.amazonaws.com/iceberg", {}, "glue", "eu-west-1"),
        ("https://s3tables.us-east-2.amazonaws.com/iceberg", {}, "s3tables", "us-east-2"),
        ("https://catalog.example.com", {"region": "eu-west-3"}, "execute-api", "eu-west-3"),
        ("https://catalog.example.com", {"signing_name": "lake", "s3_region": "eu-north-1"}, "lake", "eu-north-1"),
        ("https://glue.eu-west-1.amazonaws.com.example.com/", {}, "execute-api", "us-east-1"),
    ],
)
def test_requests_are_signed_for_the_service_and_region_of_the_address(
    uri: str, more: dict[str, str], service: str, region: str
) -> None:
    found = options({"type": "rest", "uri": uri, "auth": "sigv4", **KEYS, **more})
    assert (found["rest.signing-name"], found["rest.signing-region"]) == (service, region)


@pytest.mark.parametrize("kind", ["glue", "s3tables"])
def test_without_keys_there_is_no_catalog_of_aws(kind: str) -> None:
    """Nothing else is tried: the engine's process has no identity of its own."""
    with pytest.raises(SqeError, match="access_key"):
        options({"type": kind, "warehouse": "s3://lake", "table_bucket_arn": BUCKET})


def test_a_catalogs_own_keys_come_before_those_of_storage() -> None:
    both = {"s3_access_key": "shared", "s3_secret_key": "x", **KEYS}
    assert options({"type": "glue", "warehouse": "s3://lake", **both})["client.credentials-provider.access-key-id"] == "AKIA"


def test_files_of_a_warehouse_in_s3_are_never_looked_for_on_this_machine() -> None:
    def reads_with(warehouse: str) -> str | None:
        return options({"type": "jdbc", "uri": "jdbc:sqlite:x", "warehouse": warehouse}).get("io-impl")

    assert reads_with("s3://lake/x") == "org.apache.spark.sql.sqe.files.S3Files"
    assert reads_with("/data/lake") is None


def test_drivers_are_fetched_for_the_databases_that_are_configured() -> None:
    urls = ("jdbc:postgresql://h/d", "jdbc:postgresql://other/d", "jdbc:mysql://h/d", "jdbc:sqlite:x")
    assert jars({"type": "jdbc", "uri": uri} for uri in urls) == [POSTGRESQL, MYSQL]
    assert jars([{"type": "hive", "uri": "thrift://h:1"}]) == []


REFUSED = {
    "password in the URL": (
        "type = 'jdbc'\nuri = 'jdbc:postgresql://h/d?user=a&password=b'\nwarehouse = '/w'",
        "must not hold a password",
    ),
    "credentials in the URL": ("type = 'jdbc'\nuri = 'jdbc:mysql://a:b@h/d'\nwarehouse = '/w'", "must not hold a password"),
    "unknown database": ("type = 'jdbc'\nuri = 'jdbc:oracle:thin:@h'\nwarehouse = '/w'", "must begin with jdbc:postgresql:"),
    "other address": ("type = 'hive'\nuri = 'http://h:9083'", "must begin with thrift://"),
    "no renames": ("type = 'hadoop'\nwarehouse = 's3://lake/x'", "object stores have no atomic rename"),
    "glue on a disk": ("type = 'glue'\nwarehouse = '/w'\naccess_key = 'a'\nsecret_key = 'b'", "must begin with s3://"),
    "glue without keys": ("type = 'glue'\nwarehouse = 's3://w'", "the machine's are never used"),
    "half a pair of keys": ("type = 'glue'\nwarehouse = 's3://w'\naccess_key = 'a'", "need each other"),
    "no bucket": (
        "type = 's3tables'\ntable_bucket_arn = 'sales'\naccess_key = 'a'\nsecret_key = 'b'",
        "not the ARN of a table bucket",
    ),
    "signing without keys": ("type = 'rest'\nuri = 'https://h'\nauth = 'sigv4'", "the machine's are never used"),
    "keys without signing": ("type = 'rest'\nuri = 'https://h'\naccess_key = 'a'\nsecret_key = 'b'", "is not used with auth"),
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_work_is_refused_at_start(written: Written, text: str, sentence: str) -> None:
    with pytest.raises(ConfigErrors, match=re.escape(sentence)):
        load(written(f"[catalog]\n{text}\n"), {})


def test_every_catalog_that_does_not_learn_who_asks_is_told_at_start(written: Written) -> None:
    text = """
        [storage]
        s3_access_key = "k"
        s3_secret_key = "s"
        [catalog]
        type = "sqlite"
        [catalogs.own]
        type = "rest"
        uri = "https://h"
        [catalogs.signed]
        type = "rest"
        uri = "https://h"
        auth = "sigv4"
        [catalogs.database]
        type = "jdbc"
        uri = "jdbc:postgresql://h/d"
        warehouse = "s3://lake"
        [catalogs.metastore]
        type = "hive"
        uri = "thrift://h:9083"
        [catalogs.glue]
        type = "glue"
        warehouse = "s3://lake"
        """
    told = "\n".join(shared_identities(load(written(text), {})))
    assert re.findall(r"^catalog (\w+)", told, re.MULTILINE) == ["signed", "database", "metastore", "glue"]
