"""Random joins and subqueries."""

from __future__ import annotations

from kernel_groups import Groups
from kernel_shapes import KEYS, RandomQuery


class Joins(Groups):
    def on(self) -> str:
        """Keys alone, with more conditions of one side, or computed."""
        of, key = self.of, self.name(*KEYS)
        equal = of.one(
            f"p.{key} = q.{key}",
            f"p.{key} = q.{key}",
            f"p.{key} <=> q.{key}",
            lambda: f"p.{self.name('i', 't', 'h')} = q.{self.name('l', 'i', 'd', 'e')}",
            lambda: f"p.{key} = q.{key} AND p.{self.names['b']} = q.{self.names['b']}",
            lambda: f"p.{self.names['i']} + 1 = q.{self.names['i']} - 1",
            lambda: f"length(p.{self.names['s']}) = length(q.{self.names['u']})",
            lambda: f"p.{key} {self.one('<', '>=', '<>')} q.{key} AND p.k <= q.k + 1",
        )
        return equal + of.one(
            "",
            "",
            lambda: f" AND {of.total(1)}",
            lambda: f" AND {of.both(1)}",
            lambda: f" AND p.{self.names['d']} {self.one('<', '>=', '<>')} q.{self.names['e']}",
        )

    def join(self) -> RandomQuery:
        kind = self.one("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
        self.of.alias = "p."
        items = f"p.k AS pk, q.k AS qk, {self.items(1, 3, 1)}{self.more()}, q.{self.name(*KEYS)} AS w"
        more = self.one("", "", f" WHERE {self.of.total(1)}", f" WHERE q.{self.name(*KEYS)} IS NULL")
        text = f"SELECT {items} FROM {self.left} p {kind} {self.right} q ON {self.on()}{more}"
        return RandomQuery(f"{text} ORDER BY p.k, q.k{self.limit()}", True)

    def chain(self) -> RandomQuery:
        """Three or four tables, as rows or in groups."""
        self.of.alias = "p."
        third, fourth = self.name("i", "t", "b", "day"), self.name("s", "d", "i")
        tables = f"{self.left} p JOIN {self.right} q ON {self.on()}"
        tables += f" {self.one('', 'LEFT ')}JOIN {self.right} r ON q.{third} = r.{third}"
        if self.draw.random() < 0.3:
            tables += f" JOIN {self.left} o ON o.{fourth} = {self.one('p', 'r')}.{fourth} AND o.k < 9"
        if self.draw.random() < 0.4:
            return RandomQuery(
                f"SELECT p.k AS pk, q.k AS qk, r.k AS rk, {self.items(1, 2, 1)} FROM {tables}{self.where()}", False
            )
        grouped = (
            f"SELECT q.{third} AS g, {self.aggregates(1, 3)}, count(r.k) AS many FROM {tables}{self.where()} GROUP BY q.{third}"
        )
        return RandomQuery(grouped, False)

    def top_joined(self) -> RandomQuery:
        """The first rows of a join with a side that is filtered, grouped, or cut off itself."""
        key = self.name(*KEYS)
        side = self.one(
            self.right,
            f"(SELECT * FROM {self.right} WHERE k % 3 > 0)",
            f"(SELECT {key}, max(k) AS k FROM {self.right} GROUP BY {key})",
            f"(SELECT * FROM {self.right} ORDER BY k DESC LIMIT {self.draw.randint(1, 40)})",
            f"(SELECT k, {key}, rank() OVER (ORDER BY k) AS place FROM {self.right})",
        )
        kind = self.one("JOIN", "LEFT JOIN", "JOIN")
        text = f"SELECT p.k AS pk, q.k AS qk, q.{key} AS v FROM {self.left} p {kind} {side} q ON p.{key} = q.{key}"
        return RandomQuery(f"{text} ORDER BY q.{key}{self.direction()}, p.k, q.k{self.limit()}", True)

    def semi(self) -> RandomQuery:
        self.of.alias = "p."
        kind = self.one("LEFT SEMI JOIN", "LEFT ANTI JOIN")
        text = f"SELECT p.k, {self.items(1, 2, 1)} FROM {self.left} p {kind} {self.right} q ON {self.on()}"
        return RandomQuery(f"{text} ORDER BY p.k", True)

    def crossed(self) -> RandomQuery:
        few = f"(SELECT k, {self.name(*KEYS)} AS w FROM {self.right} ORDER BY k LIMIT {self.draw.randint(1, 4)})"
        self.of.alias = "p."
        return RandomQuery(
            f"SELECT p.k, q.k AS qk, q.w, {self.items(1, 2, 1)} FROM {self.left} p CROSS JOIN {few} q{self.where()}", False
        )

    def joined_groups(self) -> RandomQuery:
        """A table with groups of another, and of a third time the first."""
        key, made = self.name("i", "s", "b", "day"), self.aggregate()
        grouped = f"(SELECT {key} AS key, {made} AS made, count(*) AS many FROM {self.right} GROUP BY {key})"
        self.of.alias = "p."
        third = self.one("", f" LEFT JOIN {self.left} r ON r.k = q.many")
        kind = self.one("JOIN", "LEFT JOIN")
        text = f"SELECT p.k, q.made, q.many, {self.items(1, 2, 1)} FROM {self.left} p {kind} {grouped} q"
        return RandomQuery(f"{text} ON p.{key} = q.key{third} ORDER BY p.k", True)

    def existing(self) -> RandomQuery:
        of, key, other = self.of, self.name(*KEYS), self.name(*KEYS)
        more = self.one("", " AND q.k > p.k", f" AND q.{other} <> p.{other}")
        exists = f"EXISTS (SELECT 1 FROM {self.right} q WHERE q.{key} = p.{key}{more})"
        within = f"p.{key} IN (SELECT {key} FROM {self.right}{self.one('', ' WHERE k < 5', f' WHERE {other} IS NOT NULL')})"
        same = f"p.{key} IN (SELECT q.{key} FROM {self.right} q WHERE q.{other} = p.{other})"
        pair = f"(p.{key}, p.{other}) IN (SELECT {key}, {other} FROM {self.right})"
        test = self.one(exists, within, same, pair)
        condition = self.one(
            test, f"NOT {test}", f"p.{self.names['b']} OR {test}", f"NOT ({test}) AND {of.total(1)}", f"{test} OR {within}"
        )
        if self.draw.random() < 0.2:
            return RandomQuery(f"SELECT k, CASE WHEN {condition} THEN 1 ELSE 0 END AS v FROM {self.left} p ORDER BY k", True)
        return RandomQuery(f"SELECT k, {key} FROM {self.left} p WHERE {condition} ORDER BY k", True)

    def compared(self) -> RandomQuery:
        """With one value of the other table."""
        column, functions = self.draw.choice(
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
        name, of = self.names[column], self.of
        value = f"(SELECT {self.one(*functions.split())}({name}) FROM {self.right}{self.one('', f' WHERE {of.total(1)}')})"
        if self.draw.random() < 0.3:
            return RandomQuery(f"SELECT k, {value} AS v, {self.items(1, 2, 1)} FROM {self.left}{self.where()} ORDER BY k", True)
        sign = self.one("=", "<", ">=", "<>", "<=>")
        condition = f"{name} {sign} {value} {self.one('', f'OR {of.total(1)}')}"
        return RandomQuery(f"SELECT k FROM {self.left} WHERE {condition} ORDER BY k", True)

    def correlated(self) -> RandomQuery:
        key, of = self.name("i", "s", "b", "day", "d"), self.name("d", "e", "i", "day", "s")
        call = self.one(f"max(q.{of})", f"min(q.{of})", "count(*)", f"count(q.{of})", f"count(DISTINCT q.{of})")
        value = f"(SELECT {call} FROM {self.right} q WHERE q.{key} = p.{key})"
        self.of.alias = "p."
        if self.draw.random() < 0.5:
            return RandomQuery(f"SELECT p.k, {value} AS v FROM {self.left} p{self.where()} ORDER BY p.k", True)
        own = f"p.{of}" if "count" not in call else "p.k"
        return RandomQuery(f"SELECT p.k FROM {self.left} p WHERE {own} {self.one('<', '>=', '=')} {value} ORDER BY p.k", True)

    def values(self) -> RandomQuery:
        """Rows that are written out."""
        rows = "(1, 'a', 1.50), (-3, 'ß', NULL), (NULL, '', 0.00), (7, NULL, -99999999.99), (7, '🙂', 7)"
        on = self.one(f"p.{self.names['i']} = o.n", f"p.{self.names['s']} = o.t", f"p.{self.names['d']} > o.m", "p.k = o.n")
        self.of.alias = "p."
        kind = self.one("JOIN", "LEFT JOIN", "FULL JOIN")
        text = f"SELECT p.k, o.n, o.t, o.m, {self.items(1, 2, 1)} FROM {self.left} p {kind}"
        return RandomQuery(f"{text} (VALUES {rows}) AS o(n, t, m) ON {on}", False)
