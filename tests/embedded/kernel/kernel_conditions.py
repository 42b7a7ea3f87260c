"""Random conditions: those that may fail, and those that never do."""

from __future__ import annotations

from kernel_kinds import SIGNS, Kinds
from kernel_moments import MOMENTS
from kernel_tables import DAYS
from kernel_texts import PATTERNS

_LIKES = [
    *["a%", "%a", "%a%", "_", "__", "a_b", "%", "", "%ß%", "%_%", "a%b", "_%\u00e9", "%.%", "[a]%", "x%x", "🙂", "%🙂_%"],
    *["%\\\\%%", "a\\\\_b", "\\\\%"],
]
_ESCAPED = ["a!_b", "%!%%", "!!%", "a!%b", "_!__"]


class Truths(Kinds):
    def condition(self, depth: int) -> str:
        left = depth - 1
        make = self.draw.choice([self.whole, self.decimal, self.double, self.text, self.day, self.moment])
        return self.one(
            lambda: f"({make(left)} {self.one(*SIGNS, '<=>')} {make(left)})",
            lambda: f"({make(left)} {self.one(*SIGNS, '<=>')} {make(left)})",
            lambda: f"({make(left)} {self.one('', 'NOT ')}BETWEEN {make(0)} AND {make(0)})",
            lambda: f"({make(left)} {self.one('', 'NOT ')}IN ({make(0)}, {make(0)}, {make(0)}))",
            lambda: f"({make(left)} IS {self.one('', 'NOT ')}NULL)",
            lambda: f"CAST({self.column('y')} AS BOOLEAN)",
        )

    def both(self, depth: int) -> str:
        """Parts that may fail beside others: their order decides."""
        parts = [self.condition(depth), self.total(1), self.truth(1)]
        self.draw.shuffle(parts)
        return " AND ".join(parts)

    def total(self, depth: int) -> str:
        if depth > 1:
            return self.one(
                lambda: f"({self.total(depth - 1)} AND {self.total(depth - 1)})",
                lambda: f"({self.total(depth - 1)} OR {self.total(depth - 1)})",
                lambda: f"(NOT {self.total(depth - 1)})",
            )
        return self.one(self.of_numbers, self.of_texts, self.of_days, self.of_nested, self.of_any)

    def of_numbers(self) -> str:
        sign = self.one(*SIGNS)
        return self.one(
            lambda: f"({self.column('i', 'l', 't')} {sign} {self.number(-5, 5)})",
            lambda: f"({self.column('d', 'e', 'w', 'z')} {sign} {self.number(-500, 500)}.25)",
            lambda: f"({self.column('x', 'g')} {sign} {self.column('x', 'g')})",
            lambda: f"({self.column('x')} {sign} CAST('{self.one('0', 'NaN', '1.5', '-0.0', 'Infinity')}' AS DOUBLE))",
            lambda: f"({self.column('i', 't', 'x', 'd')} {self.one('', 'NOT ')}IN (1, 2, -3))",
            lambda: f"({self.column('i', 'd')} IN ({', '.join(str(3 * n - 20) for n in range(14))}))",  # so many that it is a set
            lambda: f"isnan({self.column('x', 'g')})",
            lambda: f"CAST({self.column('t', 'h', 'i', 'l')} AS BOOLEAN)",
        )

    def of_texts(self) -> str:
        of, sign = self.column, self.one(*SIGNS)
        word = self.one("startswith", "endswith", "contains")
        return self.one(
            lambda: f"({of('s', 'u')} {self.one('', 'NOT ')}LIKE '{self.one(*_LIKES)}')",
            lambda: f"({of('s', 'u')} LIKE '{self.one(*_ESCAPED)}' ESCAPE '!')",
            lambda: f"({of('s', 'u')} {self.one('', 'NOT ')}IN ('a', 'ß', {self.one('NULL', lambda: of('u'))}))",
            lambda: f"({of('n', 'v', 's')} RLIKE '{self.one('^', '')}{self.one(*PATTERNS)}')",
            lambda: f"{word}({of('s', 'u')}, '{self.one('a', 'ß', '', 'b')}')",
            lambda: f"{word}({of('s', 'u')}, {of('s', 'u')})",
            lambda: f"({of('s', 'u')} {sign} {of('u')})",
        )

    def of_days(self) -> str:
        return self.one(
            lambda: f"({self.column('day', 'far')} {self.one(*SIGNS)} DATE '{self.draw.choice(DAYS)}')",
            lambda: f"({self.column('at')} {self.one(*SIGNS)} TIMESTAMP '{self.one(*MOMENTS)}')",
            lambda: f"({self.column('here')} {self.one(*SIGNS)} TIMESTAMP_NTZ '{self.one(*MOMENTS)}')",
        )

    def of_nested(self) -> str:
        of, sign = self.column, self.one(*SIGNS)
        return self.one(
            lambda: f"array_contains({of('ints')}, {self.number(-5, 5)})",
            lambda: f"array_contains({of('texts')}, {of('s', 'u')})",
            lambda: f"exists({of('texts')}, e -> e {sign} {of('s', 'u')})",
            lambda: f"exists({of('many')}, e -> e.fa {sign} {of('i')})",
            lambda: f"arrays_overlap({of('ints')}, array(1, 2, {self.one('NULL', '3')}))",
            lambda: f"arrays_overlap({of('texts')}, array({of('s')}, 'a'))",
            lambda: f"map_contains_key({of('pairs')}, '{self.one('a', 'ß', '')}')",
            lambda: f"({of('one')}.{self.one('fa', 'fd.fa')} {sign} {self.number(-5, 5)})",
            lambda: f"({of('one')}.fb {sign} {of('s')})",
            lambda: f"({of('ints', 'one', 'many', 'pairs')} IS {self.one('', 'NOT ')}NULL)",
        )

    def of_any(self) -> str:
        return self.one(lambda: f"({self.any_column()} IS {self.one('', 'NOT ')}NULL)", lambda: self.column("b", "c"))
