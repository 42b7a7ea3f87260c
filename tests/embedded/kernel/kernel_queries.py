"""Random queries over two tables of `kernel_tables`, in the shapes that the native kernel runs: the same ones of a seed."""

from __future__ import annotations

from kernel_joins import Joins
from kernel_shapes import KEYS, RandomQuery
from kernel_windows import Windows


class Queries(Joins, Windows):
    """Of all shapes."""

    def next(self) -> RandomQuery:
        self.of.alias = ""
        shape = self.draw.choice(
            [
                *[self.rows] * 5,
                *[self.groups] * 5,
                *[self.join] * 4,
                *[self.window] * 3,
                *[self.top] * 2,
                *[self.whole] * 2,
                *[self.grouping_sets] * 2,
                *[self.combined] * 2,
                *[self.existing] * 2,
                *[self.compared] * 2,
                *[self.exploded] * 3,
                *[self.chain] * 2,
                self.top_joined,
                self.crossed,
                self.distinct,
                self.semi,
                self.joined_groups,
                self.grouped_window,
                self.table_expression,
                self.correlated,
                self.values,
            ]
        )
        return shape()

    def rows(self) -> RandomQuery:
        return RandomQuery(f"SELECT k, {self.items(2, 6, 3)}{self.more()} FROM {self.left}{self.where()} ORDER BY k", True)

    def top(self) -> RandomQuery:
        keys = ", ".join(self.key() + self.direction() for _ in range(self.draw.randint(1, 3)))
        items = f"k, {self.items(1, 3, 2)}{self.more()}"
        return RandomQuery(f"SELECT {items} FROM {self.left}{self.where()} ORDER BY {keys}, k{self.limit()}", True)

    def combined(self) -> RandomQuery:
        kind = self.one("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "UNION ALL")
        columns = self.draw.sample(["i", "s", "d", "e", "w", "b", "day", "x", "at"], self.draw.randint(1, 3))
        first = ", ".join(self.names[name] for name in columns)
        second = ", ".join(self.names[{"i": "l", "e": "d", "s": "u"}.get(name, name)] for name in columns)
        last = f" {self.one('UNION', 'EXCEPT', 'INTERSECT')} SELECT {first} FROM {self.left} WHERE {self.of.total(1)}"
        both = f"SELECT {first} FROM {self.left}{self.where()} {kind} SELECT {second} FROM {self.right}{self.one('', '', last)}"
        if self.draw.random() < 0.3:  # what is made of both
            name = self.names[columns[0]]
            return RandomQuery(f"SELECT count(*) AS many, max({name}) AS a, count(DISTINCT {name}) AS c FROM ({both})", False)
        return RandomQuery(both, False)

    def exploded(self) -> RandomQuery:
        """One row an element, as they are, grouped, or of two at once."""
        of, outer = self.of, self.one("", "OUTER ")
        call, columns = self.draw.choice(
            [
                ("explode(ints)", "e1"),
                ("posexplode(texts)", "e1, e2"),
                ("explode(pairs)", "e1, e2"),
                ("posexplode(pairs)", "e1, e2, e3"),
                ("inline(many)", "e1, e2"),
                (f"explode(array({of.whole(1)}, {of.column('i')}))", "e1"),
                ("explode(map_keys(pairs))", "e1"),
                ("explode(split(v, '-'))", "e1"),
                (f"explode(filter(ints, v -> v {self.one('>', '<=')} {of.column('t')}))", "e1"),
            ]
        )
        view = f"{self.left} LATERAL VIEW {outer}{call} AS {columns}{self.one('', ' LATERAL VIEW OUTER explode(texts) AS e4')}"
        if self.draw.random() < 0.5:
            return RandomQuery(f"SELECT k, {columns}, {self.items(1, 2, 1)}{self.more()} FROM {view}{self.where()}", False)
        return RandomQuery(f"SELECT {columns}, {self.aggregates(1, 3)} FROM {view}{self.where()} GROUP BY {columns}", False)

    def table_expression(self) -> RandomQuery:
        """That is used twice, with a limit inside, or groups of groups."""
        of = self.of
        rows = f"SELECT k, {of.any(2)} AS v, {self.name(*KEYS)} AS w FROM {self.left}{self.where()}"
        grouped = f"SELECT k % 5 AS k, {self.aggregate()} AS v, max({self.name('s', 'd')}) AS w FROM {self.left} GROUP BY k % 5"
        inner = of.one(lambda: f"{rows} ORDER BY {self.key()}, k LIMIT 15", rows, grouped)
        outer = self.one(
            "SELECT count(*) AS a, count(v) AS b, count(DISTINCT v) AS c, count(DISTINCT w) AS d FROM made",
            "SELECT a.k, b.k AS bk, a.v, b.w FROM made a JOIN made b ON a.w = b.w AND a.k <= b.k AND b.k < 40",
            "SELECT v, count(*) AS a, count(w) AS b FROM made GROUP BY v",
            "SELECT w, v FROM made WHERE w IS NOT NULL UNION ALL SELECT w, NULL FROM made",
            "SELECT k, v FROM made WHERE k > (SELECT min(k) FROM made)",
        )
        return RandomQuery(f"WITH made AS ({inner}) {outer}", False)
