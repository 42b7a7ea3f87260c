"""A catalog that signs each request to the store instead of handing out keys: the engine holds no key at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import Addresses, Login, log_lines
from waiting import eventually

from dev.services.stack import Stack
from sqe.config import load
from sqe.config.values import Secret
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import catalog_identities
from sqe.identity.login import Login as SessionLogin
from sqe.identity.login import Tokens
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

CONFIG = """
[storage]
s3_endpoint = "{s3}"
s3_region = "{region}"
s3_path_style = true

[catalog]
name = "lake"
type = "rest"
uri = "{iceberg}"
warehouse = "lake"
access_delegation = "remote-signing"
"""


@pytest.fixture(scope="module")
def services(stack: Stack) -> Addresses:
    return stack.up(["lake"])


@pytest.fixture(scope="module")
def sessions(services: Addresses, driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    file = tmp_path_factory.mktemp("signing") / Path("sqe.toml")
    store = services["seaweedfs"]
    file.write_text(CONFIG.format(s3=store["s3"], region=store["region"], iceberg=services["gateway"]["iceberg"]))
    settings = load(file, {})
    sessions = Sessions(driver, settings.catalog_options(), "lake", identities=catalog_identities(settings))
    yield sessions
    sessions.close_all()


def answer(handler: QueryHandler, session: Session, text: str) -> list[dict[str, object]]:
    with handler.submit(session, text, door="test") as query:
        return list(query.read_all().to_pylist())


def test_requests_to_the_store_are_signed_by_the_catalog_for_who_asks(
    services: Addresses, sessions: Sessions, handler: QueryHandler, login: Login
) -> None:
    alice = sessions.open(SessionLogin(Identity("alice"), Tokens(Secret(login.password("alice")))))
    bob = sessions.open(SessionLogin(Identity("bob"), Tokens(Secret(login.password("bob")))))
    table = f"alice.signed_{secrets.token_hex(4)}"
    before = len(log_lines(services["storelog"]["requests"]))
    answer(handler, alice, "CREATE SCHEMA IF NOT EXISTS alice")
    answer(handler, alice, f"CREATE TABLE {table} AS SELECT id FROM range(10)")
    answer(handler, alice, f"INSERT INTO {table} VALUES (10)")
    assert answer(handler, alice, f"SELECT sum(id) AS s FROM {table}") == [{"s": 55}]
    # Somebody else's session in the same process has its own identity at the signer, also after alice's was used.
    with pytest.raises(SqeError):
        answer(handler, bob, f"SELECT sum(id) AS s FROM {table}")

    def ours() -> list[dict[str, object]]:
        lines = log_lines(services["storelog"]["requests"])[before:]
        return [line for line in lines if "Apache Iceberg 1.12" in line["user_agent"] and line["key"].endswith(".parquet")]

    eventually(lambda: any(line["status"] == 200 for line in ours()))
    # Signed with the catalog's own key: no session key of STS, and never a request without a signature.
    assert {str(line["requester_arn"]).rpartition("/")[2] for line in ours()} == {"root"}
    answer(handler, alice, f"DROP TABLE {table}")
