"""Random expressions over the columns of `kernel_tables`: what the native kernel knows, and a little that it leaves to Spark."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from kernel_tables import DAYS

Make = Callable[[int], str]

_PATTERNS = ["a", "[a-z]+", "(a|ab)", "a?b*?", "[^a]", "..$", ".*", "(?:S|a)(t|%)?", "[ä]", "\\\\d+", "\\\\w", "b$", "(a)(b)?"]
_LIKES = [
    "a%",
    "%a",
    "%a%",
    "_",
    "__",
    "a_b",
    "%",
    "",
    "%ß%",
    "%_%",
    "a%b",
    "_%\u00e9",
    "%\\\\%%",
    "a\\\\_b",
    "\\\\%",
    "%.%",
    "[a]%",
    "x%x",
    "🙂",
    "%🙂_%",
]
_SIGNS = ["=", "<>", "<", "<=", ">", ">="]
_DATE_UNITS = ["YEAR", "MONTH", "WEEK", "QUARTER", "MM", "yy"]
_TIME_UNITS = ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"]
_STEPS = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"]
_MOMENTS = [
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2000-02-29 12:00:00",
    "2016-12-31 23:59:59",
    "2024-02-29 23:59:59.5",
]
_DECIMALS = ["0.5", "-1.25", "10.00", "0.001", "3.0", "1", "0.0", "99999999999999999999.5", "-0.000000000000000001"]


class Expressions:
    """By kind: each maker takes the depth that is left and gives SQL."""

    def __init__(self, draw: random.Random, names: Mapping[str, str]) -> None:
        self.draw = draw
        self._names = names
        self.alias = ""

    def column(self, *kinds: str) -> str:
        return self.alias + self._names[self.draw.choice(kinds)]

    def one(self, *choices: str | Callable[[], str]) -> str:
        """One of them; those that are made are made only when chosen."""
        chosen = self.draw.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def any(self, depth: int) -> str:
        make = self.draw.choice(
            [self.whole, self.whole, self.decimal, self.decimal, self.double, self.text, self.day, self.moment, self.truth]
        )
        return make(depth)

    def any_column(self) -> str:
        return self.column("t", "h", "i", "l", "d", "e", "w", "z", "x", "g", "s", "u", "b", "day", "far", "at", "here", "n", "v")

    def ends(self, depth: int) -> bool:
        return depth <= 0 or self.draw.random() < 0.3

    def chosen(self, make: Make, depth: int) -> str:
        left = depth - 1
        return self.one(
            lambda: f"CASE WHEN {self.total(left)} THEN {make(left)} ELSE {make(left)} END",
            lambda: f"CASE WHEN {self.total(1)} THEN {make(left)} WHEN {self.condition(left)} THEN {make(left)} END",
            lambda: f"CASE {self.column('i', 't')} WHEN 1 THEN {make(left)} WHEN 2 THEN {make(left)} ELSE {make(left)} END",
            lambda: f"coalesce({make(left)}, {make(left)})",
            lambda: f"nvl({make(left)}, {make(left)})",
            lambda: f"nullif({make(left)}, {make(left)})",
            lambda: f"nvl2({self.any_column()}, {make(left)}, {make(left)})",
            lambda: f"if({self.total(left)}, {make(left)}, NULL)",
        )

    def nested(self) -> str:
        """What is not compared, only passed on."""
        of, number = self.column, self.draw.randint(-3, 12)
        return self.one(
            lambda: of("ints", "texts", "one", "many", "pairs"),
            lambda: of("ints", "texts", "one", "many", "pairs"),
            lambda: f"{of('one')}.fd",
            lambda: f"{of('many')}.{self.one('fa', 'fb')}",
            lambda: f"array({self.whole(1)}, {number}, NULL)",
            lambda: f"struct({self.any(1)} AS p, {of('one')}.fd AS q)",
            lambda: f"named_struct('p', {of('ints')}, 'q', {self.text(1)})",
            lambda: f"map('p', {self.text(1)}, 'q', {of('s')})",
            lambda: f"sort_array({of('ints', 'texts')}{self.one('', ', false')})",
            lambda: f"array_distinct({of('ints', 'texts')})",
            lambda: f"concat({of('ints')}, array({self.column('t')}, {number}))",
            lambda: f"slice({of('ints', 'texts', 'many')}, {self.draw.randint(1, 3)}, {self.draw.randint(0, 3)})",
            lambda: f"reverse({of('ints', 'many')})",
            lambda: f"filter({of('ints')}, e -> e {self.one(*_SIGNS)} {self.column('i')})",
            lambda: f"transform({of('many')}, e -> e.fb)",
            lambda: f"{self.one('map_keys', 'map_values', 'map_entries')}({of('pairs')})",
            lambda: f"split({of('s', 'v')}, '{self.one('a', '-', 'ab', ',')}')",
            lambda: f"coalesce({of('ints')}, array(1))",
            lambda: f"CASE WHEN {self.total(1)} THEN {of('one')} END",
        )

    def whole(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("t", "h", "i", "l"),
                lambda: self.column("t", "h", "i"),
                lambda: str(self.draw.randint(-3, 12)),
                lambda: self.one("2147483647", "-2147483648", "9223372036854775807", "CAST(3 AS TINYINT)", "CAST(NULL AS INT)"),
            )
        left = depth - 1
        return self.one(
            lambda: f"({self.whole(left)} {self.one('+', '-', '*')} {self.whole(left)})",
            lambda: f"({self.whole(left)} {self.one('%', 'div')} {self.whole(left)})",
            lambda: f"({self.whole(left)} {self.one('&', '|')} {self.whole(left)})",
            lambda: f"{self.one('-', '+', 'abs')}({self.whole(left)})",
            lambda: f"shiftright({self.whole(left)}, {self.draw.randint(0, 9)})",
            lambda: f"length({self.text(left)})",
            lambda: f"instr({self.text(left)}, '{self.one('a', 'ß', '🙂')}')",
            lambda: f"{self.one('greatest', 'least')}({self.whole(left)}, {self.whole(left)}, 3)",
            lambda: self.of_a_day(left),
            lambda: f"{self.one('hour', 'minute', 'second')}({self.moment(0)})",
            lambda: self.whole_of_nested(),
            lambda: f"({self.whole(left)} ^ {self.whole(left)})",
            lambda: f"~{self.whole(left)}",
            lambda: f"weekday({self.day(left)})",
            lambda: f"{self.one('floor', 'ceil')}({self.decimal(left)})",
            lambda: (
                f"timestampdiff({self.one('DAY', 'HOUR', 'WEEK', 'SECOND', 'MONTH', 'YEAR')}, {self.moment(0)}, {self.moment(0)})"
            ),
            lambda: f"{self.one('unix_timestamp', 'unix_seconds')}({self.column('at')})",
            lambda: f"CAST({self.column('b', 'c')} AS INT)",
            lambda: f"CAST({self.column('t', 'h', 'i', 'l')} AS {self.one('BIGINT', 'INT', 'SMALLINT', 'TINYINT')})",
            lambda: f"CAST({self.column('m')} AS {self.one('INT', 'BIGINT', 'BIGINT', 'SMALLINT')})",
            lambda: f"CAST({self.column('x', 'g', 'd', 'e', 'w', 'z')} AS {self.one('INT', 'BIGINT')})",
            lambda: self.chosen(self.whole, depth),
        )

    def whole_of_nested(self) -> str:
        of, place = self.column, self.one("1", "2", "-1", "-2", "5", lambda: self.column("t"))
        return self.one(
            lambda: f"{of('one')}.{self.one('fa', 'fd.fa')}",
            lambda: f"try_element_at({of('ints')}, {place if place[-1].isdigit() else '1'})",
            lambda: f"get({of('ints')}, {place})",
            lambda: f"{of('ints')}[{self.draw.randint(0, 1)}]",
            lambda: f"element_at({of('ints')}, {self.one('1', '-1')})",
            lambda: f"{of('pairs')}['{self.one('a', '', 'ß')}']",
            lambda: f"element_at({of('pairs')}, {self.text(0)})",
            lambda: f"{self.one('size', 'cardinality')}({of('ints', 'texts', 'many', 'pairs')})",
            lambda: f"{self.one('array_min', 'array_max')}({of('ints')})",
            lambda: f"array_position({of('ints')}, {self.whole(0)})",
            lambda: f"get({of('many')}, 0).fa",
        )

    def text_of_nested(self) -> str:
        of = self.column
        return self.one(
            lambda: f"{of('one')}.{self.one('fb', 'fd.fb')}",
            lambda: f"try_element_at({of('texts')}, {self.one('1', '-1', '3')})",
            lambda: f"get({of('many')}, {self.draw.randint(-1, 2)}).fb",
            lambda: f"array_join({of('texts')}, '{self.one(',', '', 'ß')}'{self.one('', chr(44) + repr('none'))})",
            lambda: f"{self.one('array_min', 'array_max')}({of('texts')})",
            lambda: f"get_json_object({of('js')}, '$.{self.one('a', 'b.c', 'none')}')",
        )

    def of_a_day(self, depth: int) -> str:
        part = self.one("year", "quarter", "month", "day", "dayofyear", "dayofweek", "weekofyear", "datediff")
        if part == "datediff":
            return f"datediff({self.day(depth)}, {self.day(0)})"
        return f"{part}({self.one(lambda: self.day(depth), lambda: self.moment(0))})"

    def decimal(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(lambda: self.column("d", "e", "w", "z"), lambda: self.column("d", "e"), lambda: self.one(*_DECIMALS))
        left = depth - 1
        return self.one(
            lambda: f"({self.decimal(left)} {self.one('+', '-', '*', '/')} {self.decimal(left)})",
            lambda: f"({self.decimal(left)} {self.one('+', '-', '*')} {self.whole(0)})",
            lambda: f"({self.decimal(left)} % {self.one(lambda: self.decimal(0), '0.7', '-3')})",
            lambda: f"({self.decimal(left)} / {self.one('-0.7', '3', '-3', '0.03', '7.000000')})",
            lambda: f"{self.one('-', 'abs')}({self.decimal(left)})",
            lambda: f"{self.one('greatest', 'least')}({self.decimal(left)}, {self.decimal(left)})",
            lambda: f"CAST({self.column('t', 'h', 'i')} AS DECIMAL(12,2))",
            lambda: f"CAST({self.decimal(left)} AS DECIMAL({self.one('20,6', '38,0', '38,18', '9,1', '18,18', '38,37')}))",
            lambda: f"CAST({self.column('n', 'm')} AS DECIMAL({self.one('10,3', '12,0', '7,1', '38,18')}))",
            lambda: self.wide(self.decimal(left), self.decimal(0)),
            lambda: f"{self.column('one')}.fc",
            lambda: f"CAST({self.double(left)} AS DECIMAL({self.one('10,2', '20,4', '38,6')}))",
            lambda: f"round({self.decimal(left)}, {self.draw.randint(0, 4)})",
            lambda: self.chosen(self.decimal, depth),
        )

    def wide(self, a: str, b: str) -> str:
        """Of more digits than there are: Spark cuts the result."""
        return f"(CAST({a} AS DECIMAL(30,10)) {self.one('+', '-', '*', '/')} CAST({b} AS DECIMAL(38,12)))"

    def double(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("x", "x", "g"), "CAST(1.5 AS DOUBLE)", "CAST('NaN' AS DOUBLE)", "-0.0D", "1e-320D"
            )
        left = depth - 1
        return self.one(
            lambda: f"({self.double(left)} {self.one('+', '-', '*', '/', '%')} {self.double(left)})",
            lambda: f"{self.one('-', 'abs')}({self.double(left)})",
            lambda: f"CAST({self.column('t', 'i', 'l')} AS DOUBLE)",
            lambda: f"CAST({self.column('d', 'e', 'w', 'z', 'n', 'm')} AS DOUBLE)",
            lambda: f"({self.whole(left)} / {self.whole(left)})",
            lambda: f"sqrt({self.double(left)})",
            lambda: f"round({self.double(left)}, {self.draw.randint(0, 4)})",
            lambda: f"try_divide({self.double(left)}, {self.double(0)})",
            lambda: self.chosen(self.double, depth),
        )

    def text(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("s", "u"), lambda: self.column("s", "u"), lambda: self.one("'a'", "'ß'", "''", "'🙂'")
            )
        left = depth - 1
        return self.one(
            lambda: f"concat({self.text(left)}, {self.text(left)})",
            lambda: f"({self.text(left)} || {self.one(lambda: self.whole(0), lambda: self.column('d'), lambda: self.text(0))})",
            lambda: f"substring({self.text(left)}, {self.draw.randint(-4, 3)}, {self.draw.randint(-1, 3)})",
            lambda: f"substring({self.text(left)}, {self.draw.randint(-3, 3)})",
            lambda: f"{self.one('left', 'right')}({self.text(left)}, {self.draw.randint(0, 3)})",
            lambda: f"{self.one('upper', 'lower')}({self.column('n', 'm', 'v', 's')})",
            lambda: f"{self.one('trim', 'ltrim', 'rtrim')}({self.text(left)})",
            lambda: f"replace({self.text(left)}, '{self.one('a', 'ab', 'ß', ' ')}', '{self.one('ß', '', 'aa')}')",
            lambda: self.text_of_nested(),
            lambda: f"concat_ws('{self.one('', '-', 'ß')}', {self.text(left)}, {self.text(left)})",
            lambda: f"{self.one('lpad', 'rpad')}({self.text(left)}, {self.draw.randint(-1, 6)}, '{self.one('x', 'ß🙂', 'ab')}')",
            lambda: f"split_part({self.text(left)}, '{self.one('a', '-', 'ab', '🙂')}', {self.one('1', '2', '-1', '-2', '9')})",
            lambda: f"substring_index({self.text(left)}, '{self.one('a', '-', 'b')}', {self.one('1', '2', '-1', '-2')})",
            lambda: f"substring({self.text(left)}, {self.column('t', 'h')}, {self.column('t', 'h')})",
            lambda: f"{self.one('md5', 'sha1')}({self.text(left)})",
            lambda: f"initcap({self.column('n', 'v', 's')})",
            lambda: f"translate({self.text(left)}, 'aß🙂b', '{self.one('', 'xy', 'ä')}')",
            lambda: f"repeat({self.text(left)}, {self.draw.randint(-1, 3)})",
            lambda: f"date_format({self.moment(0)}, '{self.one('yyyy-MM', 'dd.MM.yyyy HH:mm:ss', 'MMMM, EEE', 'hh a')}')",
            lambda: f"CAST({self.moment(0)} AS STRING)",
            lambda: f"regexp_replace({self.column('n', 'v', 's')}, '^{self.one(*_PATTERNS)}', '<$0>')",
            lambda: f"regexp_extract({self.column('n', 'v', 's')}, '{self.one(*_PATTERNS)}', 0)",
            lambda: f"CAST({self.column('t', 'i', 'l', 'd', 'e', 'w', 'z', 'b', 'day')} AS STRING)",
            lambda: f"{self.one('greatest', 'least')}({self.text(left)}, {self.text(0)})",
            lambda: self.chosen(self.text, depth),
        )

    def day(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("day"), lambda: self.column("day", "day", "far"), lambda: f"DATE '{self.draw.choice(DAYS)}'"
            )
        left = depth - 1
        return self.one(
            lambda: f"date_add({self.day(left)}, {self.draw.randint(-400, 400)})",
            lambda: f"date_sub({self.day(left)}, {self.one('1', '366', lambda: self.column('t'))})",
            lambda: f"add_months({self.day(left)}, {self.draw.randint(-30, 30)})",
            lambda: f"last_day({self.day(left)})",
            lambda: f"trunc({self.day(left)}, '{self.one(*_DATE_UNITS)}')",
            lambda: f"({self.day(left)} {self.one('+', '-')} INTERVAL '{self.draw.randint(1, 14)}' MONTH)",
            lambda: f"({self.day(left)} + {self.draw.randint(-40, 40)})",
            lambda: f"CAST({self.moment(left)} AS DATE)",
            lambda: f"CAST({self.column('v')} AS DATE)",
            lambda: f"to_date({self.column('v')}, 'yyyy-MM-dd')",
            lambda: f"date_from_unix_date({self.column('t', 'h')})",
            lambda: f"{self.one('greatest', 'least')}({self.day(left)}, {self.day(0)})",
            lambda: self.chosen(self.day, depth),
        )

    def moment(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("at"), lambda: self.column("at", "here"), lambda: f"TIMESTAMP '{self.one(*_MOMENTS)}'"
            )
        return self.one(
            lambda: f"coalesce({self.column('at')}, TIMESTAMP '{self.one(*_MOMENTS)}')",
            lambda: f"date_trunc('{self.one(*_TIME_UNITS)}', {self.column('at', 'here')})",
            lambda: f"CAST({self.column('v')} AS {self.one('TIMESTAMP', 'TIMESTAMP_NTZ')})",
            lambda: f"CAST({self.day(0)} AS {self.one('TIMESTAMP', 'TIMESTAMP_NTZ')})",
            lambda: f"CAST({self.column('at')} AS TIMESTAMP_NTZ)",
            lambda: f"CAST({self.column('here')} AS TIMESTAMP)",
            lambda: (
                f"({self.column('at', 'here')} {self.one('+', '-')} INTERVAL '{self.draw.randint(0, 90)}' {self.one(*_STEPS)})"
            ),
            lambda: f"timestampadd({self.one(*_STEPS, 'WEEK', 'QUARTER')}, {self.draw.randint(-40, 40)}, {self.column('here')})",
        )

    def truth(self, depth: int) -> str:
        return self.one(lambda: self.total(depth), lambda: self.condition(depth))

    def condition(self, depth: int) -> str:
        """May fail."""
        left = depth - 1
        make = self.draw.choice([self.whole, self.decimal, self.double, self.text, self.day, self.moment])
        return self.one(
            lambda: f"({make(left)} {self.one(*_SIGNS, '<=>')} {make(left)})",
            lambda: f"({make(left)} {self.one(*_SIGNS, '<=>')} {make(left)})",
            lambda: f"({make(left)} {self.one('', 'NOT ')}BETWEEN {make(0)} AND {make(0)})",
            lambda: f"({make(left)} {self.one('', 'NOT ')}IN ({make(0)}, {make(0)}, {make(0)}))",
            lambda: f"({make(left)} IS {self.one('', 'NOT ')}NULL)",
        )

    def both(self, depth: int) -> str:
        """Parts that may fail beside others: their order decides."""
        parts = [self.condition(depth), self.total(1), self.truth(1)]
        self.draw.shuffle(parts)
        return " AND ".join(parts)

    def total(self, depth: int) -> str:
        """Never fails."""
        if depth > 1:
            return self.one(
                lambda: f"({self.total(depth - 1)} AND {self.total(depth - 1)})",
                lambda: f"({self.total(depth - 1)} OR {self.total(depth - 1)})",
                lambda: f"(NOT {self.total(depth - 1)})",
            )
        sign = self.one(*_SIGNS)
        return self.one(
            lambda: f"({self.column('i', 'l', 't')} {sign} {self.draw.randint(-5, 5)})",
            lambda: f"({self.column('d', 'e', 'w', 'z')} {sign} {self.draw.randint(-500, 500)}.25)",
            lambda: f"({self.column('x', 'g')} {sign} {self.column('x', 'g')})",
            lambda: f"({self.column('x')} {sign} CAST('{self.one('0', 'NaN', '1.5', '-0.0', 'Infinity')}' AS DOUBLE))",
            lambda: f"({self.column('s', 'u')} {self.one('', 'NOT ')}LIKE '{self.one(*_LIKES)}')",
            lambda: (
                f"({self.column('s', 'u')} {self.one('', 'NOT ')}IN ('a', 'ß', {self.one('NULL', lambda: self.column('u'))}))"
            ),
            lambda: f"({self.column('n', 'v', 's')} RLIKE '{self.one('^', '')}{self.one(*_PATTERNS)}')",
            lambda: f"{self.one('startswith', 'endswith', 'contains')}({self.column('s', 'u')}, '{self.one('a', 'ß', '', 'b')}')",
            lambda: f"({self.column('i', 't', 'x', 'd')} {self.one('', 'NOT ')}IN (1, 2, -3))",
            lambda: f"({self.any_column()} IS {self.one('', 'NOT ')}NULL)",
            lambda: f"({self.column('day', 'far')} {sign} DATE '{self.draw.choice(DAYS)}')",
            lambda: f"({self.column('s', 'u')} {sign} {self.column('u')})",
            lambda: self.column("b", "c"),
            lambda: f"array_contains({self.column('ints')}, {self.draw.randint(-5, 5)})",
            lambda: f"exists({self.column('texts')}, e -> e {sign} {self.column('s', 'u')})",
            lambda: f"arrays_overlap({self.column('ints')}, array(1, 2, {self.one('NULL', '3')}))",
            lambda: f"({self.column('one')}.{self.one('fa', 'fd.fa')} {sign} {self.draw.randint(-5, 5)})",
            lambda: f"({self.column('one')}.fb {sign} {self.column('s')})",
            lambda: f"({self.column('ints', 'one', 'many', 'pairs')} IS {self.one('', 'NOT ')}NULL)",
            lambda: f"{self.one('startswith', 'endswith', 'contains')}({self.column('s', 'u')}, {self.column('s', 'u')})",
            lambda: f"isnan({self.column('x', 'g')})",
            lambda: f"({self.column('at')} {sign} TIMESTAMP '{self.one(*_MOMENTS)}')",
        )
