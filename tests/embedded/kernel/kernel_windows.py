"""Random window functions."""

from __future__ import annotations

from kernel_shapes import KEYS, RandomQuery, Shapes

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


class Windows(Shapes):
    def window(self) -> RandomQuery:
        of = self.of
        by = of.one("", lambda: f"PARTITION BY {self.name('i', 's', 'b', 'day', 'x')} ", lambda: f"PARTITION BY {of.any(1)} ")
        keys = f"ORDER BY {of.one(lambda: self.name(*KEYS), lambda: of.any(1))}{self.direction()}"
        ranked = self.one("rank()", "dense_rank()", "percent_rank()", "cume_dist()", "count(*)")  # the same among equal rows
        summed = f"{self.aggregate_of_columns()} OVER ({by}{keys}, k{self.one(*_FRAMES)})"
        ranges = (
            f"{self.aggregate_of_columns()} OVER ({by}{keys}{self.one(*(frame for frame in _FRAMES if 'ROWS' not in frame))})"
        )
        all_of_it = f"{self.aggregate_of_columns()} OVER ({by})"
        items = (
            f"{ranked} OVER ({by}{keys}) AS v, {self.placed()} OVER ({by}{keys}, k) AS w, {summed} AS y, {all_of_it} AS z, "
            f"{self.kept()} OVER ({by}{keys}, k{self.one(*_FRAMES)}) AS o, {ranges} AS r"
        )
        text = f"SELECT k, {items} FROM {self.left}{self.where()}"
        if self.draw.random() < 0.25:  # the best of each group
            text = f"SELECT * FROM (SELECT k, {ranked} OVER ({by}{keys}) AS v, {summed} AS y FROM {self.left}) WHERE v <= 2"
        return RandomQuery(f"{text} ORDER BY k", True)

    def placed(self) -> str:
        return self.one(
            "row_number()",
            f"ntile({self.draw.randint(1, 5)})",
            f"{self.one('lag', 'lead')}({self.name('d', 'x', 's', 'far', 'at', 'b', 'one', 'ints')}, {self.draw.randint(0, 3)})",
            f"lead({self.names['s']}, 1, 'none')",
            f"lag({self.names['i']}, 1, -1)",
            f"lag({self.names['d']}, 2, {self.names['d']})",
        )

    def kept(self) -> str:
        first = self.one("first_value", "last_value", "nth_value")
        more, nulls = ", 2" if first == "nth_value" else "", self.one("", " IGNORE NULLS")
        return f"{first}({self.name('i', 's', 'x', 'day', 'ints', 'one')}{more}){nulls}"

    def aggregate_of_columns(self) -> str:
        name = self.name
        return self.one(
            f"sum({name('d', 'e', 't', 'h')})",
            "count(*)",
            f"count({name('x', 's')})",
            f"{self.one('min', 'max')}({name('s', 'day', 'l', 'w', 'at', 'b')})",
            f"{self.one('min', 'max')}({name('x', 'g')})",
            f"avg({name('d', 'e', 't', 'i')})",
            f"{self.one('bit_and', 'bit_or', 'bit_xor')}({name('i', 'l')})",
        )

    def grouped_window(self) -> RandomQuery:
        """Over groups."""
        key, value = self.name("i", "s", "day", "b"), self.name("d", "e", "t")
        rank = self.one("rank()", "dense_rank()", "percent_rank()")
        items = f"{key} AS g, sum({value}) AS a, {rank} OVER (ORDER BY sum({value}){self.direction()}) AS r"
        total = f"sum(sum({value})) OVER ({self.one('', 'PARTITION BY count(*)')}) AS t, max(count(*)) OVER () AS m"
        return RandomQuery(f"SELECT {items}, {total} FROM {self.left}{self.where()} GROUP BY {key}", False)
