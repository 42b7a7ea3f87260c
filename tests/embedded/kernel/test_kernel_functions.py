"""Functions that dashboards use, in the native kernel: Spark's own answers, or left to it (docs/native.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sides import Sides

Explain = Callable[[str], str]

VALUES = """CREATE TABLE calls AS SELECT * FROM VALUES
    (1, CAST(5 AS BIGINT), 'a,b,,c', CAST(7.25 AS DECIMAL(10,2)), CAST(1.5 AS DOUBLE), true, DATE '2024-02-29',
        TIMESTAMP '2024-02-29 23:59:59.999999', TIMESTAMP_NTZ '2024-01-31 13:05:09.5', 'a', CAST(1 AS TINYINT)),
    (2, -5, 'ä🙂,', -7.25, -2.5, false, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:58.25',
        TIMESTAMP_NTZ '1900-02-28 00:00:00', 'ä', -128),
    (3, 4611686018427387904, '', 0.00, CAST('NaN' AS DOUBLE), NULL, DATE '9999-12-31', TIMESTAMP '9999-12-31 00:00:00',
        TIMESTAMP_NTZ '2016-12-31 23:59:59', '', 127),
    (4, NULL, NULL, NULL, NULL, true, NULL, NULL, NULL, NULL, NULL),
    (5, 0, 'x' || repeat('é', 40) || ',y%_\\\\z', -99999999.99, -0.0, false, DATE '0001-01-01', TIMESTAMP '0001-01-01 00:00:00',
        TIMESTAMP_NTZ '2000-01-01 12:00:00.000001', ',', 3),
    (2, 7, ',', 0.01, 8999999999999999.5, true, DATE '2020-12-31', TIMESTAMP '1970-01-01 00:00:00', NULL, 'b', 0),
    (2, 9, 'b', 0.50, 0.3, true, DATE '2021-01-03', TIMESTAMP '2021-01-03 11:59:59', NULL, 'c', 7),
    (7, -1, 'A b', 2.50, 1e-5, true, DATE '2021-01-04', TIMESTAMP '2021-01-04 00:30:00.1', NULL, 'A', -7)
    AS t(i, l, s, d, x, b, day, at, here, u, t)"""

ROWS = [
    # Text.
    "concat_ws('-', s, u), concat_ws('', s, CAST(i AS STRING)), concat_ws(',', u, u, u)",
    "split_part(s, ',', 1), split_part(s, ',', 2), split_part(s, ',', -1), split_part(s, ',', 9), split_part(s, 'b,', 2)",
    "split(s, ','), split(s, ',')[0], size(split(s, 'b')), split(s, '\\\\%')",
    "lpad(s, 5, '*'), rpad(s, 5, 'ä🙂'), lpad(s, 0, 'x'), rpad(s, -1, 'x'), lpad(u, 3), rpad(s, 50, 'ab')",
    "substring(s, i, 2), substring(s, -i, i), substr(s, CAST(l % 7 AS INT)), substring(s, CAST(t AS INT), 3), "
    "left(s, i), right(s, i)",
    "substring_index(s, ',', 1), substring_index(s, ',', 2), substring_index(s, ',', -1), substring_index(s, ',', 9), "
    "substring_index(s, ',', -2)",
    "locate('b', s), instr(s, 'é'), position('c' IN s)",
    "startswith(s, u), endswith(s, u), contains(s, u), s LIKE '%\\\\_%', s LIKE '%y\\\\%\\\\_\\\\\\\\z', "
    "s LIKE 'a/,%' ESCAPE 'b'",
    "s LIKE '%!%!_%' ESCAPE '!', s NOT LIKE '\\\\%%', u LIKE '\\\\\\\\'",
    "repeat(u, 3), repeat(u, 0), repeat(u, -1), octet_length(s), char_length(s), md5(s), sha2(s, 256), sha1(u)",
    "coalesce(u, s, 'none'), nullif(u, 'a'), nvl2(u, s, 'no'), greatest(u, s, 'b'), least(s, u)",
    # Numbers.
    "floor(d), ceil(d), ceiling(-d), round(d, 1), round(d), round(i, 2), floor(d * 1.111), floor(CAST(d AS DECIMAL(38,10)))",
    "i ^ t, ~i, ~l, ~t, l ^ 7, if(d > 0, 1, 0)",
    "d % 3, d % -0.07, l % 7.5, x % 0.7, -x % 2, x % 1e300, mod(i, 3), sign(x), sign(-d), signum(i)",
    "translate(s, 'ab,', 'xä'), translate(s, 'é🙂', '🙂'), translate(s, ',', '')",
    "from_unixtime(i), from_unixtime(i * 86400, 'yyyy/MM/dd'), make_date(2000 + i, i, 28), date_from_unix_date(i * 1000)",
    "sqrt(x), isnan(x), try_divide(x, i - 2), CAST(b AS INT), CAST(i AS BOOLEAN), CAST(t - 3 AS BOOLEAN), CAST(b AS BIGINT)",
    # Days and times.
    "weekday(day), extract(DOW FROM day), extract(DOW_ISO FROM day), extract(YEAROFWEEK FROM day), extract(WEEK FROM day)",
    "extract(HOUR FROM at), extract(MINUTE FROM at), extract(SECOND FROM at), extract(SECOND FROM here), "
    "date_part('second', here)",
    "date_trunc('hour', at), date_trunc('month', here), date_trunc('quarter', at), trunc(day, 'month')",
    "date_format(at, 'yyyy-MM'), date_format(day, 'dd/MM/yyyy'), date_format(here, 'HH:mm:ss'), date_format(at, 'yyyyMMdd hh a')",
    "date_format(day, 'MMM'), date_format(day, 'EEEE, MMMM dd'), date_format(at, 'E'), dayname(day), monthname(day)",
    "at + INTERVAL '1' DAY, at - INTERVAL '25:30' HOUR TO MINUTE, here + INTERVAL '2' MONTH, here - INTERVAL '1' YEAR, "
    "at + INTERVAL '0.5' SECOND",
    "timestampadd(DAY, i, here), timestampadd(HOUR, -i, at), timestampadd(MONTH, i, here), timestampadd(YEAR, -1, here), "
    "timestampadd(QUARTER, 1, here), timestampadd(WEEK, i, here)",
    "timestampdiff(DAY, at, TIMESTAMP '2000-01-01 12:00:00'), timestampdiff(HOUR, here, TIMESTAMP_NTZ '2000-01-01 00:00:00'), "
    "timestampdiff(WEEK, at, TIMESTAMP '2000-01-01 12:00:00'), timestampdiff(SECOND, TIMESTAMP '1970-01-01 00:00:00', at)",
    "timestampdiff(MONTH, here, at), timestampdiff(MONTH, at, here), timestampdiff(YEAR, at, here), "
    "timestampdiff(QUARTER, here, at), timestampdiff(MONTH, here, here + INTERVAL '1' MONTH)",
    "unix_timestamp(at), unix_seconds(at), unix_micros(at), CAST(at AS BIGINT), to_unix_timestamp(at), unix_date(day)",
    "timestamp_seconds(i), timestamp_millis(i), timestamp_micros(l), CAST(CAST(i AS BIGINT) AS TIMESTAMP)",
    "CAST(at AS STRING), CAST(here AS STRING), CAST(day AS STRING), at || '!'",
    "day + 1, day - 1, datediff(day, DATE '2000-01-01'), day + INTERVAL '1' DAY, day - INTERVAL '3' MONTH, "
    "to_date('2024-01-01') < day",
]

NATIVE = [
    *(f"SELECT i, {items} FROM calls ORDER BY i, l" for items in ROWS if "reverse" not in items),
    "SELECT initcap(u), initcap(concat('heLLO  wORLD-x ', u)), to_date(concat('2024022', i), 'yyyyMMdd'), "
    "to_timestamp(concat('29.02.2024 10:11:1', i), 'dd.MM.yyyy HH:mm:ss'), to_timestamp(CAST(day AS STRING), 'yyyy-MM-dd') "
    "FROM calls WHERE u < 'z' ORDER BY i, l",
    "SELECT floor(x), ceil(x), reverse(u) FROM calls WHERE x < 1000 AND u < 'z' ORDER BY i, l",
    "SELECT round(x, 2), round(x), round(x * 0.09, 3), round(-x / 3, 4), round(i / 7, 2), CAST(x AS DECIMAL(10,1)), "
    "CAST(i / 3 AS DECIMAL(20,5)) FROM calls WHERE x < 1000 ORDER BY i, l",
    "SELECT round(avg(i), 2), CAST(avg(l) AS DECIMAL(10,2)), max(x), min(x) FROM calls WHERE l < 100 GROUP BY b",
    "SELECT i, max(x) OVER (PARTITION BY b), min(-x) OVER (ORDER BY i, l), avg(l) OVER (PARTITION BY b) FROM calls WHERE l < 99 "
    "ORDER BY i, l",
    "SELECT bit_and(i), bit_or(l), bit_xor(t), bool_and(b), bool_or(b), every(i > 0), count_if(b), any(i > 6) FROM calls",
    "SELECT b, bit_and(i), bit_xor(l), count_if(i > 1), bool_and(i > 1) FROM calls GROUP BY b",
    "SELECT median(i), median(d), median(l), median(t), percentile(i, 0.9), percentile(d, 0.25), percentile(l, 1.0) FROM calls",
    "SELECT b, median(d), percentile(d, 0.95), percentile(i, 0.333), percentile(i, 0.1) FILTER (WHERE i > 1) "
    "FROM calls GROUP BY b",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i), median(d) FILTER (WHERE i > 99) FROM calls",
    "SELECT b, listagg(u, ',') WITHIN GROUP (ORDER BY u), listagg(DISTINCT u) WITHIN GROUP (ORDER BY u DESC), "
    "string_agg(u, '') WITHIN GROUP (ORDER BY u) FROM calls GROUP BY b",
    "SELECT i, l, first_value(d) OVER w, last_value(s) OVER w, nth_value(l, 2) OVER w FROM calls "
    "WINDOW w AS (PARTITION BY b ORDER BY i, l) ORDER BY i, l",
    "SELECT i, l, first_value(u) IGNORE NULLS OVER w, last_value(u) IGNORE NULLS OVER w, nth_value(u, 2) IGNORE NULLS OVER w, "
    "any_value(x) OVER w FROM calls WINDOW w AS (ORDER BY i DESC, l ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) ORDER BY i, l",
    "SELECT i, l, ntile(3) OVER w, percent_rank() OVER w, cume_dist() OVER w, lag(u, 2, 'none') OVER w, "
    "median(i) OVER (PARTITION BY b) FROM calls WINDOW w AS (PARTITION BY b ORDER BY i, l) ORDER BY i, l",
    "SELECT b, grouping(b), i, grouping_id(), sum(d) FROM calls GROUP BY GROUPING SETS ((b), (b, i), ())",
    "SELECT date_trunc('month', at) AS m, count(*), sum(d) FROM calls GROUP BY 1 ORDER BY 1",
]

REFUSED = {
    "SELECT round(x, -1), i FROM calls ORDER BY i": "function round",
    "SELECT exp(x), i FROM calls ORDER BY i": "function EXP",
    "SELECT stddev(d) FROM calls": "aggregate stddev of type double",
    "SELECT approx_count_distinct(i) FROM calls": "aggregate approx_count_distinct of type integer",
    "SELECT max_by(i, d) FROM calls": "aggregate max_by of type integer",
    "SELECT b, first_value(i) FROM calls GROUP BY b": "aggregate first_value of type integer",
    "SELECT b, listagg(s, ',') FROM calls GROUP BY b": "aggregate listagg of type string",
    "SELECT b, listagg(u, ',') WITHIN GROUP (ORDER BY i) FROM calls GROUP BY b": "aggregate listagg of type string",
    "SELECT percentile(x, 0.5) FROM calls": "percentile of type double",
    "SELECT i, first_value(d) OVER (PARTITION BY b) FROM calls ORDER BY i": "aggregate first_value of type decimal",
    "SELECT date_format(at, 'yyyy-MM-dd HH:mm:ss.SSS'), i FROM calls ORDER BY i": "date_format with another pattern",
    "SELECT split(s, '[,b]+'), i FROM calls ORDER BY i": "split by a regular expression",
    "SELECT translate(s, 'aa', 'xy'), i FROM calls ORDER BY i": "function translate",
    "SELECT to_date(s, 'yyyy'), i FROM calls WHERE i = 4 ORDER BY i": "time without a day in another pattern",
    "SELECT to_timestamp(s, 'yyyy-MM-dd hh a'), i FROM calls WHERE i = 4 ORDER BY i": "time in another pattern",
    "SELECT CAST(x AS STRING), i FROM calls ORDER BY i": "cast from double to string",
    "SELECT CAST(x AS DECIMAL(38,20)), i FROM calls WHERE x < 9 ORDER BY i": "cast from double to decimal",
    "SELECT sum(x) FROM calls": "aggregate sum of type double",
}


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def calls(sides: Sides, made: set[str]) -> Sides:
    if not made:
        sides.run(VALUES)
        made.add("calls")
    return sides


@pytest.mark.parametrize("query", NATIVE)
def test_a_native_answer_is_sparks(calls: Sides, query: str) -> None:
    before = calls.fallbacks()
    calls.same_natively(query, ordered="ORDER BY i" in query.rpartition(")")[2])
    assert calls.fallbacks() == before, "it ran on Spark in the end"


@pytest.mark.parametrize(("query", "reason"), REFUSED.items(), ids=list(REFUSED))
def test_what_might_differ_is_left_to_spark(calls: Sides, explain: Explain, query: str, reason: str) -> None:
    assert calls.difference(query) is None
    assert f": {reason}" in explain(query).split("== Native ==")[1]


# Each is answered by Spark in the end: numbers, letters and years that the kernel would treat in its own way.
UNSURE = [
    "SELECT floor(x), i FROM calls ORDER BY i, l",
    "SELECT round(x, 2), i FROM calls ORDER BY i, l",
    "SELECT avg(l) FROM calls",
    "SELECT min(x * 0) FROM calls WHERE x < 9",
    "SELECT ceil(x * 1e300), i FROM calls WHERE x > 1 ORDER BY i, l",
    "SELECT reverse(s), i FROM calls ORDER BY i, l",
    "SELECT initcap(s), i FROM calls ORDER BY i, l",
    "SELECT from_unixtime(l * 100000000000), i FROM calls WHERE i = 1 ORDER BY i, l",
    "SELECT date_format(at + INTERVAL '365' DAY, 'yyyy'), i FROM calls ORDER BY i, l",
    "SELECT CAST(at + INTERVAL '365' DAY AS STRING), i FROM calls ORDER BY i, l",
]


@pytest.mark.parametrize("query", UNSURE)
def test_what_the_kernel_is_not_sure_of_is_answered_by_spark(calls: Sides, query: str) -> None:
    before = calls.fallbacks()
    assert calls.difference(query, ordered=True) is None
    assert calls.fallbacks() == before + 1


def test_times_of_day_in_another_zone_are_sparks(calls: Sides, explain: Explain) -> None:
    calls.run("SET TIME ZONE 'Europe/Berlin'")
    try:
        for items in ("at + INTERVAL '1' DAY", "date_format(at, 'yyyy')", "CAST(at AS STRING)", "timestampdiff(DAY, at, at)"):
            query = f"SELECT i, {items} FROM calls ORDER BY i, l"
            assert calls.difference(query, ordered=True) is None
            assert "time zone other than UTC" in explain(query), items
        calls.same_natively(
            "SELECT i, unix_seconds(at), CAST(here AS STRING), here + INTERVAL '1' DAY FROM calls ORDER BY i, l", ordered=True
        )
    finally:
        calls.run("SET TIME ZONE 'UTC'")
