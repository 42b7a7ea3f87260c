"""OPA by Trino's contract: what is sent, what answers mean, and that trouble of every kind means denied."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opa_server import OpaServer, evaluated, serving
from policy_tables import ACCOUNTS, BANK_REGO, PAYMENTS, PEOPLE, STAFF, Tables, person, written

from sqe.config.values import Secret
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.actions import ALL
from sqe.policy.contract import TablePolicy
from sqe.policy.decisions import Policy
from sqe.policy.opa.engine import OpaEngine
from sqe.policy.opa.http import HttpRules
from sqe.policy.opa.rego import RegoRules
from sqe.policy.opa.rules import RULES, Asked

ALICE = person("alice", "analyst", "eu")
SINGLE = ("allow", "rowFilters", "columnMask")
BATCHED = ("allow", "rowFilters", "batch", "batchColumnMasks")


def over_http(server: OpaServer, *rules: str, timeout: float = 10.0) -> Policy:
    return Policy([OpaEngine(HttpRules(server.rules(*rules), Secret("the token"), timeout))], timeout_seconds=timeout)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpaServer]:
    with serving(evaluated(written(tmp_path_factory.mktemp("rego"), "bank.rego", BANK_REGO))) as server:
        yield server


def content(answer: TablePolicy) -> tuple[object, ...]:
    return answer.actions, answer.row_filter, dict(answer.masks), answer.hidden


@pytest.mark.parametrize("rules", [SINGLE, BATCHED], ids=["single", "batched"])
@pytest.mark.parametrize("who", PEOPLE, ids=lambda each: each.user)
def test_a_server_says_what_the_same_rego_says_here(
    bank: OpaServer, tmp_path: Path, who: Identity, rules: tuple[str, ...]
) -> None:
    here = Policy([OpaEngine(RegoRules(written(tmp_path, "bank.rego", BANK_REGO), "trino"))], timeout_seconds=30)
    there = over_http(bank, *rules)
    tables = [ACCOUNTS, PAYMENTS, STAFF]
    assert [content(each) for each in there.decide(who, tables, Tables())] == [
        content(each) for each in here.decide(who, tables, Tables())
    ]


def test_the_input_is_trinos(bank: OpaServer) -> None:
    bank.asked.clear()
    over_http(bank, *SINGLE).decide(ALICE, [ACCOUNTS], Tables())
    table = {"catalogName": "lake", "schemaName": "bank", "tableName": "accounts"}
    actions = [asked.input["action"] for asked in bank.asked]
    assert {"operation": "SelectFromColumns", "resource": {"table": {**table, "columns": ["card"]}}} in actions
    assert {"operation": "GetRowFilters", "resource": {"table": table}} in actions
    column = {**table, "columnName": "balance", "columnType": "decimal(12,2)"}
    assert {"operation": "GetColumnMask", "resource": {"column": column}} in actions
    identity = {"user": "alice", "groups": ["eu"], "roles": ["analyst"]}
    assert [asked.input["context"]["identity"] for asked in bank.asked] == [identity] * len(bank.asked)
    assert bank.tokens == {"Bearer the token"}


def test_batched_rules_need_few_requests_for_many_tables(bank: OpaServer) -> None:
    bank.asked.clear()
    over_http(bank, *BATCHED).decide(ALICE, [ACCOUNTS, PAYMENTS, STAFF], Tables())
    assert len(bank.asked) == 11 + 3 * 4
    assert not any(asked.rule in ("allow", "columnMask") for asked in bank.asked)


def test_everything_that_is_allowed_is_asked_for() -> None:
    with serving(lambda asked: (200, b'{"result": true}')) as server:
        answer = over_http(server, "allow").decide(ALICE, [ACCOUNTS], Tables())[0]
        assert content(answer) == (ALL, None, {}, frozenset())
    with serving(lambda asked: (200, b'{"result": %s}' % (b"false" if "Drop" in str(asked.input) else b"true"))) as server:
        assert over_http(server, "allow").decide(ALICE, [ACCOUNTS], Tables())[0].actions == ALL - {"drop", "alter"}


def test_an_expression_with_an_identity_is_that_users() -> None:
    def answer(asked: Asked) -> tuple[int, bytes]:
        if asked.rule == "rowFilters":
            return (
                200,
                b'{"result": [{"expression": "owner = current_user", "identity": "boss"}, {"expression": "a = current_user"}]}',
            )
        return 200, b'{"result": true}'

    with serving(answer) as server:
        assert over_http(server, "allow", "rowFilters").decide(ALICE, [ACCOUNTS], Tables())[0].row_filter == (
            "(owner = 'boss') AND (a = 'alice')"
        )


def test_two_masks_of_one_column_show_null() -> None:
    masks = [{"index": 3, "viewExpression": {"expression": text}} for text in ("upper(card)", "lower(card)")]

    def answer(asked: Asked) -> tuple[int, bytes]:
        return 200, json.dumps({"result": masks if asked.rule == "batchColumnMasks" else True}).encode()

    with serving(answer) as server:
        assert over_http(server, "allow", "batchColumnMasks").authored(ALICE, ACCOUNTS, Tables()).masks == {"card": "NULL"}


def says(**results: Any) -> Callable[[Asked], tuple[int, bytes]]:
    """Answers of single rules; the others say what a permissive policy does."""
    permissive: dict[str, Any] = {"allow": True, "rowFilters": [], "columnMask": None, "batchColumnMasks": []}

    def answer(asked: Asked) -> tuple[int, bytes]:
        if asked.rule == "batch" and "batch" not in results:
            resources = asked.input["action"]["filterResources"]
            count = (
                len(resources[0]["table"]["columns"]) if asked.input["action"]["operation"] == "FilterColumns" else len(resources)
            )
            return 200, json.dumps({"result": list(range(count))}).encode()
        return 200, json.dumps({"result": results.get(asked.rule, permissive.get(asked.rule))}).encode()

    return answer


NONSENSE: dict[str, Callable[[Asked], tuple[int, bytes]]] = {
    "status 500": lambda _: (500, b"{}"),
    "status 404": lambda _: (404, b"{}"),
    "status 302": lambda _: (302, b'{"result": true}'),
    "no JSON": lambda _: (200, b"<html>"),
    "a list": lambda _: (200, b"[true]"),
    "nothing": lambda _: (200, b""),
    "too long": lambda _: (200, b'{"result": true, "x": "' + b"x" * (5 << 20) + b'"}'),
    "allow is a text": says(allow="true"),
    "allow is a number": says(allow=1),
    "filters are no list": says(rowFilters={"expression": "true"}),
    "filters are undefined": says(rowFilters=None),
    "a filter is a text": says(rowFilters=["true"]),
    "a filter has no expression": says(rowFilters=[{}]),
    "a filter is a number": says(rowFilters=[{"expression": 1}]),
    "an identity is a number": says(rowFilters=[{"expression": "true", "identity": 7}]),
    "a filter reaches outside": says(rowFilters=[{"expression": "a) OR (true"}]),
    "a mask is a text": says(columnMask="NULL"),
}
BATCHED_NONSENSE: dict[str, Callable[[Asked], tuple[int, bytes]]] = {
    "batch counts too far": says(batch=[0, 99]),
    "batch counts texts": says(batch=["0"]),
    "batch counts backwards": says(batch=[-1]),
    "batch is true": says(batch=True),
    "masks are undefined": says(batchColumnMasks=None),
    "a mask without number": says(batchColumnMasks=[{"viewExpression": {"expression": "NULL"}}]),
    "a mask of another column": says(batchColumnMasks=[{"index": 5, "viewExpression": {"expression": "NULL"}}]),
    "a mask without expression": says(batchColumnMasks=[{"index": 0}]),
}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=list(NONSENSE))
def test_nonsense_means_denied(answer: Callable[[Asked], tuple[int, bytes]]) -> None:
    with serving(says()) as server:
        policy = over_http(server, *SINGLE)
        assert policy.authored(ALICE, ACCOUNTS, Tables()).actions == ALL
        server.answer = answer
        assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()


@pytest.mark.parametrize("answer", BATCHED_NONSENSE.values(), ids=list(BATCHED_NONSENSE))
def test_batched_nonsense_means_denied(answer: Callable[[Asked], tuple[int, bytes]]) -> None:
    with serving(says()) as server:
        policy = over_http(server, *BATCHED)
        assert policy.authored(ALICE, ACCOUNTS, Tables()).actions == ALL
        server.answer = answer
        assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()


def test_what_is_undefined_is_not_allowed() -> None:
    with serving(lambda _: (200, b"{}")) as server:
        assert over_http(server, "allow").decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()
        assert over_http(server, "allow", "batch").decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()


def test_a_slow_or_missing_server_denies_in_time_and_is_back_without_a_restart(caplog: pytest.LogCaptureFixture) -> None:
    go_on = threading.Event()

    def slow(asked: Asked) -> tuple[int, bytes]:
        go_on.wait(20)
        return 200, b'{"result": true}'

    with serving(slow) as server:
        policy = over_http(server, "allow", timeout=0.3)
        assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()
        go_on.set()
        server.answer = says()
        assert policy.decide(ALICE, [PAYMENTS], Tables())[0].actions == ALL
    assert policy.decide(ALICE, [STAFF], Tables())[0].actions == frozenset()
    assert "the token" not in caplog.text
    policy.close()


# In this process.


def test_a_bundle_is_read_again_when_it_changed(tmp_path: Path) -> None:
    folder = written(tmp_path / "b", "a.rego", "package trino\nimport rego.v1\ndefault allow := false\n")
    now = [0.0]
    rules = RegoRules(folder, "trino", clock=lambda: now[0])
    policy = Policy([OpaEngine(rules)], timeout_seconds=30)
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()
    written(folder, "a.rego", "package trino\nimport rego.v1\nallow := input.context.identity.user == data.who\n")
    written(folder, "data.json", '{"who": "alice"}')
    now[0] += 2
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == ALL
    assert policy.decide(person("bob"), [ACCOUNTS], Tables())[0].actions == frozenset()
    written(folder, "a.rego", "package trino\nallow if {")
    now[0] += 2
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "there is no Rego in"),
        ({"a.rego": "package trino\nallow if {"}, "this is unclosed"),
        ({"a.rego": "package other\nimport rego.v1\nallow := true"}, "package trino has no rule 'allow'"),
        ({"a.rego": "package trino\nimport rego.v1\nallow := true", "data.json": "{"}, "a data file is not JSON"),
    ],
)
def test_a_bundle_that_cannot_be_used_is_told_at_the_start(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        written(tmp_path, name, text)
    with pytest.raises(SqeError, match=message):
        RegoRules(tmp_path, "trino")


def test_rego_that_contradicts_itself_denies(tmp_path: Path) -> None:
    text = 'package trino\nimport rego.v1\nallow := true\nallow := false if input.context.identity.user == "alice"\n'
    policy = Policy([OpaEngine(RegoRules(written(tmp_path, "a.rego", text), "trino"))], timeout_seconds=30)
    assert policy.decide(person("bob"), [ACCOUNTS], Tables())[0].actions == ALL
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()


def test_all_rules_have_names() -> None:
    assert set(SINGLE) | set(BATCHED) == set(RULES)
