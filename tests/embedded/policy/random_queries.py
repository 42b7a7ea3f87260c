"""Random queries over one wide table, by a seed. All of them run on the pre-filtered copy without an error by construction."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

# What an expression may be made of; `quantity` is 0 and `digits` no number in invisible rows only.
NUMBERS = (
    "id", "quantity", "amount", "id % 7", "100 / quantity", "CAST(digits AS INT)", "length(code)", "month(day)",
    "id * quantity", "abs(amount)", "coalesce(amount, 0)", "1000 div quantity", "id % quantity", "hash(code) % 5",
    "round(amount)",
)  # fmt: skip
TEXTS = (
    "region", "name", "code", "digits", "upper(name)", "substr(code, 1, 3)", "concat(name, '-', code)",
    "coalesce(name, '?')", "CASE WHEN quantity > 3 THEN name ELSE code END", "CAST(day AS STRING)",
)  # fmt: skip
AGGREGATES = (
    "count(*)", "count({n})", "sum({n})", "min({n})", "max({t})", "count(DISTINCT {t})", "avg(CAST({n} AS DECIMAL(20, 4)))",
    "max({n}) - min({n})", "count_if({p})", "min({t})", "max_by({t}, id)",
)  # fmt: skip
WINDOWS = (
    "row_number() OVER (ORDER BY {n}, id)", "rank() OVER (PARTITION BY {t} ORDER BY {n})",
    "count(*) OVER (PARTITION BY {t})", "lag({t}) OVER (ORDER BY id)", "max({n}) OVER (PARTITION BY {t})",
    "sum(quantity) OVER (ORDER BY id)",
)  # fmt: skip


class Queries:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def next(self) -> str:
        shape: Callable[[], str] = self._random.choice(
            [
                self._rows,
                self._groups,
                self._windows,
                self._join,
                self._self_join,
                self._union,
                self._subquery,
                self._cte,
                self._top,
            ]
        )
        return shape()

    def _number(self) -> str:
        return self._random.choice(NUMBERS)

    def _text(self) -> str:
        return self._random.choice(TEXTS)

    def _any(self) -> str:
        return self._number() if self._random.random() < 0.5 else self._text()

    def _predicate(self, depth: int = 2) -> str:
        if depth and self._random.random() < 0.5:
            joined = self._random.choice(("{a} AND {b}", "{a} OR {b}", "NOT ({a})", "({a}) AND ({b})"))
            return joined.replace("{a}", self._predicate(depth - 1)).replace("{b}", self._predicate(depth - 1))
        number, text = self._number(), self._text()
        return self._random.choice(
            (
                f"{number} > {self._random.randint(-5, 60)}", f"{number} <= {self._number()}", f"{text} = '{self._word()}'",
                f"{text} LIKE '{self._word()[:1]}%'", f"{text} IN ('{self._word()}', '{self._word()}')", f"{text} IS NOT NULL",
                f"{number} BETWEEN 1 AND {self._random.randint(2, 90)}", f"{text} < {self._text()}", f"{number} IS NULL",
                f"day > DATE '2024-0{self._random.randint(1, 9)}-01'", "flag", "NOT flag", f"{text} <> '{self._word()}'",
            )
        )  # fmt: skip

    def _word(self) -> str:
        return self._random.choice(("EU", "US", "n1", "n2", "n3", "C*", "C12", "**12", "1", "22", "APAC"))

    def _where(self) -> str:
        return f" WHERE {self._predicate()}" if self._random.random() < 0.8 else ""

    def _columns(self, most: int = 4) -> str:
        return ", ".join(f"{self._any()} AS c{index}" for index in range(self._random.randint(1, most)))

    def _filled(self, template: str) -> str:
        return template.replace("{n}", self._number()).replace("{t}", self._text()).replace("{p}", self._predicate(1))

    def _rows(self) -> str:
        distinct = "DISTINCT " if self._random.random() < 0.3 else ""
        return f"SELECT {distinct}{self._columns()} FROM {{s}}.facts{self._where()}"

    def _top(self) -> str:
        order = f"ORDER BY {self._number()}, id LIMIT {self._random.randint(1, 9)}"
        return f"SELECT id, {self._columns(2)} FROM {{s}}.facts{self._where()} {order}"

    def _groups(self) -> str:
        key = self._text()
        having = f" HAVING {self._filled('count({n})')} > {self._random.randint(0, 3)}" if self._random.random() < 0.4 else ""
        values = ", ".join(
            f"{self._filled(self._random.choice(AGGREGATES))} AS a{index}" for index in range(self._random.randint(1, 3))
        )
        if self._random.random() < 0.3:
            return f"SELECT {values} FROM {{s}}.facts{self._where()}"
        return f"SELECT {key} AS k, {values} FROM {{s}}.facts{self._where()} GROUP BY {key}{having}"

    def _windows(self) -> str:
        return f"SELECT id, {self._filled(self._random.choice(WINDOWS))} AS w FROM {{s}}.facts{self._where()}"

    def _join(self) -> str:
        kind = self._random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        extra = f" AND {self._predicate(1)}" if self._random.random() < 0.5 else ""
        return f"SELECT f.id, f.code, d.label FROM {{s}}.facts f {kind} {{s}}.dimension d ON f.region = d.region2{extra}"

    def _self_join(self) -> str:
        return (
            f"SELECT a.id AS x, b.id AS y FROM {{s}}.facts a JOIN (SELECT * FROM {{s}}.facts{self._where()}) b "
            f"ON a.{self._random.choice(('id', 'name', 'code'))} = b.{self._random.choice(('id', 'name', 'code'))}"
        )

    def _union(self) -> str:
        both = self._random.choice(("UNION", "UNION ALL", "EXCEPT", "INTERSECT"))
        first, second = (f"SELECT {self._text()} AS c FROM {{s}}.facts{self._where()}" for _ in range(2))
        return f"{first} {both} {second}"

    def _subquery(self) -> str:
        inner = f"SELECT {self._random.choice(('id', 'quantity'))} FROM {{s}}.facts{self._where()}"
        correlated = "SELECT 1 FROM {s}.facts f WHERE f.region = d.region2"
        return self._random.choice(
            (
                f"SELECT id, code FROM {{s}}.facts WHERE id IN ({inner})",
                f"SELECT label FROM {{s}}.dimension d WHERE EXISTS ({correlated} AND {self._predicate(1)})",
                "SELECT label, (SELECT max(id) FROM {s}.facts f WHERE f.region = d.region2) AS m FROM {s}.dimension d",
                f"SELECT count(*) AS n FROM {{s}}.facts WHERE amount > (SELECT avg(amount) FROM {{s}}.facts{self._where()})",
                "SELECT label FROM {s}.dimension WHERE region2 NOT IN (SELECT region FROM {s}.facts WHERE region IS NOT NULL)",
            )
        )

    def _cte(self) -> str:
        common = f"SELECT id, {self._columns(2)} FROM {{s}}.facts{self._where()}"
        return f"WITH q AS ({common}) SELECT count(*) AS n, count(DISTINCT q.c0) AS d FROM q JOIN q AS r ON q.id = r.id"
