"""Parameters keep their type and every digit on their way to the driver."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.engine.parameters import encode
from sqe.errors import SqeError

BERLIN = dt.timezone(dt.timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "kind", "spark", "text"),
    [
        (7, pa.int64(), "bigint", "7"),
        (2**64 - 1, pa.uint64(), "decimal(20,0)", "18446744073709551615"),
        (True, pa.bool_(), "boolean", "true"),
        (float("nan"), pa.float64(), "double", "nan"),
        (Decimal("-1.50"), pa.decimal128(10, 2), "decimal(10,2)", "-1.50"),
        ("it's", pa.string(), "string", "it's"),
        (b"\x00\xff", pa.binary(), "binary", "AP8="),
        (dt.date(2026, 1, 2), pa.date32(), "date", "2026-01-02"),
        (dt.datetime(2026, 1, 2, 3, 4, 5, 6), pa.timestamp("us"), "timestamp_ntz", "2026-01-02 03:04:05.000006"),
        (dt.datetime(2026, 1, 2, 3, tzinfo=BERLIN), pa.timestamp("us", "UTC"), "timestamp", "2026-01-02 01:00:00+00:00"),
        (None, pa.int32(), "int", None),
        (None, pa.null(), "void", None),
    ],
)
def test_a_parameter_is_a_type_and_a_text(value: Any, kind: pa.DataType, spark: str, text: str | None) -> None:
    row = pa.record_batch([pa.array([value], kind)], ["p"])
    assert json.loads(encode(row)) == {"values": [{"type": spark, "value": text}]}


def test_more_than_one_row_or_a_strange_type_is_refused() -> None:
    with pytest.raises(SqeError, match="One row of parameters was expected, 2 came"):
        encode(pa.record_batch({"p": [1, 2]}))
    with pytest.raises(SqeError, match="duration"):
        encode(pa.record_batch([pa.array([dt.timedelta(1)])], ["p"]))
