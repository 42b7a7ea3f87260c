"""Random aggregates: in groups, of all rows, in grouping sets."""

from __future__ import annotations

from kernel_shapes import RandomQuery, Shapes

_SHARES = ("0.0", "0.1", "0.25", "0.5", "0.9", "0.95", "1.0")


class Groups(Shapes):
    def aggregates(self, fewest: int, most: int) -> str:
        items = ", ".join(f"{self.aggregate()} AS a{n}" for n in range(self.draw.randint(fewest, most)))
        # Nor beside another DISTINCT.
        return items.replace("listagg(DISTINCT ", "listagg(") if items.count("DISTINCT ") > 1 else items

    def aggregate(self) -> str:
        of = self.of
        some = f" FILTER (WHERE {of.total(1)})" if self.draw.random() < 0.2 else ""
        if self.draw.random() < 0.1:
            return self.collected(some)
        function = of.one(self.count, self.sum, self.average, self.extreme, self.extreme, self.of_bits, self.place, self.list)
        # Spark 4.1 cannot plan an ordered list of distinct values with a FILTER.
        return (function.replace("listagg(DISTINCT ", "listagg(") if some else function) + some

    def count(self) -> str:
        of = self.of
        return of.one(
            "count(*)",
            lambda: f"count({of.any(1)})",
            lambda: f"count({of.column('i', 's')}, {of.any(1)})",
            lambda: f"count(DISTINCT {of.any(1)})",
            lambda: f"count(DISTINCT {of.column('i', 's')}, {of.text(1)})",
            lambda: f"count_if({of.truth(1)})",
        )

    def sum(self) -> str:
        of = self.of
        return of.one(
            lambda: f"sum({of.one(lambda: of.whole(1), lambda: of.decimal(1))})",
            lambda: f"sum({of.column('d', 'e', 'w', 't', 'h', 'i')})",
            lambda: f"sum(DISTINCT {of.column('t', 'd', 'e', 'i')})",
            lambda: f"try_sum({of.column('l', 'w', 'i', 'd')})",
            lambda: self.sums(of.column("i", "h", "t")),
        )

    def sums(self, column: str) -> str:
        """Two of one number and a constant each."""
        return f"sum({column} + {self.of.number(-100, 100)}) - sum({column} + {self.of.number(1, 2**30)})"

    def average(self) -> str:
        of = self.of
        return of.one(
            lambda: f"avg({of.decimal(1)})",
            lambda: f"avg({of.column('t', 'h', 'i')})",
            lambda: f"avg({of.column('d', 'e', 'w')})",
            lambda: f"avg({of.one(lambda: of.column('l', 'i'), lambda: of.whole(1))})",
            lambda: f"avg(DISTINCT {of.column('t', 'd', 'e')})",
        )

    def extreme(self) -> str:
        of, name = self.of, self.one("min", "max")
        return of.one(
            lambda: f"{name}({of.one(lambda: of.whole(1), lambda: of.decimal(1), lambda: of.text(1))})",
            lambda: f"{name}({of.one(lambda: of.day(1), lambda: of.moment(1), lambda: of.truth(1))})",
            lambda: f"{name}({of.one(lambda: of.column('x', 'g'), lambda: of.double(1))})",
            lambda: f"{self.one('bool_and', 'bool_or', 'every', 'some')}({of.truth(1)})",
        )

    def of_bits(self) -> str:
        return f"{self.one('bit_and', 'bit_or', 'bit_xor')}({self.one('', '', 'DISTINCT ')}{self.of.whole(1)})"

    def place(self) -> str:
        of = self.of
        return of.one(
            lambda: f"median({of.column('t', 'h', 'i', 'l', 'd', 'e')})",
            lambda: f"percentile({of.column('t', 'i', 'd', 'w')}, {self.one(*_SHARES)})",
            lambda: f"percentile_cont({self.one(*_SHARES)}) WITHIN GROUP (ORDER BY {of.column('t', 'i', 'd')})",
        )

    def list(self) -> str:
        text, by, once = self.of.column("s", "u"), self.one("", ", '-'"), self.one("", "DISTINCT ")
        return f"listagg({once}{text}{by}) WITHIN GROUP (ORDER BY {text}{self.direction()})"

    def collected(self, some: str) -> str:
        """In an order, or without one that shows."""
        of, column = self.of, self.of.column("i", "s", "d", "day", "at")
        return of.one(
            lambda: f"sort_array({self.one('collect_list', 'collect_set')}({column}){some}{self.one('', ', false')})",
            lambda: f"size(collect_set({column}){some})",
        )

    def groups(self) -> RandomQuery:
        keys = [self.key() for _ in range(self.draw.randint(1, 2))]
        names = ", ".join(f"{key} AS g{n}" for n, key in enumerate(keys))
        having = self.one("", "", f" HAVING count(*) > {self.draw.randint(0, 3)}", f" HAVING {self.aggregate()} IS NOT NULL")
        grouped = f"SELECT {names}, {self.aggregates(1, 5)} FROM {self.left}{self.where()} GROUP BY {', '.join(keys)}{having}"
        return RandomQuery(grouped, False)

    def whole(self) -> RandomQuery:
        return RandomQuery(f"SELECT {self.aggregates(2, 6)} FROM {self.left}{self.where()}", False)

    def distinct(self) -> RandomQuery:
        return RandomQuery(f"SELECT DISTINCT {self.items(1, 3, 1)} FROM {self.left}{self.where()}", False)

    def grouping_sets(self) -> RandomQuery:
        a, b, c = self.names["b"], self.names["s"], self.name("i", "day", "t")
        sets = self.one(
            f"ROLLUP({a}, {b})",
            f"CUBE({a}, {c})",
            f"ROLLUP({a}, {b}, {c})",
            f"GROUPING SETS (({a}, {b}), ({a}), ({b}), ())",
            f"GROUPING SETS (({c}), ({a}, {c}), ({c}))",
            f"{a}, ROLLUP({c})",
        )
        keys = [key for key in (a, b, c) if f"{key}," in sets or f"{key})" in sets]
        shown = ", ".join([*keys, *(f"grouping({key}) AS is_{n}" for n, key in enumerate(keys)), "grouping_id() AS id"])
        return RandomQuery(f"SELECT {shown}, {self.aggregates(1, 4)} FROM {self.left}{self.where()} GROUP BY {sets}", False)
