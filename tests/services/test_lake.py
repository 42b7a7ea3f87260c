"""The gateway on Keycloak, SeaweedFS and the REST fixture: what each user sees, may do, and is given keys for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from botocore.exceptions import ClientError
from clients import SCHEMA, Addresses, Catalog, Login, claims, log_lines, store_of
from cryptography.hazmat.primitives.asymmetric import rsa
from waiting import eventually

from dev.services.s3 import Keys, client
from dev.services.stack import Stack


@pytest.fixture(scope="module", autouse=True)
def tables(alice: Catalog, bob: Catalog, carol: Catalog) -> None:
    """alice.orders, bob.plans and shared.prices, the last one made by bob."""
    for user, namespace, table in ((alice, "alice", "orders"), (bob, "bob", "plans"), (bob, "shared", "prices")):
        assert user.create_namespace(namespace).status_code in (200, 409)
        assert user.create(namespace, table).status_code in (200, 409)


class TestWhatUsersSee:
    def test_is_what_they_have_rights_on(self, alice: Catalog, bob: Catalog, carol: Catalog) -> None:
        assert alice.namespaces() == {"alice", "shared"}
        assert bob.namespaces() == {"bob", "shared"}
        assert carol.namespaces() >= {"alice", "bob", "shared"}
        assert alice.tables("alice") == {"orders"}
        assert alice.load("alice", "orders").json()["metadata"]["location"] == "s3://lake/alice/orders"

    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    def test_excludes_a_denied_table_which_looks_exactly_like_a_missing_one(self, bob: Catalog, method: str) -> None:
        denied = bob.ask(method, "/namespaces/alice/tables/orders")
        missing = bob.ask(method, "/namespaces/bob/tables/nothing")
        assert denied.status_code == missing.status_code == 404
        assert denied.text.replace("alice.orders", "X") == missing.text.replace("bob.nothing", "X")
        assert {**denied.headers, "content-length": "", "date": ""} == {**missing.headers, "content-length": "", "date": ""}

    def test_excludes_a_denied_namespace_which_looks_exactly_like_a_missing_one(self, bob: Catalog) -> None:
        denied, missing = bob.ask("GET", "/namespaces/alice"), bob.ask("GET", "/namespaces/never")
        assert denied.status_code == missing.status_code == 404
        assert denied.text.replace("alice", "X") == missing.text.replace("never", "X")

    def test_may_be_readable_only_and_then_a_change_is_refused_openly(self, alice: Catalog) -> None:
        assert alice.load("shared", "prices").status_code == 200
        refused = alice.ask("DELETE", "/namespaces/shared/tables/prices")
        assert refused.status_code == 403
        assert refused.json()["error"]["type"] == "ForbiddenException"
        assert alice.create("shared", "mine").status_code == 403

    def test_goes_on_in_namespaces_within_namespaces(self, alice: Catalog, bob: Catalog) -> None:
        assert alice.ask("POST", "/namespaces", {"namespace": ["alice", "deep"]}).status_code in (200, 409)
        assert alice.create("alice%1Fdeep", "orders").status_code in (200, 409)
        loaded = alice.load("alice%1Fdeep", "orders")
        assert loaded.json()["metadata"]["location"] == "s3://lake/alice/deep/orders"
        store_of(loaded).put_object(Bucket="lake", Key="alice/deep/orders/data/1.parquet", Body=b"rows")
        assert alice.ask("GET", "/namespaces?parent=alice").json()["namespaces"] == [["alice", "deep"]]
        assert alice.tables("alice%1Fdeep") == {"orders"}
        assert bob.load("alice%1Fdeep", "orders").status_code == 404
        assert bob.ask("GET", "/namespaces?parent=alice").status_code == 404

    def test_changes_with_the_grants_at_once(self, lake: Addresses, alice: Catalog) -> None:
        path = Path(lake["gateway"]["grants"])
        before = path.read_text()
        try:
            path.write_text(json.dumps([grant for grant in json.loads(before) if grant["to"] != "group:analysts"]))
            assert alice.load("shared", "prices").status_code == 404
            assert alice.namespaces() == {"alice"}
        finally:
            path.write_text(before)
        assert alice.load("shared", "prices").status_code == 200


class TestTokens:
    @pytest.mark.parametrize(
        "spoil",
        [
            lambda token: None,
            lambda token: "no-token",
            lambda token: signed_by_another(token),
            lambda token: token[:-6] + "AAAAAA",
            lambda token: "eyJhbGciOiJub25lIn0." + token.split(".")[1] + ".",
            lambda token: token + "x" * 20_000,
        ],
        ids=["none", "nonsense", "wrong-key", "tampered", "alg-none", "over-long"],
    )
    def test_that_are_not_right_get_401_without_a_reason(
        self, lake: Addresses, login: Login, spoil: Callable[[str], str | None]
    ) -> None:
        answer = Catalog(lake["gateway"], spoil(login.password("alice"))).ask("GET", "/namespaces")
        assert answer.status_code == 401
        assert answer.json()["error"]["message"] == "Not authorized"

    def test_for_another_audience_are_taken_after_an_exchange_only(self, lake: Addresses, login: Login) -> None:
        narrow = login.password("alice", "sqe-narrow")
        assert Catalog(lake["gateway"], narrow).ask("GET", "/namespaces").status_code == 401
        assert Catalog(lake["gateway"], login.exchange(narrow, "lake")).ask("GET", "/namespaces").status_code == 200


class TestVendedKeys:
    def test_open_the_tables_prefix_and_nothing_else(self, lake: Addresses, alice: Catalog) -> None:
        store = store_of(alice.load("alice", "orders"))
        store.put_object(Bucket="lake", Key="alice/orders/data/1.parquet", Body=b"rows")
        assert store.get_object(Bucket="lake", Key="alice/orders/data/1.parquet")["Body"].read() == b"rows"
        assert store.list_objects_v2(Bucket="lake", Prefix="alice/orders/")["KeyCount"] >= 1

        seaweedfs = lake["seaweedfs"]
        root = client("s3", seaweedfs["s3"], Keys(seaweedfs["access_key"], seaweedfs["secret_key"]))
        root.put_object(Bucket="lake", Key="bob/plans/data/1.parquet", Body=b"secret")
        refused(store.get_object, Key="bob/plans/data/1.parquet")
        refused(store.put_object, Key="bob/plans/data/2.parquet", Body=b"forged")
        refused(store.put_object, Key="alice/orders2/data/1.parquet", Body=b"a name that begins alike")
        refused(store.copy_object, Key="alice/orders/data/stolen", CopySource="lake/bob/plans/data/1.parquet")
        refused(store.list_objects_v2, Prefix="bob/")
        refused(store.list_objects_v2)

    def test_of_a_reader_do_not_write(self, alice: Catalog, bob: Catalog) -> None:
        store_of(bob.load("shared", "prices")).put_object(Bucket="lake", Key="shared/prices/data/1.parquet", Body=b"rows")
        reader = store_of(alice.load("shared", "prices"))
        assert reader.get_object(Bucket="lake", Key="shared/prices/data/1.parquet")["Body"].read() == b"rows"
        refused(reader.put_object, Key="shared/prices/data/2.parquet", Body=b"rows")
        refused(reader.delete_object, Key="shared/prices/data/1.parquet")

    def test_are_given_on_request_only_and_can_be_renewed(self, lake: Addresses, alice: Catalog) -> None:
        assert "config" not in alice.ask("GET", "/namespaces/alice/tables/orders").json()
        loaded = alice.load("alice", "orders").json()
        (first,) = loaded["storage-credentials"]
        assert first["prefix"] == "s3://lake/alice/orders/"
        where = loaded["config"]["client.refresh-credentials-endpoint"].removeprefix("v1/lake")
        (second,) = alice.ask("GET", where).json()["storage-credentials"]
        assert second["config"]["s3.access-key-id"] != first["config"]["s3.access-key-id"]

    @pytest.mark.parametrize(
        "elsewhere",
        [
            {"location": "s3://lake/alice/orders"},
            {"properties": {"write.data.path": "s3://lake/alice/orders/data"}},
            {"name": "*"},
            {"name": "../alice"},
        ],
        ids=["location", "data path", "wildcard", "parent"],
    )
    def test_cannot_be_had_for_another_place_by_a_table_that_claims_it(self, bob: Catalog, elsewhere: dict[str, Any]) -> None:
        body = {"name": "claim", "schema": SCHEMA} | elsewhere
        assert bob.ask("POST", "/namespaces/bob/tables", body).status_code in (400, 403)
        moved = {"requirements": [], "updates": [{"action": "set-location", "location": "s3://lake/alice/orders"}]}
        assert bob.ask("POST", "/namespaces/bob/tables/plans", moved).status_code == 403


def test_the_log_tells_who_asked_what_with_which_token(lake: Addresses, alice: Catalog, bob: Catalog) -> None:
    key = alice.load("alice", "orders").json()["config"]["s3.access-key-id"]
    bob.load("alice", "orders")
    Catalog(lake["gateway"], None).ask("GET", "/namespaces")
    hers, his, nobodys = log_lines(lake["gateway"]["audit"])[-3:]
    assert hers["path"] == his["path"] == "/api/catalog/v1/lake/namespaces/alice/tables/orders"
    assert (hers["name"], hers["status"], hers["vended"]) == ("alice", 200, key)
    assert (hers["subject"], hers["authorization"]) == (claims(alice.token or "")["sub"], alice.fingerprint)
    assert (his["name"], his["status"], his["vended"], his["authorization"]) == ("bob", 404, None, bob.fingerprint)
    assert (nobodys["name"], nobodys["status"], nobodys["authorization"]) == (None, 401, None)


def test_the_stores_own_log_tells_the_user_behind_vended_keys(lake: Addresses, alice: Catalog) -> None:
    store = store_of(alice.load("alice", "orders"))
    store.put_object(Bucket="lake", Key="alice/orders/data/logged", Body=b"rows")
    refused(store.get_object, Key="bob/plans/data/logged")

    def seen() -> set[tuple[str, str, int]]:
        lines = log_lines(lake["storelog"]["requests"])
        return {(line["requester_arn"], line["key"], line["status"]) for line in lines if line["key"].endswith("/logged")}

    hers = "arn:aws:sts::000000000000:assumed-role/Vend/alice"
    eventually(lambda: seen() == {(hers, "alice/orders/data/logged", 200), (hers, "bob/plans/data/logged", 403)})


def test_tokens_are_checked_while_the_identity_provider_is_down(lake: Addresses, stack: Stack, alice: Catalog) -> None:
    assert alice.namespaces() >= {"alice"}
    stack.stop(["keycloak"])
    try:
        assert alice.namespaces() >= {"alice"}
        assert Catalog(lake["gateway"], signed_by_another(alice.token or "")).ask("GET", "/namespaces").status_code == 401
    finally:
        stack.up(["keycloak"])
    assert alice.namespaces() >= {"alice"}


def signed_by_another(token: str) -> str:
    """The same claims and key id under a signature of our own."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return jwt.encode(claims(token), key, "RS256", headers={"kid": jwt.get_unverified_header(token)["kid"]})


def refused(call: Callable[..., object], **arguments: object) -> None:
    with pytest.raises(ClientError) as failure:
        call(Bucket="lake", **arguments)
    assert failure.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
