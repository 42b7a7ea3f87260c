"""ClickBench's data: the shape and the skew of the original, as far as its questions depend on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from suite_data import SMALL, generated, in_duckdb, one

from sqe.bench.suites.clickbench import SUITE

[HITS] = SUITE.tables
SCALE = 0.1  # of a hundred thousand rows the shares can be told


@pytest.fixture(scope="module")
def hits() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = in_duckdb(SUITE, SCALE)
    yield connection
    connection.close()


def test_the_table_has_the_columns_and_at_scale_100_the_rows_of_the_original() -> None:
    assert len(HITS.schema) == 105
    assert HITS.rows(100) == 99_997_497
    assert Counter(str(field.type) for field in HITS.schema) == {
        "int32": 67,
        "string": 28,
        "int64": 6,
        "timestamp[us]": 3,
        "date32[day]": 1,
    }


# What the original's own hundred million rows have, told by anybody who counted them.
@pytest.mark.parametrize(
    ("share", "low", "high"),
    [
        ("SearchPhrase <> ''", 0.12, 0.15),
        ("AdvEngineID <> 0", 0.005, 0.008),
        ("MobilePhoneModel <> ''", 0.04, 0.09),
        ("Referer = ''", 0.17, 0.21),
        ("CounterID = 62", 0.006, 0.009),
        ("URL LIKE '%google%'", 0.002, 0.004),  # more than there, so that small scales have some
        ("IsRefresh = 1", 0.1, 0.14),
        ("DontCountHits = 1", 0.03, 0.05),
    ],
)
def test_values_are_as_frequent_as_in_the_original(hits: duckdb.DuckDBPyConnection, share: str, low: float, high: float) -> None:
    assert low <= one(hits, f"SELECT avg(({share})::INT) FROM hits") <= high


@pytest.mark.parametrize(
    ("column", "low", "high"), [("UserID", 0.16, 0.19), ("URL", 0.14, 0.5), ("SearchPhrase", 0.02, 0.07), ("WatchID", 1, 1)]
)
def test_columns_have_as_many_different_values(hits: duckdb.DuckDBPyConnection, column: str, low: float, high: float) -> None:
    assert low <= one(hits, f"SELECT count(DISTINCT {column}) / count(*) FROM hits") <= high


def test_a_few_sites_regions_and_people_have_most_hits(hits: duckdb.DuckDBPyConnection) -> None:
    def first(column: str) -> float:
        return float(one(hits, f"SELECT max(n) / sum(n) FROM (SELECT count(*) AS n FROM hits GROUP BY {column})"))

    assert 0.08 < first("CounterID") < 0.13
    assert 0.08 < first("RegionID") < 0.2
    assert 0.002 < first("UserID") < 0.02
    assert one(hits, "SELECT count(DISTINCT CounterID) FROM hits") > 4_000


def test_a_user_has_one_region_one_screen_and_one_address(hits: duckdb.DuckDBPyConnection) -> None:
    for column in ("RegionID", "ResolutionWidth", "ClientIP", "MobilePhoneModel"):
        assert one(hits, f"SELECT max(n) FROM (SELECT count(DISTINCT {column}) AS n FROM hits GROUP BY UserID)") == 1


def test_hashes_stand_for_their_addresses(hits: duckdb.DuckDBPyConnection) -> None:
    for column in ("URL", "Referer"):
        assert one(hits, f"SELECT max(n) FROM (SELECT count(DISTINCT {column}) AS n FROM hits GROUP BY {column}Hash)") == 1


def test_dates_are_those_of_their_times(hits: duckdb.DuckDBPyConnection) -> None:
    assert one(hits, "SELECT count(*) FROM hits WHERE EventTime::DATE <> EventDate") == 0
    assert hits.execute("SELECT min(EventDate)::VARCHAR, max(EventDate)::VARCHAR FROM hits").fetchall() == [
        ("2013-07-02", "2013-07-31")
    ]


def test_the_most_frequent_phrases_worked_out_by_hand() -> None:
    phrases = generated(HITS)["SearchPhrase"]
    counted = Counter(phrases.filter(pc.not_equal(phrases, "")).to_pylist())
    expected = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:10]
    assert _answer("q13") == expected


def test_a_sum_of_ninety_sums_worked_out_by_hand() -> None:
    widths = generated(HITS)["ResolutionWidth"].to_numpy().astype(np.int64)
    assert _answer("q30") == [tuple(int((widths + more).sum()) for more in range(90))]


def test_hosts_of_referers_worked_out_by_hand() -> None:
    hosts: dict[str, list[int]] = {}
    for referer in generated(HITS)["Referer"].to_pylist():
        if referer:
            hosts.setdefault(referer.split("/")[2].removeprefix("www."), []).append(len(referer))
    large = {host: sum(lengths) / len(lengths) for host, lengths in hosts.items() if len(lengths) > 10}
    expected = sorted(large.items(), key=lambda item: (-item[1], item[0]))[:25]
    assert [row[:2] for row in _answer("q29")] == expected


def _answer(name: str) -> list[tuple[object, ...]]:
    [query] = [query for query in SUITE.queries(SMALL) if query.name == name]
    hits: pa.Table = generated(HITS)
    with duckdb.connect() as connection:
        connection.register("hits", hits)
        return connection.execute(dict(query.dialects).get("duckdb", query.sql)).fetchall()
