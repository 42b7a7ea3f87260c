"""The test catalog signs requests for the table that was asked for, and for nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from dev.services.gateway.answers import BadRequest, Forbidden
from dev.services.gateway.signing import Signer
from dev.services.gateway.vending import Store
from dev.services.s3 import Keys

TABLE = "s3://lake/alice/orders"
SIGNER = Signer(Store("http://s3", "us-east-1", "role", Keys("key", "word"), 60, "http://s3"))


def asked(uri: str, method: str = "GET", body: str = "") -> dict[str, Any]:
    return {"method": method, "uri": uri, "headers": {"Host": ["s3"]}, "body": body, "region": "us-east-1"}


@pytest.mark.parametrize(
    "request_",
    [
        asked("http://s3/lake/alice/orders/data/1.parquet"),
        asked("http://s3/lake/alice/orders/data/1.parquet", "PUT"),
        asked("http://s3/lake?delete", "POST", "<Delete><Object><Key>alice/orders/data/1</Key></Object></Delete>"),
    ],
    ids=["read", "write", "delete several"],
)
def test_the_table_itself(request_: dict[str, Any]) -> None:
    signed = SIGNER.sign(TABLE, request_)
    assert signed["uri"] == request_["uri"]
    assert signed["headers"]["Authorization"][0].startswith("AWS4-HMAC-SHA256 Credential=key/")
    assert "word" not in str(signed)


@pytest.mark.parametrize(
    "request_",
    [
        asked("http://s3/lake/alice/orders2/data/1.parquet"),
        asked("http://s3/lake/alice/orders"),
        asked("http://s3/lake/alice/orders/../secrets/1.parquet"),
        asked("http://s3/lake/alice/orders/%2e%2e/secrets/1.parquet"),
        asked("http://s3/other/alice/orders/1.parquet"),
        asked("http://s3/lake?delete", "POST", "<Key>alice/orders/1</Key><Key>bob/plans/1</Key>"),
        asked("http://s3/lake?delete", "POST", ""),
        asked("http://s3/lake?list-type=2&prefix=alice"),
    ],
    ids=["longer name", "no object", "up", "up, encoded", "other bucket", "delete another's", "delete nothing", "list"],
)
def test_nothing_else(request_: dict[str, Any]) -> None:
    with pytest.raises(Forbidden):
        SIGNER.sign(TABLE, request_)


def test_what_is_no_request() -> None:
    for wrong in (
        {},
        {"method": "GET", "uri": "http://s3/x", "headers": None},
        {"method": "GET", "uri": "x", "headers": {"a": []}},
    ):
        with pytest.raises(BadRequest):
            SIGNER.sign(TABLE, wrong)
