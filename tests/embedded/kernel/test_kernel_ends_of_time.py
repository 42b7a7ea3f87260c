"""The last day and moment that Spark counts, and their opposites, are infinity to the kernel, which has no calendar there."""

from __future__ import annotations

import pytest
from sides import Sides

LAST_DAY, LAST_MICROS = 2147483647, 9223372036854775807

ROWS = ", ".join(
    f"({number}, date_from_unix_date({days}), timestamp_micros({micros}), CAST(timestamp_micros({micros}) AS TIMESTAMP_NTZ))"
    for number, (days, micros) in enumerate(
        [
            (LAST_DAY, LAST_MICROS),
            (-LAST_DAY, -LAST_MICROS),
            (LAST_DAY - 1, LAST_MICROS - 1),
            (1 - LAST_DAY, 1 - LAST_MICROS),
            (19000, 1700000000000000),
        ]
    )
)


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def times(sides: Sides, made: set[str]) -> Sides:
    if not made:
        sides.run(f"CREATE TABLE ends AS SELECT * FROM VALUES {ROWS}, (9, NULL, NULL, NULL) AS t(id, day, at, here)")
        made.add("all")
    return sides


# Also beside rows that a policy hides, so these must not fail for any day.
NEVER_FAIL = [f"{name}(day)" for name in ("year", "quarter", "month", "day", "dayofyear", "dayofweek", "weekday")]
OTHERS = [
    "weekofyear(day), extract(YEAROFWEEK FROM day)",
    "dayname(day), monthname(day)",
    "unix_date(day), unix_date(day - 1), unix_date(day + 5)",
    "unix_date(add_months(day, -1))",
    "unix_date(last_day(day))",
    "unix_date(trunc(day, 'year'))",
    "datediff(day, DATE '2000-01-01'), datediff(DATE '2000-01-01', day)",
    "day - INTERVAL '1' MONTH",
    "year(at), hour(here), extract(SECOND FROM at), minute(at)",
    "unix_micros(at), unix_seconds(at), unix_timestamp(at)",
    "CAST(at AS STRING), date_format(here, 'yyyy')",
    "CAST(at AS TIMESTAMP_NTZ), CAST(here AS TIMESTAMP)",
    "unix_date(CAST(at AS DATE)), unix_date(CAST(here AS DATE))",
    "CAST(day AS TIMESTAMP_NTZ)",
    "CAST(day AS TIMESTAMP)",
    "CAST(at AS BIGINT)",
    "timestampdiff(MONTH, at, TIMESTAMP '2000-01-01 00:00:00'), timestampdiff(DAY, here, TIMESTAMP_NTZ '2000-01-01 00:00:00')",
    "timestampadd(HOUR, -1, at), at - INTERVAL '1' DAY",
    "date_trunc('week', at), date_trunc('hour', here)",
    "day, at, here, day > DATE '2000-01-01', at < TIMESTAMP '2000-01-01 00:00:00'",
]


# One by one: a row that is left to Spark would leave the others to it, too.
@pytest.mark.parametrize("expressions", OTHERS)
@pytest.mark.parametrize("row", ["id = 0", "id = 1", "id > 1"])
def test_sparks_answer_of_each(times: Sides, expressions: str, row: str) -> None:
    assert times.difference(f"SELECT id, {expressions} FROM ends WHERE {row} ORDER BY id") is None


def test_fields_of_any_day_without_a_failure(times: Sides) -> None:
    before = times.fallbacks()
    found = times.same_natively(f"SELECT {', '.join(NEVER_FAIL)} FROM ends ORDER BY id", ordered=True)
    assert found.column(0).to_pylist()[:2] == [5881580, -5877641]
    assert times.fallbacks() == before


def test_extremes_and_groups_of_them(times: Sides) -> None:
    found = times.same_natively(
        "SELECT max(day) AS a, min(day) AS b, max(at) AS c, min(here) AS d, count(DISTINCT day) AS n FROM ends"
    )
    assert found["n"].to_pylist() == [5]
    times.same_natively("SELECT year(day) AS y, count(*) FROM ends GROUP BY y ORDER BY y", ordered=True)
    assert times.difference("SELECT max(unix_micros(at)), min(unix_micros(at)) FROM ends GROUP BY id % 2") is None
