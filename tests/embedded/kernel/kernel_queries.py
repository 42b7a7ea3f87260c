"""Random tables of awkward values and random queries over what the native kernel knows. The same seed gives the same of both."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa

_TEXTS = [
    "",
    "a",
    "A",
    "ab",
    " a ",
    "ä",
    "ß",
    "Straße",
    "日本語",
    "a%b",
    "a_b",
    "x\ny",
    "🙂",
    "e\u0301",
    "\u00e9",
    "zz",
    "\\",
    "'",
    "NULL",
    "%",
]
_DAYS = [
    date(1, 1, 1),
    date(1582, 10, 4),
    date(1582, 10, 15),
    date(1900, 2, 28),
    date(1969, 12, 31),
    date(1970, 1, 1),
    date(2000, 2, 29),
    date(2024, 2, 29),
    date(2024, 12, 31),
    date(9999, 12, 31),
]
_DOUBLES = [0.0, -0.0, 1.5, -2.25, 1e300, -1e300, 5e-324, 0.1, 1 / 3, float("nan"), float("inf"), float("-inf"), 2.0**53]
_LONGS = [0, 1, -1, 7, -7, 10, 1000, 2**31, -(2**31) - 1, 2**53, 2**63 - 1, -(2**63), 2**62]

# Name, type, and how a value is drawn.
_COLUMNS: list[tuple[str, pa.DataType]] = [
    ("t", pa.int8()),
    ("h", pa.int16()),
    ("i", pa.int32()),
    ("l", pa.int64()),
    ("d", pa.decimal128(7, 2)),
    ("e", pa.decimal128(15, 4)),
    ("w", pa.decimal128(38, 10)),
    ("x", pa.float64()),
    ("g", pa.float32()),
    ("s", pa.string()),
    ("u", pa.string()),
    ("b", pa.bool_()),
    ("day", pa.date32()),
    ("at", pa.timestamp("us", tz="UTC")),
    ("here", pa.timestamp("us")),
]
_PATTERNS = ["a", "[a-z]+", "(a|ab)", "a?b*?", "[^a]", "..$", ".*", "(?:S|a)(t|%)?", "[ä]"]
# Text that spells numbers and days, mostly plainly.
_SPELLED = {
    "n": ["0", "7", "-12", "+3", "0.5", "-0.125", "12345.678", "007", "99999", "-0", "1.50", *["1"] * 9],
    "m": ["0", "7", "-12", "+3", "127", "-128", "0099", "32768", "2147483648", *["5"] * 30],
    "v": [f"{day:%Y-%m-%d}".rjust(10, "0") for day in _DAYS] * 4 + ["2023-02-30", "2024-1-5", " 2024-01-05"],
}


def table(seed: int, rows: int) -> pa.Table:
    draw = random.Random(seed)
    columns = {name: pa.array([_value(draw, kind) for _ in range(rows)], kind) for name, kind in _COLUMNS}
    for name, words in _SPELLED.items():
        columns[name] = pa.array([None if draw.random() < 0.1 else draw.choice(words) for _ in range(rows)], pa.string())
    return pa.table(columns)


def _value(draw: random.Random, kind: pa.DataType) -> object:
    if draw.random() < 0.12:
        return None
    if pa.types.is_integer(kind):
        bits = kind.bit_width
        edge = draw.choice(
            [2 ** (bits - 1) - 1, -(2 ** (bits - 1)), *[n for n in _LONGS if -(2 ** (bits - 1)) <= n < 2 ** (bits - 1)]]
        )
        return edge if draw.random() < 0.15 else draw.randint(-9, 9)
    if pa.types.is_decimal(kind):
        largest = 10**kind.precision - 1
        whole = draw.choice([largest, -largest, 1, -1, 5, -5, 50, 0]) if draw.random() < 0.2 else draw.randint(-2000, 2000)
        return Decimal(f"{whole}e-{kind.scale}")  # exact: arithmetic would round to 28 digits
    if pa.types.is_floating(kind):
        value = draw.choice(_DOUBLES)
        return value if kind == pa.float64() else (0.5 if abs(value) > 1e38 else value)
    if pa.types.is_string(kind):
        return draw.choice(_TEXTS)
    if pa.types.is_boolean(kind):
        return draw.random() < 0.5
    if pa.types.is_date(kind):
        return draw.choice(_DAYS)
    day = draw.choice(_DAYS)
    moment = datetime(
        day.year,
        day.month,
        day.day,
        draw.choice([0, 12, 23]),
        draw.choice([0, 59]),
        draw.choice([0, 59]),
        draw.choice([0, 999999]),
    )
    return moment if kind.tz is None else moment.replace(tzinfo=UTC)


class Queries:
    """Random queries over `r1` and `r2`, which have the columns above and a key `k`."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._alias = ""

    def next(self) -> tuple[str, bool]:
        """A query, and whether its rows are in one order only."""
        make = self._draw.choice(
            [
                self._rows,
                self._rows,
                self._groups,
                self._groups,
                self._join,
                self._join,
                self._top,
                self._whole,
                self._union,
                self._exists,
                self._compared,
                self._window,
                self._window,
                self._rollup,
            ]
        )
        return make()

    def _rows(self) -> tuple[str, bool]:
        self._alias = ""
        items = ", ".join(f"{self._any(2)} AS v{n}" for n in range(self._draw.randint(1, 4)))
        return f"SELECT k, {items} FROM r1{self._where()} ORDER BY k", True

    def _top(self) -> tuple[str, bool]:
        self._alias = ""
        keys = [self._any(1) + self._draw.choice(["", " DESC", " NULLS LAST", " DESC NULLS FIRST"]) for _ in range(2)]
        skipped = self._draw.choice(["", " OFFSET 3"])
        return (
            f"SELECT k, {self._any(1)} AS v FROM r1{self._where()} ORDER BY {', '.join(keys)}, k "
            f"LIMIT {self._draw.randint(0, 9)}{skipped}",
            True,
        )

    def _groups(self) -> tuple[str, bool]:
        self._alias = ""
        keys = [self._any(1) for _ in range(self._draw.randint(1, 2))]
        found = [f"{self._aggregate()} AS a{n}" for n in range(self._draw.randint(1, 3))]
        having = self._draw.choice(["", "", f" HAVING count(*) > {self._draw.randint(0, 3)}"])
        names = ", ".join(f"{key} AS g{n}" for n, key in enumerate(keys))
        return f"SELECT {names}, {', '.join(found)} FROM r1{self._where()} GROUP BY {', '.join(keys)}{having}", False

    def _whole(self) -> tuple[str, bool]:
        self._alias = ""
        return f"SELECT {', '.join(f'{self._aggregate()} AS a{n}' for n in range(3))} FROM r1{self._where()}", False

    def _join(self) -> tuple[str, bool]:
        kind = self._draw.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        column = self._draw.choice(["i", "s", "d", "day", "b", "t", "x", "at"])
        self._alias = "p."
        more = self._draw.choice(["", f" AND {self._total(1)}", f" AND {self._both(1)}"])
        items = f"p.k AS pk, q.k AS qk, {self._any(1)} AS v, q.{self._draw.choice('ildsuxb')} AS w"
        return f"SELECT {items} FROM r1 p {kind} r2 q ON p.{column} = q.{column}{more} ORDER BY p.k, q.k, v, w", False

    def _window(self) -> tuple[str, bool]:
        self._alias = ""
        by = self._draw.choice(["", f"PARTITION BY {self._column('i', 's', 'b', 'day', 'x')} "])
        order = f"ORDER BY {self._column('d', 's', 'day', 'x', 'at')}{self._draw.choice(['', ' DESC', ' NULLS LAST'])}, k"
        frame = self._draw.choice(
            [
                "",
                " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
                " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
                " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            ]
        )
        ranked = self._draw.choice(
            [
                "row_number()",
                "rank()",
                "dense_rank()",
                "ntile(3)",
                "percent_rank()",
                "cume_dist()",
                "lag(d, 2)",
                "lead(s, 1, 'none')",
                "lag(x)",
            ]
        )
        summed = self._draw.choice(["sum(d)", "count(*)", "max(s)", "avg(e)", "min(day)", "sum(h)", "count(x)"])
        items = f"{ranked} OVER ({by}{order}) AS v, {summed} OVER ({by}{order}{frame}) AS w"
        return f"SELECT k, {items} FROM r1{self._where()} ORDER BY k", True

    def _rollup(self) -> tuple[str, bool]:
        self._alias = ""
        kind = self._draw.choice(["ROLLUP", "CUBE"])
        aggregates = f"{self._aggregate()} AS v, count(DISTINCT i) AS w{self._draw.choice(['', ', count(DISTINCT s) AS z'])}"
        return f"SELECT b, s, grouping_id() AS g, {aggregates} FROM r1 GROUP BY {kind}(b, s)", False

    def _union(self) -> tuple[str, bool]:
        self._alias = ""
        kind = self._draw.choice(["UNION ALL", "UNION", "INTERSECT", "EXCEPT"])
        columns = ", ".join(self._draw.sample(["i", "s", "d", "b", "day", "x"], 2))
        return f"SELECT {columns} FROM r1{self._where()} {kind} SELECT {columns} FROM r2", False

    def _exists(self) -> tuple[str, bool]:
        column = self._draw.choice(["i", "s", "d", "day", "b"])
        test = self._draw.choice(
            [
                f"EXISTS (SELECT 1 FROM r2 q WHERE q.{column} = p.{column} AND q.k > p.k)",
                f"NOT EXISTS (SELECT 1 FROM r2 q WHERE q.{column} = p.{column})",
                f"p.{column} IN (SELECT {column} FROM r2)",
                f"p.{column} NOT IN (SELECT {column} FROM r2 WHERE k < 5)",
                f"p.b OR EXISTS (SELECT 1 FROM r2 q WHERE q.{column} = p.{column})",
            ]
        )
        return f"SELECT k, {column} FROM r1 p WHERE {test} ORDER BY k", True

    def _compared(self) -> tuple[str, bool]:
        self._alias = ""
        column, function = self._draw.choice([("i", "max"), ("d", "avg"), ("day", "min"), ("s", "max"), ("e", "sum")])
        return (
            f"SELECT k FROM r1 WHERE {column} {self._draw.choice(['=', '<', '>=', '<>'])} "
            f"(SELECT {function}({column}) FROM r2) ORDER BY k",
            True,
        )

    def _where(self) -> str:
        return self._draw.choice(
            [
                "",
                f" WHERE {self._total(2)}",
                f" WHERE {self._total(1)}",
                f" WHERE {self._condition(2)}",
                f" WHERE {self._both(2)}",
            ]
        )

    def _aggregate(self) -> str:
        of = self._draw.choice([self._whole_number, self._decimal])(1)
        call = self._draw.choice(
            [
                "count(*)",
                f"count({self._any(1)})",
                f"count(DISTINCT {self._any(1)})",
                f"count(DISTINCT {self._column('i', 's')}, {self._text(1)})",
                f"sum({of})",
                f"avg({self._decimal(1)})",
                f"avg({self._column('t', 'h', 'i')})",
                f"min({self._any(1)})",
                f"max({self._any(1)})",
                f"sum(DISTINCT {self._column('t', 'd', 'e')})",
                f"sum({self._column('d', 'e', 't', 'h', 'i')})",
                f"avg({self._column('d', 'e')})",
            ]
        )
        return call + (f" FILTER (WHERE {self._total(1)})" if self._draw.random() < 0.15 else "")

    def _any(self, depth: int) -> str:
        make = self._draw.choice(
            [self._whole_number, self._decimal, self._double, self._text, self._condition, self._day, self._moment]
        )
        return make(depth)

    def _column(self, *names: str) -> str:
        return self._alias + self._draw.choice(names)

    def _chosen(self, make, depth: int) -> str:  # type: ignore[no-untyped-def]
        return self._draw.choice(
            [
                f"CASE WHEN {self._total(depth - 1)} THEN {make(depth - 1)} ELSE {make(depth - 1)} END",
                f"coalesce({make(depth - 1)}, {make(depth - 1)})",
                f"if({self._total(depth - 1)}, {make(depth - 1)}, NULL)",
            ]
        )

    def _whole_number(self, depth: int) -> str:
        if depth <= 0 or self._draw.random() < 0.3:
            return self._draw.choice([self._column("t", "h", "i", "l"), str(self._draw.randint(-3, 12))])
        a, b = self._whole_number(depth - 1), self._whole_number(depth - 1)
        return self._draw.choice(
            [
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"(- {a})",
                f"abs({a})",
                f"({a} % {b})",
                f"({a} div {b})",
                f"length({self._text(depth - 1)})",
                f"year({self._day(depth - 1)})",
                f"month({self._day(0)})",
                f"day({self._day(0)})",
                f"dayofweek({self._day(0)})",
                f"quarter({self._day(0)})",
                f"dayofyear({self._day(0)})",
                f"weekofyear({self._day(0)})",
                f"instr({self._column('s', 'u')}, 'a')",
                f"greatest({a}, {b}, 3)",
                f"least({a}, {b})",
                f"datediff({self._day(0)}, {self._day(0)})",
                f"hour({self._moment(0)})",
                f"minute({self._moment(0)})",
                f"CAST({self._column('t', 'h', 'i')} AS BIGINT)",
                f"CAST({self._column('l', 'i')} AS SMALLINT)",
                f"CAST({self._column('m')} AS {self._draw.choice(['INT', 'BIGINT', 'BIGINT', 'SMALLINT'])})",
                f"CAST({self._column('x', 'g', 'd', 'e')} AS {self._draw.choice(['INT', 'BIGINT'])})",
                f"({a} & {b})",
                f"({a} | {b})",
                self._chosen(self._whole_number, depth),
            ]
        )

    def _decimal(self, depth: int) -> str:
        if depth <= 0 or self._draw.random() < 0.3:
            return self._draw.choice(
                [
                    self._column("d", "e", "w"),
                    self._column("d", "e"),
                    self._draw.choice(["0.5", "-1.25", "10.00", "0.001", "3.0"]),
                ]
            )
        a, b = self._decimal(depth - 1), self._decimal(depth - 1)
        return self._draw.choice(
            [
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"({a} / {b})",
                f"({a} / {self._draw.choice(['-0.7', '3', '-3', '0.03'])})",
                f"(- {a})",
                f"abs({a})",
                f"CAST({self._column('t', 'h', 'i')} AS DECIMAL(12,2))",
                f"CAST({self._column('d', 'e')} AS DECIMAL(20,6))",
                f"CAST({self._column('n', 'm')} AS DECIMAL({self._draw.choice(['10,3', '12,0', '7,1', '38,18'])}))",
                f"(CAST({a} AS DECIMAL(30,10)) {self._draw.choice('+-*/')} CAST({b} AS DECIMAL(38,12)))",
                f"CAST({a} AS DECIMAL(9,1))",
                f"round({a}, {self._draw.randint(0, 3)})",
                self._chosen(self._decimal, depth),
            ]
        )

    def _double(self, depth: int) -> str:
        if depth <= 0 or self._draw.random() < 0.4:
            return self._draw.choice([self._column("x", "g"), "CAST(1.5 AS DOUBLE)", "CAST('NaN' AS DOUBLE)"])
        a, b = self._double(depth - 1), self._double(depth - 1)
        return self._draw.choice(
            [
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"({a} / {b})",
                f"(- {a})",
                f"abs({a})",
                f"CAST({self._column('t', 'i', 'l')} AS DOUBLE)",
                f"CAST({self._column('d', 'e', 'w', 'n', 'm')} AS DOUBLE)",
                self._chosen(self._double, depth),
            ]
        )

    def _text(self, depth: int) -> str:
        if depth <= 0 or self._draw.random() < 0.4:
            return self._draw.choice([self._column("s", "u"), "'a'", "'ß'", "''"])
        a = self._text(depth - 1)
        return self._draw.choice(
            [
                f"concat({a}, {self._text(depth - 1)})",
                f"substring({a}, {self._draw.randint(-1, 3)}, {self._draw.randint(-1, 3)})",
                f"upper({a})",
                f"lower({a})",
                f"trim({a})",
                f"replace({a}, 'a', 'ß')",
                f"right({a}, {self._draw.randint(0, 3)})",
                f"regexp_replace({a}, '^{self._draw.choice(_PATTERNS)}', '<$0>')",
                f"regexp_extract({a}, '{self._draw.choice(_PATTERNS)}', 0)",
                f"left({a}, 2)",
                f"ltrim({a})",
                f"rtrim({a})",
                f"CAST({self._column('t', 'i', 'l', 'd', 'e', 'b', 'day')} AS STRING)",
                self._chosen(self._text, depth),
            ]
        )

    def _day(self, depth: int) -> str:
        if depth <= 0 or self._draw.random() < 0.4:
            return self._draw.choice([self._column("day"), f"DATE '{self._draw.choice(_DAYS)}'"])
        return self._draw.choice(
            [
                f"date_add({self._day(depth - 1)}, {self._draw.randint(-400, 400)})",
                f"date_sub({self._column('day')}, 1)",
                f"add_months({self._column('day')}, {self._draw.randint(-30, 30)})",
                f"last_day({self._column('day')})",
                f"trunc({self._column('day')}, '{self._draw.choice(['YEAR', 'MONTH', 'WEEK', 'QUARTER'])}')",
                f"({self._column('day')} + INTERVAL '1' MONTH)",
                f"CAST({self._moment(0)} AS DATE)",
                f"CAST({self._column('v')} AS DATE)",
                self._chosen(self._day, depth),
            ]
        )

    def _moment(self, depth: int) -> str:
        if depth <= 0 or self._draw.random() < 0.6:
            return self._column("at", "here", "at")
        unit = self._draw.choice(["YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"])
        return self._draw.choice(
            [
                f"coalesce({self._column('at')}, TIMESTAMP '2024-02-29 23:59:59.5')",
                f"date_trunc('{unit}', {self._column('at', 'here')})",
                f"CAST({self._column('v')} AS TIMESTAMP)",
                f"CAST({self._column('day')} AS TIMESTAMP)",
            ]
        )

    def _condition(self, depth: int) -> str:
        """May fail."""
        a = self._draw.choice([self._whole_number, self._decimal, self._double, self._text, self._day])
        return f"({a(depth - 1)} {self._draw.choice(['=', '<>', '<', '<=', '>', '>=', '<=>'])} {a(depth - 1)})"

    def _both(self, depth: int) -> str:
        """Parts that may fail beside others: their order decides."""
        parts = [self._condition(depth), self._total(1), self._draw.choice([self._total, self._condition])(1)]
        self._draw.shuffle(parts)
        return " AND ".join(parts)

    def _total(self, depth: int) -> str:
        """Never fails."""
        if depth > 1:
            a, b = self._total(depth - 1), self._total(depth - 1)
            return self._draw.choice([f"({a} AND {b})", f"({a} OR {b})", f"(NOT {a})", a])
        sign = self._draw.choice(["=", "<>", "<", "<=", ">", ">="])
        return self._draw.choice(
            [
                f"({self._column('i', 'l', 't')} {sign} {self._draw.randint(-5, 5)})",
                f"({self._column('d', 'e')} {sign} {self._draw.randint(-500, 500)}.25)",
                f"({self._column('x')} {sign} {self._column('x')})",
                f"({self._column('x')} {sign} CAST('{self._draw.choice(['0', 'NaN', '1.5'])}' AS DOUBLE))",
                f"({self._column('s')} LIKE '{self._draw.choice(['a%', '%a', '%a%', '_', '__', 'a_b', '%', '', '%ß%'])}')",
                f"({self._column('s', 'u')} IN ('a', 'ß', NULL))",
                f"({self._column('s', 'u')} RLIKE '{self._draw.choice(['^', ''])}{self._draw.choice(_PATTERNS)}')",
                f"({self._column('i')} IN (1, 2, -3))",
                f"({self._column('s', 'i', 'x', 'day')} IS NULL)",
                f"({self._column('day')} {sign} DATE '{self._draw.choice(_DAYS)}')",
                f"({self._column('s')} {sign} {self._column('u')})",
                self._column("b"),
                f"({self._column('at')} {sign} TIMESTAMP '2000-02-29 12:00:00')",
            ]
        )
