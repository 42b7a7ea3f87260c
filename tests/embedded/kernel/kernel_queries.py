"""Random queries over two tables of `kernel_tables`, in the shapes that the native kernel runs: the same ones of a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from kernel_expressions import Expressions

_KEYS = ("i", "t", "l", "s", "d", "e", "w", "day", "b", "x", "at", "here")
_FRAMES = [
    "",
    " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
    " ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
]


@dataclass(frozen=True)
class RandomQuery:
    """`ordered`: its rows are in one order only."""

    text: str
    ordered: bool


class Queries:
    """Over the tables `left` and `right`, whose columns have the same names."""

    def __init__(self, seed: int, names: Mapping[str, str], left: str, right: str) -> None:
        self._draw = random.Random(seed)
        self._of = Expressions(self._draw, names)
        self._names = names
        self._left, self._right = left, right

    def next(self) -> RandomQuery:
        self._of.alias = ""
        shape = self._draw.choice(
            [
                *[self._rows] * 4,
                *[self._groups] * 4,
                *[self._join] * 4,
                *[self._window] * 3,
                *[self._top] * 2,
                *[self._whole] * 2,
                *[self._grouping_sets] * 2,
                *[self._combined] * 2,
                *[self._existing] * 2,
                *[self._compared] * 2,
                *[self._exploded] * 3,
                self._distinct,
                self._semi,
                self._joined_groups,
                self._nested,
                self._correlated,
                self._values,
            ]
        )
        return shape()

    def _one(self, *choices: str) -> str:
        return self._draw.choice(choices)

    def _name(self, *kinds: str) -> str:
        return self._names[self._draw.choice(kinds)]

    def _items(self, fewest: int, most: int, depth: int) -> str:
        return ", ".join(f"{self._of.any(depth)} AS v{n}" for n in range(self._draw.randint(fewest, most)))

    def _where(self) -> str:
        of = self._of
        return of.one(
            "",
            "",
            lambda: f" WHERE {of.total(2)}",
            lambda: f" WHERE {of.total(1)} OR {of.total(1)}",
            lambda: f" WHERE {of.condition(2)}",
            lambda: f" WHERE {of.both(2)}",
        )

    def _direction(self) -> str:
        return self._one("", " DESC", " NULLS LAST", " DESC NULLS FIRST", " ASC NULLS FIRST", " DESC NULLS LAST")

    def _limit(self) -> str:
        return self._one(
            "", f" LIMIT {self._draw.randint(1, 9)}", f" LIMIT {self._draw.randint(1, 30)} OFFSET {self._draw.randint(1, 5)}"
        )

    def _more(self) -> str:
        """Columns that are passed on, and never compared."""
        return "".join(f", {self._of.nested()} AS n{n}" for n in range(self._draw.choice([0, 0, 1, 2])))

    def _rows(self) -> RandomQuery:
        return RandomQuery(f"SELECT k, {self._items(2, 6, 3)}{self._more()} FROM {self._left}{self._where()} ORDER BY k", True)

    def _top(self) -> RandomQuery:
        keys = ", ".join(self._of.any(1) + self._direction() for _ in range(self._draw.randint(1, 3)))
        return RandomQuery(
            f"SELECT k, {self._items(1, 3, 2)}{self._more()} FROM {self._left}{self._where()} ORDER BY {keys}, k{self._limit()}",
            True,
        )

    def _distinct(self) -> RandomQuery:
        return RandomQuery(f"SELECT DISTINCT {self._items(1, 3, 1)} FROM {self._left}{self._where()}", False)

    def _aggregates(self, fewest: int, most: int) -> str:
        return ", ".join(f"{self._aggregate()} AS a{n}" for n in range(self._draw.randint(fewest, most)))

    def _aggregate(self) -> str:
        of = self._of
        call = of.one(
            "count(*)",
            lambda: f"count({of.any(1)})",
            lambda: f"count(DISTINCT {of.any(1)})",
            lambda: f"count(DISTINCT {of.column('i', 's')}, {of.text(1)})",
            lambda: f"sum({of.one(lambda: of.whole(1), lambda: of.decimal(1))})",
            lambda: f"avg({of.decimal(1)})",
            lambda: f"avg({of.column('t', 'h', 'i')})",
            lambda: f"{self._one('min', 'max')}({of.one(lambda: of.whole(1), lambda: of.decimal(1), lambda: of.text(1))})",
            lambda: f"{self._one('min', 'max')}({of.one(lambda: of.day(1), lambda: of.moment(1), lambda: of.truth(1))})",
            lambda: f"{self._one('sum', 'avg')}(DISTINCT {of.column('t', 'd', 'e')})",
            lambda: f"sum({of.column('d', 'e', 'w', 't', 'h', 'i')})",
            lambda: f"avg({of.column('d', 'e', 'w')})",
            lambda: f"{self._one('bit_and', 'bit_or', 'bit_xor')}({of.whole(1)})",
            lambda: f"{self._one('count_if', 'bool_and', 'bool_or')}({of.truth(1)})",
            lambda: f"{self._one('min', 'max')}({of.one(lambda: of.column('x', 'g'), lambda: of.double(1))})",
            lambda: f"avg({of.one(lambda: of.column('l', 'i'), lambda: of.whole(1))})",
            lambda: f"median({of.column('t', 'i', 'l', 'd', 'e')})",
            lambda: f"percentile({of.column('t', 'i', 'd', 'w')}, {self._one('0.0', '0.1', '0.25', '0.9', '0.95', '1.0')})",
            lambda: f"listagg({self._one('', 'DISTINCT ')}{self._names['s']}, ',') WITHIN GROUP (ORDER BY {self._names['s']})",
            lambda: f"sort_array({self._one('collect_list', 'collect_set')}({of.column('i', 's', 'd', 'day')}))",
        )
        return call + (f" FILTER (WHERE {of.total(1)})" if self._draw.random() < 0.2 else "")

    def _groups(self) -> RandomQuery:
        keys = [self._of.any(1) for _ in range(self._draw.randint(1, 2))]
        names = ", ".join(f"{key} AS g{n}" for n, key in enumerate(keys))
        having = self._one("", "", f" HAVING count(*) > {self._draw.randint(0, 3)}", f" HAVING {self._aggregate()} IS NOT NULL")
        grouped = f"SELECT {names}, {self._aggregates(1, 5)} FROM {self._left}{self._where()} GROUP BY {', '.join(keys)}{having}"
        return RandomQuery(grouped, False)

    def _whole(self) -> RandomQuery:
        return RandomQuery(f"SELECT {self._aggregates(2, 6)} FROM {self._left}{self._where()}", False)

    def _grouping_sets(self) -> RandomQuery:
        a, b, c = self._names["b"], self._names["s"], self._name("i", "day", "t")
        sets = self._one(
            f"ROLLUP({a}, {b})",
            f"CUBE({a}, {c})",
            f"ROLLUP({a}, {b}, {c})",
            f"GROUPING SETS (({a}, {b}), ({a}), ({b}), ())",
            f"GROUPING SETS (({c}), ({a}, {c}), ({c}))",
            f"{a}, ROLLUP({c})",
        )
        keys = [key for key in (a, b, c) if f"{key}," in sets or f"{key})" in sets]
        shown = ", ".join([*keys, *(f"grouping({key}) AS is_{n}" for n, key in enumerate(keys)), "grouping_id() AS id"])
        return RandomQuery(f"SELECT {shown}, {self._aggregates(1, 4)} FROM {self._left}{self._where()} GROUP BY {sets}", False)

    def _on(self) -> str:
        """Keys alone, with more conditions of one side, or computed."""
        of, key = self._of, self._name(*_KEYS)
        equal = of.one(
            f"p.{key} = q.{key}",
            f"p.{key} = q.{key}",
            f"p.{key} <=> q.{key}",
            lambda: f"p.{self._name('i', 't', 'h')} = q.{self._name('l', 'i', 'd', 'e')}",
            lambda: f"p.{key} = q.{key} AND p.{self._names['b']} = q.{self._names['b']}",
            lambda: f"p.{self._names['i']} + 1 = q.{self._names['i']} - 1",
            lambda: f"length(p.{self._names['s']}) = length(q.{self._names['u']})",
        )
        return equal + of.one(
            "",
            "",
            lambda: f" AND {of.total(1)}",
            lambda: f" AND {of.both(1)}",
            lambda: f" AND p.{self._names['d']} {self._one('<', '>=', '<>')} q.{self._names['e']}",
        )

    def _join(self) -> RandomQuery:
        kind = self._one("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
        self._of.alias = "p."
        items = f"p.k AS pk, q.k AS qk, {self._items(1, 3, 1)}{self._more()}, q.{self._name(*_KEYS)} AS w"
        more = self._one("", "", f" WHERE {self._of.total(1)}", f" WHERE q.{self._name(*_KEYS)} IS NULL")
        text = f"SELECT {items} FROM {self._left} p {kind} {self._right} q ON {self._on()}{more}"
        return RandomQuery(f"{text} ORDER BY p.k, q.k{self._limit()}", True)

    def _semi(self) -> RandomQuery:
        self._of.alias = "p."
        kind = self._one("LEFT SEMI JOIN", "LEFT ANTI JOIN")
        text = f"SELECT p.k, {self._items(1, 2, 1)} FROM {self._left} p {kind} {self._right} q ON {self._on()}"
        return RandomQuery(f"{text} ORDER BY p.k", True)

    def _joined_groups(self) -> RandomQuery:
        """A table with groups of another, and of a third time the first."""
        key, made = self._name("i", "s", "b", "day"), self._aggregate()
        grouped = f"(SELECT {key} AS key, {made} AS made, count(*) AS many FROM {self._right} GROUP BY {key})"
        self._of.alias = "p."
        third = self._one("", f" LEFT JOIN {self._left} r ON r.k = q.many")
        text = (
            f"SELECT p.k, q.made, q.many, {self._items(1, 2, 1)} FROM {self._left} p {self._one('JOIN', 'LEFT JOIN')} {grouped} q"
        )
        return RandomQuery(f"{text} ON p.{key} = q.key{third} ORDER BY p.k", True)

    def _window(self) -> RandomQuery:
        of = self._of
        by = of.one("", lambda: f"PARTITION BY {self._name('i', 's', 'b', 'day', 'x')} ", lambda: f"PARTITION BY {of.any(1)} ")
        keys = f"ORDER BY {of.one(lambda: self._name(*_KEYS), lambda: of.any(1))}{self._direction()}"
        ranked = self._one("rank()", "dense_rank()", "percent_rank()", "cume_dist()", "count(*)")  # the same among equal rows
        placed = self._one(
            "row_number()",
            f"ntile({self._draw.randint(1, 5)})",
            f"lag({self._name('d', 'x', 's', 'far')}, {self._draw.randint(0, 3)})",
            f"lead({self._names['s']}, 1, 'none')",
            f"lag({self._names['i']}, 1, -1)",
        )
        first = self._one("first_value", "last_value", "nth_value")
        more, nulls = ", 2" if first == "nth_value" else "", self._one("", " IGNORE NULLS")
        kept = f"{first}({self._name('i', 's', 'x', 'ints', 'one')}{more}){nulls} OVER ({by}{keys}, k{self._one(*_FRAMES)})"
        summed = f"{self._aggregate_of_columns()} OVER ({by}{keys}, k{self._one(*_FRAMES)})"
        all_of_it = f"{self._aggregate_of_columns()} OVER ({by})"
        items = (
            f"{ranked} OVER ({by}{keys}) AS v, {placed} OVER ({by}{keys}, k) AS w, {summed} AS y, {all_of_it} AS z, {kept} AS o"
        )
        text = f"SELECT k, {items} FROM {self._left}{self._where()}"
        if self._draw.random() < 0.25:  # the best of each group
            text = f"SELECT * FROM (SELECT k, {ranked} OVER ({by}{keys}) AS v, {summed} AS y FROM {self._left}) WHERE v <= 2"
        return RandomQuery(f"{text} ORDER BY k", True)

    def _aggregate_of_columns(self) -> str:
        name = self._name
        return self._one(
            f"sum({name('d', 'e', 't', 'h')})",
            "count(*)",
            f"count({name('x', 's')})",
            f"{self._one('min', 'max')}({name('s', 'day', 'l', 'w', 'at', 'b')})",
            f"avg({name('d', 'e', 't')})",
        )

    def _combined(self) -> RandomQuery:
        kind = self._one("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "UNION ALL")
        columns = self._draw.sample(["i", "s", "d", "e", "w", "b", "day", "x", "at"], self._draw.randint(1, 3))
        first = ", ".join(self._names[name] for name in columns)
        second = ", ".join(self._names[{"i": "l", "e": "d", "s": "u"}.get(name, name)] for name in columns)
        third = self._one(
            "", "", f" {self._one('UNION', 'EXCEPT', 'INTERSECT')} SELECT {first} FROM {self._left} WHERE {self._of.total(1)}"
        )
        return RandomQuery(
            f"SELECT {first} FROM {self._left}{self._where()} {kind} SELECT {second} FROM {self._right}{third}", False
        )

    def _existing(self) -> RandomQuery:
        of, key, other = self._of, self._name(*_KEYS), self._name(*_KEYS)
        more = self._one("", " AND q.k > p.k", f" AND q.{other} <> p.{other}")
        exists = f"EXISTS (SELECT 1 FROM {self._right} q WHERE q.{key} = p.{key}{more})"
        within = f"p.{key} IN (SELECT {key} FROM {self._right}{self._one('', ' WHERE k < 5', f' WHERE {other} IS NOT NULL')})"
        same = f"p.{key} IN (SELECT q.{key} FROM {self._right} q WHERE q.{other} = p.{other})"
        pair = f"(p.{key}, p.{other}) IN (SELECT {key}, {other} FROM {self._right})"
        test = self._one(exists, within, same, pair)
        condition = self._one(
            test, f"NOT {test}", f"p.{self._names['b']} OR {test}", f"NOT ({test}) AND {of.total(1)}", f"{test} OR {within}"
        )
        if self._draw.random() < 0.2:
            return RandomQuery(f"SELECT k, CASE WHEN {condition} THEN 1 ELSE 0 END AS v FROM {self._left} p ORDER BY k", True)
        return RandomQuery(f"SELECT k, {key} FROM {self._left} p WHERE {condition} ORDER BY k", True)

    def _exploded(self) -> RandomQuery:
        """One row an element, as they are, grouped, or of two at once."""
        of, outer = self._of, self._one("", "OUTER ")
        call, columns = self._draw.choice(
            [
                ("explode(ints)", "e1"),
                ("posexplode(texts)", "e1, e2"),
                ("explode(pairs)", "e1, e2"),
                ("posexplode(pairs)", "e1, e2, e3"),
                ("inline(many)", "e1, e2"),
                (f"explode(array({of.whole(1)}, {of.column('i')}))", "e1"),
                ("explode(map_keys(pairs))", "e1"),
                (f"explode(filter(ints, v -> v {self._one('>', '<=')} {of.column('t')}))", "e1"),
            ]
        )
        view = f"{self._left} LATERAL VIEW {outer}{call} AS {columns}{self._one('', ' LATERAL VIEW OUTER explode(texts) AS e4')}"
        if self._draw.random() < 0.5:
            return RandomQuery(f"SELECT k, {columns}, {self._items(1, 2, 1)}{self._more()} FROM {view}{self._where()}", False)
        return RandomQuery(f"SELECT {columns}, {self._aggregates(1, 3)} FROM {view}{self._where()} GROUP BY {columns}", False)

    def _compared(self) -> RandomQuery:
        column, functions = self._draw.choice(
            [
                ("i", "max min avg sum"),
                ("d", "avg sum max"),
                ("w", "avg max"),
                ("day", "min max"),
                ("s", "max min"),
                ("e", "sum avg"),
                ("at", "min"),
            ]
        )
        name = self._names[column]
        value = (
            f"(SELECT {self._one(*functions.split())}({name}) FROM {self._right}{self._one('', f' WHERE {self._of.total(1)}')})"
        )
        if self._draw.random() < 0.3:
            return RandomQuery(
                f"SELECT k, {value} AS v, {self._items(1, 2, 1)} FROM {self._left}{self._where()} ORDER BY k", True
            )
        sign = self._one("=", "<", ">=", "<>", "<=>")
        return RandomQuery(
            f"SELECT k FROM {self._left} WHERE {name} {sign} {value} {self._one('', f'OR {self._of.total(1)}')} ORDER BY k", True
        )

    def _correlated(self) -> RandomQuery:
        key, of = self._name("i", "s", "b", "day", "d"), self._name("d", "e", "i", "day", "s")
        call = self._one(f"max({of})", f"min({of})", "count(*)", f"count({of})", f"count(DISTINCT {of})")
        value = f"(SELECT {call} FROM {self._right} q WHERE q.{key} = p.{key})".replace(f"({of})", f"(q.{of})").replace(
            f"T {of})", f"T q.{of})"
        )
        self._of.alias = "p."
        if self._draw.random() < 0.5:
            return RandomQuery(f"SELECT p.k, {value} AS v FROM {self._left} p{self._where()} ORDER BY p.k", True)
        own = f"p.{of}" if "count" not in call else "p.k"
        return RandomQuery(f"SELECT p.k FROM {self._left} p WHERE {own} {self._one('<', '>=', '=')} {value} ORDER BY p.k", True)

    def _nested(self) -> RandomQuery:
        """A table expression that is used twice, with a limit inside, or groups of groups."""
        of = self._of
        rows = f"SELECT k, {of.any(2)} AS v, {self._name(*_KEYS)} AS w FROM {self._left}{self._where()}"
        inner = of.one(
            lambda: f"{rows} ORDER BY {of.any(1)}, k LIMIT 15",
            rows,
            lambda: (
                f"SELECT k % 5 AS k, {self._aggregate()} AS v, max({self._name('s', 'd')}) AS w FROM {self._left} GROUP BY k % 5"
            ),
        )
        outer = self._one(
            "SELECT count(*) AS a, count(v) AS b, count(DISTINCT v) AS c, count(DISTINCT w) AS d FROM made",
            "SELECT a.k, b.k AS bk, a.v, b.w FROM made a JOIN made b ON a.w = b.w AND a.k <= b.k AND b.k < 40",
            "SELECT v, count(*) AS a, count(w) AS b FROM made GROUP BY v",
            "SELECT w, v FROM made WHERE w IS NOT NULL UNION ALL SELECT w, NULL FROM made",
            "SELECT k, v FROM made WHERE k > (SELECT min(k) FROM made)",
        )
        return RandomQuery(f"WITH made AS ({inner}) {outer}", False)

    def _values(self) -> RandomQuery:
        """Rows that are written out."""
        rows = "(1, 'a', 1.50), (-3, 'ß', NULL), (NULL, '', 0.00), (7, NULL, -99999999.99), (7, '🙂', 7)"
        on = self._one(f"p.{self._names['i']} = o.n", f"p.{self._names['s']} = o.t", f"p.{self._names['d']} > o.m", "p.k = o.n")
        self._of.alias = "p."
        text = (
            f"SELECT p.k, o.n, o.t, o.m, {self._items(1, 2, 1)} FROM {self._left} p {self._one('JOIN', 'LEFT JOIN', 'FULL JOIN')}"
        )
        return RandomQuery(f"{text} (VALUES {rows}) AS o(n, t, m) ON {on}", False)
