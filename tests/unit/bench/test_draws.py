"""Random numbers by position, and the columns that are made of them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from sqe.bench.suites.columns import chosen, digits, joined, letters, nulls_where, phrases, table
from sqe.bench.suites.draws import Draw, FanOut, scattered, splitmix64

ROWS = np.arange(100_000, dtype=np.int64)


def test_the_sequence_is_the_published_one() -> None:
    """Of seed 1234567, as implementations in other languages print it."""
    first = splitmix64(np.uint64(1_234_567), np.arange(1, 6))
    assert first.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_a_row_has_its_number_whatever_is_asked_with_it() -> None:
    draw = Draw("a column")
    assert (draw.bits(ROWS)[::-7] == draw.bits(ROWS[::-7])).all()
    assert (draw.bits(ROWS) != Draw("another column").bits(ROWS)).all()


def test_numbers_below_a_limit_are_even() -> None:
    counts = np.bincount(Draw("even").below(ROWS, 10), minlength=10)
    assert counts.sum() == len(ROWS)
    assert np.abs(counts - 10_000).max() < 5 * np.sqrt(9_000)


def test_a_range_has_both_its_ends() -> None:
    drawn = Draw("range").between(ROWS, -3, 3)
    assert set(drawn.tolist()) == {-3, -2, -1, 0, 1, 2, 3}


def test_shares_and_weights_are_kept() -> None:
    assert abs(Draw("share").share(ROWS, 0.63).mean() - 0.0063) < 0.0013
    weighted = np.bincount(Draw("weights").weighted(ROWS, (70, 20, 10))) / len(ROWS)
    assert weighted == pytest.approx([0.7, 0.2, 0.1], abs=0.008)


def test_skewed_numbers_follow_zipf() -> None:
    counts = np.bincount(Draw("skew").skewed(ROWS, 1_000), minlength=1_000)
    harmonic = sum(1 / n for n in range(1, 1_001))
    assert [counts[n] / len(ROWS) for n in (0, 1, 9)] == pytest.approx(
        [1 / harmonic, 1 / harmonic / 2, 1 / harmonic / 10], rel=0.06
    )
    assert len(counts) == 1_000


@pytest.mark.parametrize("count", [1, 2, 3, 30, 250, 3_000, 99_991])
def test_scattered_numbers_are_each_met_once(count: int) -> None:
    assert sorted(scattered(np.arange(count), count).tolist()) == list(range(count))


@pytest.mark.parametrize(("low", "high"), [(1, 7), (5, 15), (1, 1), (1, 19)])
def test_lines_and_their_parents_agree(low: int, high: int) -> None:
    fan_out = FanOut(f"{low} to {high}", low, high)
    parents = np.arange(1_000)
    sizes, first = fan_out.sizes(parents), fan_out.first(parents)
    assert set(sizes.tolist()) == set(range(low, high + 1))
    assert (first == np.cumsum(sizes) - sizes).all()
    for count in (1, 2, 11, 12, 999, 1_000):
        assert fan_out.lines(count) == sizes[:count].sum()
    of, number = fan_out.of(np.arange(fan_out.lines(1_000)))
    assert (of == np.repeat(parents, sizes)).all()
    assert (number == np.concatenate([np.arange(size) for size in sizes])).all()


def test_columns_become_the_types_of_their_table() -> None:
    types = {
        "cents": pa.decimal128(9, 2),
        "day": pa.date32(),
        "time": pa.timestamp("us"),
        "maybe": pa.decimal128(9, 2),
        "n": pa.int32(),
    }
    made = table(
        "t",
        types,
        lambda _: 3,
        lambda _, rows: {
            "cents": np.array([-1, 0, 12_345])[rows],
            "day": np.array([0, 1, 365])[rows],
            "time": np.array([0, 1_000_000, -1])[rows],
            "maybe": nulls_where(rows * 100, rows == 1),
            "n": rows,
        },
        block=2,
    )
    batches = list(made.batches(1))
    assert [batch.num_rows for batch in batches] == [2, 1]
    assert pa.Table.from_batches(batches).to_pydict() == {
        "cents": [Decimal("-0.01"), Decimal("0.00"), Decimal("123.45")],
        "day": [date(1970, 1, 1), date(1970, 1, 2), date(1971, 1, 1)],
        "time": [datetime(1970, 1, 1), datetime(1970, 1, 1, 0, 0, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999)],
        "maybe": [Decimal("0.00"), None, Decimal("2.00")],
        "n": [0, 1, 2],
    }


def test_texts_have_their_lengths_and_words() -> None:
    texts = letters(Draw("letters"), ROWS[:2_000], 3, 20)
    lengths = {len(text) for text in texts.to_pylist()}
    assert lengths == set(range(3, 21))
    assert len(set(texts.to_pylist())) > 1_990
    assert joined("x-", digits(np.array([7, 123]), 3), chosen(("a", "b"), np.array([1, 0]))).to_pylist() == ["x-007b", "x-123a"]
    assert all(len(text.split(" ")) == 4 for text in phrases(Draw("words"), ROWS[:100], ("one", "two"), 4).to_pylist())
