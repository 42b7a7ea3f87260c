"""Random expressions over the columns of `kernel_tables`: what the native kernel knows, and a little that it leaves to Spark."""

from __future__ import annotations

from kernel_conditions import Truths
from kernel_kinds import SIGNS
from kernel_moments import Moments
from kernel_numbers import Numbers
from kernel_texts import Texts


class Expressions(Numbers, Texts, Moments, Truths):
    """Of all kinds."""

    def any(self, depth: int) -> str:
        make = self.draw.choice(
            [
                self.whole,
                self.whole,
                self.decimal,
                self.decimal,
                self.double,
                self.text,
                self.text,
                self.day,
                self.moment,
                self.truth,
            ]
        )
        return make(depth)

    def nested(self) -> str:
        """What is not compared, only passed on."""
        of = self.column
        return self.one(
            lambda: of("ints", "texts", "one", "many", "pairs"),
            lambda: of("ints", "texts", "one", "many", "pairs"),
            lambda: f"{of('one')}.fd",
            lambda: f"{of('many')}.{self.one('fa', 'fb')}",
            self.made,
            self.made,
            self.changed,
            self.changed,
            lambda: f"coalesce({of('ints')}, array(1))",
            lambda: f"CASE WHEN {self.total(1)} THEN {of('one')} END",
        )

    def made(self) -> str:
        of = self.column
        return self.one(
            lambda: f"array({self.whole(1)}, {self.number(-3, 12)}, NULL)",
            lambda: f"struct({self.any(1)} AS p, {of('one')}.fd AS q)",
            lambda: f"named_struct('p', {of('ints')}, 'q', {self.text(1)})",
            lambda: f"map('p', {self.text(1)}, 'q', {of('s')})",
            lambda: f"map(coalesce({of('k')}, -1), {self.any(1)})",
            lambda: f"split({of('s', 'v')}, '{self.one('a', '-', 'ab', ',', '[.]')}')",
        )

    def changed(self) -> str:
        of, place = self.column, self.number(1, 3)
        return self.one(
            lambda: f"sort_array({of('ints', 'texts')}{self.one('', ', false')})",
            lambda: f"array_distinct({of('ints', 'texts')})",
            lambda: f"concat({of('ints')}, array({of('t')}, {self.number(-3, 12)}))",
            lambda: f"concat({of('texts')}, {of('texts')})",
            lambda: f"slice({of('ints', 'texts', 'many')}, {place}, {self.number(0, 3)})",
            lambda: f"reverse({of('ints', 'texts', 'many')})",
            lambda: f"filter({of('ints')}, e -> e {self.one(*SIGNS)} {of('i')})",
            lambda: f"filter({of('many')}, e -> e.fb IS {self.one('', 'NOT ')}NULL)",
            lambda: f"transform({of('many')}, e -> e.{self.one('fa', 'fb')})",
            lambda: f"transform({of('texts')}, e -> {self.one('length(e)', 'trim(e)', 'substring(e, 2)', 'e || 1')})",
            lambda: f"{self.one('map_keys', 'map_values')}({of('pairs')})",
            lambda: f"map_entries({of('pairs')})",
        )
