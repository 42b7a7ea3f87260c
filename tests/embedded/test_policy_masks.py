"""Masks on a real Spark: what each shows, that it keeps the column's type, never fails, and gives equal values equal masks."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from sqe.policy.expressions import BadExpression
from sqe.policy.facts import Column
from sqe.policy.masks import MASKS, masked

Sql = Callable[[str], pa.Table]
KEY = b"the operator's key"


def shown(sql: Sql, mask: str, type_: str, values: str) -> list[Any]:
    """What a column of these values (a list of SQL literals) shows; the Arrow type must be that of the column."""
    column = Column(1, "c", type_)
    written = masked(mask, column, "c", KEY)
    table = sql(f"SELECT c AS clear, {written} AS masked FROM (SELECT CAST(v AS {type_}) AS c FROM VALUES {values} AS t(v))")
    assert table.schema.field("masked").type == table.schema.field("clear").type
    found: list[Any] = table["masked"].to_pylist()
    return found


def keyed(value: bytes, domain: str = "") -> str:
    key = hmac.new(KEY, b"sqe-mask:" + domain.encode(), hashlib.sha256).digest()
    return hmac.new(key, value, hashlib.sha256).hexdigest()


TEXTS = "('4111 1111 1111 1234'), ('ab'), (''), (NULL)"

# mask, type, values, what is shown
SHOWN: list[tuple[str, str, str, list[Any]]] = [
    ("mask_null()", "STRING", TEXTS, [None] * 4),
    ("mask_null()", "ARRAY<INT>", "(array(1))", [None]),
    ("mask_constant('x')", "STRING", TEXTS, ["x"] * 4),
    ("mask_constant(7)", "SMALLINT", "(1), (NULL)", [7, 7]),
    ("mask_constant(-7)", "INT", "(1)", [-7]),
    ("mask_constant(DATE '2000-01-01')", "DATE", "(DATE'2026-11-16')", [dt.date(2000, 1, 1)]),
    ("mask_constant('no number')", "INT", "(1)", [None]),
    ("'***'", "STRING", "('a')", ["***"]),
    ("mask_redact()", "STRING", "('Ab 9-z'), ('Grüße 漢字 🎉 ١'), (NULL)", ["Xx n-x", "Xxxxx xx x x", None]),
    ("mask_redact('A', 'b', '0')", "STRING", "('Ab 9-z')", ["Ab 0-b"]),
    ("mask_redact()", "INT", "(1)", [None]),
    ("mask_show_last(4)", "STRING", TEXTS, ["*" * 15 + "1234", "**", "", None]),
    ("mask_show_last(c, 2)", "VARCHAR(9)", "('abcd'), ('ab')", ["**cd", "**"]),
    ("mask_show_first(2)", "STRING", "('Grüße'), ('Gr'), ('')", ["Gr***", "**", ""]),
    ("mask_show_first(0)", "STRING", "('ab')", ["**"]),
    ("mask_hmac()", "STRING", "('a'), ('ü'), (NULL)", [keyed(b"a"), keyed("ü".encode()), None]),
    ("mask_hmac(c, 'crm')", "STRING", "('a')", [keyed(b"a", "crm")]),
    ("mask_hmac('crm')", "STRING", "('a')", [keyed(b"a", "crm")]),
    ("mask_hmac()", "BIGINT", "(42L), (-1L)", [int(keyed(b"42")[:15], 16), int(keyed(b"-1")[:15], 16)]),
    ("mask_hmac()", "INT", "(42)", [int(keyed(b"42")[:7], 16)]),
    ("mask_hmac()", "TINYINT", "(42)", [None]),
    ("mask_hmac()", "BINARY", "(X'00ff')", [bytes.fromhex(keyed(b"\x00\xff"))]),
    ("mask_date('month')", "DATE", "(DATE'2026-11-16'), (NULL)", [dt.date(2026, 11, 1), None]),
    ("mask_date('year')", "DATE", "(DATE'0001-03-02')", [dt.date(1, 1, 1)]),
    ("mask_date('day')", "TIMESTAMP_NTZ", "(TIMESTAMP_NTZ'2026-11-16 12:34:56')", [dt.datetime(2026, 11, 16)]),
    (
        "mask_date(c, 'hour')",
        "TIMESTAMP",
        "(TIMESTAMP'2026-11-16 12:34:56Z')",
        [dt.datetime(2026, 11, 16, 12, tzinfo=ZoneInfo("UTC"))],
    ),
    ("mask_date('month')", "STRING", "('x')", [None]),
    ("mask_round(-3)", "INT", "(1499), (1500), (-2147483648), (NULL)", [1000, 2000, None, None]),
    ("mask_round(1)", "DECIMAL(5,2)", "(12.34), (999.99)", [Decimal("12.30"), None]),
    ("mask_round(0)", "DOUBLE", "(2.6D), (CAST('NaN' AS DOUBLE))", [3.0, float("nan")]),
    ("mask_bucket(10)", "INT", "(19), (-1), (2147483647)", [10, -10, 2147483640]),
    ("mask_bucket(100)", "TINYINT", "(-128), (99)", [None, 0]),
    ("mask_bucket(100)", "DECIMAL(12,2)", "(1234.56)", [Decimal("1200.00")]),
    ("mask_bucket(5)", "DOUBLE", "(12.5D), (1e300D)", [10.0, 1e300]),
    (
        "mask_email()",
        "STRING",
        "('anna@example.com'), ('a@example.com'), ('no address'), ('a@b@c'), (NULL)",
        ["a***@example.com", "***@example.com", "*" * 10, "*****", None],
    ),
    (
        "mask_card()",
        "STRING",
        "('4111 1111 1111 1234'), ('4111111111111234'), ('1234'), ('name 4111111111111234'), (NULL)",
        ["**** **** **** 1234", "*" * 12 + "1234", "****", "*" * 21, None],
    ),
    ("CASE WHEN length(c) > 2 THEN mask_show_last(1) ELSE upper(c) END", "STRING", "('abc'), ('ab')", ["**c", "AB"]),
]


@pytest.mark.parametrize(("mask", "type_", "values", "expected"), SHOWN, ids=[f"{case[0]} {case[1]}" for case in SHOWN])
def test_what_a_mask_shows(sql: Sql, mask: str, type_: str, values: str, expected: list[Any]) -> None:
    assert repr(shown(sql, mask, type_, values)) == repr(expected)


def test_every_mask_is_tested() -> None:
    assert {name for name in MASKS if any(name in case[0] for case in SHOWN)} == set(MASKS)


def test_hashes_join_and_nothing_is_hashed_without_a_key(sql: Sql) -> None:
    column = Column(1, "c", "STRING")
    hashed = masked("mask_hmac()", column, "c", KEY)
    joined = sql(
        f"SELECT count(*) AS n FROM (SELECT {hashed} AS h FROM VALUES ('a'), ('b') AS t(c)) JOIN "
        f"(SELECT {hashed} AS h FROM VALUES ('a'), ('c') AS t(c)) USING (h)"
    )
    assert joined["n"].to_pylist() == [1]
    assert masked("mask_hmac()", column, "c", None) == "try_cast(NULL AS STRING)"


def test_names_that_need_quotes(sql: Sql) -> None:
    written = masked("mask_show_last(1)", Column(1, "my `col", "STRING"), "my `col", KEY)
    assert sql(f"SELECT {written} AS m FROM VALUES ('abc') AS t(`my ``col`)")["m"].to_pylist() == ["**c"]


@pytest.mark.parametrize(
    "mask",
    [
        "mask_show_last()",
        "mask_show_last(c)",
        "mask_show_last(c, -1)",
        "mask_show_last(c, 1 + 1)",
        "mask_show_last(c, 1, 2)",
        "mask_date('century')",
        "mask_redact('XX')",
        "mask_bucket(0)",
        "mask_null(c)",
        "mask_constant(c)",
        "mask_constant(upper('x'))",
        "mask_constant((SELECT 1))",
        "mask_hmac(c, c)",
    ],
)
def test_wrong_arguments_are_refused(mask: str) -> None:
    with pytest.raises(BadExpression):
        masked(mask, Column(1, "c", "STRING"), "c", KEY)
