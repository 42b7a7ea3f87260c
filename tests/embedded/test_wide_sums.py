"""Sums and averages of decimals in two longs (jvm: WideSums) are those of exact arithmetic, and fail where Spark's own fail."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal, localcontext

import pyarrow as pa
import pytest

from sqe.errors import SqeError

Sql = Callable[[str], pa.Table]

KINDS = [(3, 3), (9, 2), (15, 2), (16, 0), (18, 0), (18, 18), (19, 2)]


@pytest.fixture(autouse=True)
def exact(sql: Sql) -> Iterator[None]:
    sql("SET native = off")  # the kernel adds up most of them in its own way
    with localcontext() as context:
        context.prec = 100
        yield


def values(seed: int, digits: int, scale: int, count: int) -> list[Decimal | None]:
    """Ends of the range, zeros, nulls, both signs."""
    draw = random.Random(seed)
    largest = 10**digits - 1
    numbers = [draw.choice([None, 0, largest, -largest, 1, -1, draw.randint(-largest, largest)]) for _ in range(count)]
    return [None if number is None else Decimal(number).scaleb(-scale) for number in numbers]


def relation(columns: dict[str, tuple[str, list[Decimal | None]]]) -> str:
    rows = zip(*(numbers for _, numbers in columns.values()), strict=True)
    texts = (
        "(" + ", ".join("NULL" if each is None else f"'{each:f}'" for each in row) + f", {at % 3})" for at, row in enumerate(rows)
    )
    casts = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, (kind, _) in columns.items())
    return f"(SELECT {casts}, g FROM VALUES {', '.join(texts)} AS v({', '.join(columns)}, g))"


def make(sql: Sql, name: str, columns: dict[str, tuple[str, list[Decimal | None]]]) -> None:
    """A table in two files, so that what two tasks have summed up is put together."""
    sql(f"CREATE OR REPLACE TABLE {name} AS SELECT /*+ REPARTITION(2) */ * FROM {relation(columns)}")


def fails_as_sparks(sql: Sql, what: str, source: str) -> None:
    with pytest.raises(SqeError) as ours:
        sql(f"SELECT {what} FROM {source}")
    with pytest.raises(SqeError) as theirs:
        sql(f"SELECT {what} OVER () FROM {source}")
    assert ours.value.code is theirs.value.code


@pytest.mark.parametrize(("digits", "scale"), KINDS)
def test_they_are_exact(sql: Sql, digits: int, scale: int) -> None:
    numbers = values(digits * 100 + scale, digits, scale, 300)
    make(sql, "sums", {"x": (f"DECIMAL({digits}, {scale})", numbers)})
    for g in range(3):
        group = [each for each in numbers[g::3] if each is not None]
        (row,) = sql(f"SELECT sum(x), count(x), sum(x) FILTER (WHERE x > 0) FROM sums WHERE g = {g}").to_pylist()
        assert list(row.values()) == [sum(group), len(group), sum(each for each in group if each > 0)]


@pytest.mark.parametrize(("digits", "scale"), KINDS)
def test_they_are_what_spark_computes_over_a_window(sql: Sql, digits: int, scale: int) -> None:
    """Spark's own sums, which the rule leaves alone."""
    make(sql, "sums", {"x": (f"DECIMAL({digits}, {scale})", values(7, digits, scale, 200))})
    ours = sql("SELECT g, sum(x) AS s, avg(x) AS a, avg(x) FILTER (WHERE g > 5) AS none FROM sums GROUP BY g ORDER BY g")
    theirs = sql(
        "SELECT DISTINCT g, sum(x) OVER (PARTITION BY g) AS s, avg(x) OVER (PARTITION BY g) AS a, CAST(NULL AS "
        f"DECIMAL({digits + 4}, {scale + 4})) AS none FROM sums ORDER BY g"
    )
    assert ours == theirs


@pytest.mark.parametrize(
    ("one", "other"), [((15, 2), (16, 2)), ((18, 0), (18, 18)), ((3, 1), (18, 4)), ((1, 0), (1, 0)), ((18, 9), (19, 2))]
)
def test_products_are_exact(sql: Sql, one: tuple[int, int], other: tuple[int, int]) -> None:
    left, right = values(1, *one, 90), values(2, *other, 90)
    make(sql, "products", {"x": (f"DECIMAL{one}", left), "y": (f"DECIMAL{other}", right)})
    expected = sum(x * y for x, y in zip(left, right, strict=True) if x is not None and y is not None)
    assert sql("SELECT sum(x * y) AS s FROM products")["s"].to_pylist() == [expected]


@pytest.mark.parametrize("scales", [(2, 2, 2), (0, 0, 0), (3, 0, 3)], ids=str)
def test_products_of_three_are_exact(sql: Sql, scales: tuple[int, int, int]) -> None:
    """Some of them within a long, some beyond one, some of 37 digits."""
    kinds = [(digits, scale) for digits, scale in zip((15, 16, 6), scales, strict=True)]
    columns = [values(at, *kind, 120) for at, kind in enumerate(kinds)]
    small = [
        [each and each.scaleb(-8).quantize(Decimal(1).scaleb(-kind[1])) for each in column]
        for column, kind in zip(columns, kinds, strict=True)
    ]
    for numbers in (columns, small):
        make(sql, "triples", {name: (f"DECIMAL{kind}", column) for name, kind, column in zip("xyz", kinds, numbers, strict=True)})
        expected = sum(x * y * z for x, y, z in zip(*numbers, strict=True) if x is not None and y is not None and z is not None)
        assert sql("SELECT sum(x * y * z) AS s FROM triples")["s"].to_pylist() == [expected]


def test_a_product_that_is_too_long_fails_as_sparks_does(sql: Sql) -> None:
    largest = f"CAST({'9' * 17} AS DECIMAL(17, 0))"
    source = f"(SELECT {largest} AS x FROM range(3))"
    fails_as_sparks(sql, "sum(x * x * x)", source)


def test_sums_over_nothing_are_null(sql: Sql) -> None:
    make(sql, "nulls", {"x": ("DECIMAL(15, 2)", [None, None, None, Decimal("1.50")])})
    assert sql("SELECT sum(x) AS s, avg(x) AS a, sum(x * x) AS p FROM nulls WHERE g = 1").to_pylist() == [
        {"s": None, "a": None, "p": None}
    ]
    assert sql("SELECT sum(x) AS s FROM nulls WHERE g = 9")["s"].to_pylist() == [None]
    assert sql("SELECT sum(x) AS s FROM nulls WHERE g = 9 GROUP BY g")["s"].to_pylist() == []
    assert sql("SELECT g, sum(x) AS s FROM nulls GROUP BY ROLLUP (g) ORDER BY g NULLS LAST")["s"].to_pylist() == [
        Decimal("1.50"),
        None,
        None,
        Decimal("1.50"),
    ]


def test_other_ways_to_sum_are_as_before(sql: Sql) -> None:
    make(sql, "others", {"x": ("DECIMAL(15, 2)", [Decimal(each) for each in ("2.50", "2.50", "1.25", "2.50")])})
    (row,) = sql(
        "SELECT sum(DISTINCT x) AS d, avg(DISTINCT x) AS m, sum(x) AS s, try_sum(x) AS t, sum(g) AS i FROM others"
    ).to_pylist()
    assert row == {"d": Decimal("3.75"), "m": Decimal("1.875000"), "s": Decimal("8.75"), "t": Decimal("8.75"), "i": 3}


@pytest.mark.parametrize("rows", [102, 300], ids=["beyond the decimal", "beyond 128 bits"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_a_sum_that_is_too_long_fails_as_sparks_does(sql: Sql, rows: int, sign: str) -> None:
    largest = f"CAST({'9' * 18} AS DECIMAL(18, 0))"
    source = f"(SELECT {sign}{largest} AS x, {largest} AS y FROM range({rows}))"
    fails_as_sparks(sql, "sum(x * y)", source)


@pytest.mark.parametrize(
    ("what", "ours"),
    [
        ("sum(x)", True),
        ("avg(x)", True),
        ("sum(x * x)", True),
        ("sum(x * (1 - x) * (1 + x))", True),
        ("sum(CAST(x AS DECIMAL(16, 9)) * x * CAST(x AS DECIMAL(18, 9)))", False),
        ("sum(CAST(x AS DECIMAL(19, 2)))", False),
        ("avg(CAST(x AS DECIMAL(19, 2)))", False),
        ("try_sum(x)", False),
        ("sum(try_multiply(x * x, x))", False),
        ("sum(x * CAST(rand() AS DECIMAL(5, 4)))", False),
        ("avg(CAST(rand() * 100 - 50 AS DECIMAL(15, 2)))", False),
        ("sum(DISTINCT x)", False),
        ("sum(CAST(x AS DECIMAL(18, 2)) * CAST(x AS DECIMAL(19, 2)))", False),
    ],
)
def test_the_rule_is_what_was_tested(sql: Sql, what: str, ours: bool) -> None:
    make(sql, "plans", {"x": ("DECIMAL(15, 2)", [Decimal(1)])})
    plan = "\n".join(sql(f"EXPLAIN SELECT {what} FROM plans")["plan"].to_pylist())
    assert ("wide_sum" in plan) is ours, plan


def test_what_the_native_kernel_leaves_to_spark_has_them_too(sql: Sql) -> None:
    numbers = values(5, 15, 2, 300)
    make(sql, "leftover", {"x": ("DECIMAL(15, 2)", numbers)})
    sql("SET native = auto")
    plan = sql("EXPLAIN SELECT sum(x) FROM leftover")["plan"][0].as_py()
    assert "wide_sum" not in plan
    assert "the whole query" in plan
    # Adaptive execution plans the aggregate anew when the shuffles below have run; the kernel does not know the third function.
    groups = "(SELECT DISTINCT g FROM leftover) b"
    results = "sum(x) AS s, avg(x) AS m, approx_count_distinct(a.g) AS n"
    query = f"SELECT /*+ MERGE(b) */ {results} FROM leftover a JOIN {groups} ON a.g = b.g"
    assert "wide_sum" in sql(f"EXPLAIN {query}")["plan"][0].as_py()
    found = [each for each in numbers if each is not None]
    (row,) = sql(query).to_pylist()
    assert (row["s"], row["m"]) == (sum(found), (sum(found) / len(found)).quantize(Decimal("1.000000"), ROUND_HALF_UP))
