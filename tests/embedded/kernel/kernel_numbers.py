"""Random numbers: whole ones, decimals, doubles."""

from __future__ import annotations

from kernel_kinds import Kinds

_DECIMALS = ["0.5", "-1.25", "10.00", "0.001", "3.0", "1", "0.0", "99999999999999999999.5", "-0.000000000000000001"]
_UNITS = ["DAY", "HOUR", "WEEK", "SECOND", "MONTH", "YEAR", "QUARTER", "MINUTE", "MILLISECOND"]


class Numbers(Kinds):
    def whole(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("t", "h", "i", "l"),
                lambda: self.column("t", "h", "i"),
                lambda: self.number(-3, 12),
                lambda: self.one("2147483647", "-2147483648", "9223372036854775807", "CAST(3 AS TINYINT)", "CAST(NULL AS INT)"),
            )
        left = depth - 1
        return self.one(
            lambda: f"({self.whole(left)} {self.one('+', '-', '*')} {self.whole(left)})",
            lambda: f"({self.whole(left)} {self.one('%', 'div')} {self.whole(left)})",
            lambda: f"({self.whole(left)} {self.one('&', '|', '^')} {self.whole(left)})",
            lambda: f"{self.one('-', '+', '~', 'abs')}({self.whole(left)})",
            lambda: f"shiftright({self.whole(left)}, {self.number(0, 9)})",
            lambda: f"round({self.whole(left)}, {self.number(0, 2)})",
            lambda: f"{self.one('try_add', 'try_subtract', 'try_multiply')}({self.column('t', 'i')}, {self.number(-3, 12)})",
            lambda: f"{self.one('floor', 'ceil')}({self.column('t', 'h', 'i')} / {self.one('2', '-3', '7')})",
            lambda: f"{self.one('length', 'octet_length')}({self.text(left)})",
            lambda: f"instr({self.text(left)}, '{self.one('a', 'ß', '🙂')}')",
            lambda: f"locate('{self.one('a', 'ß', 'b')}', {self.text(left)})",
            lambda: f"{self.one('greatest', 'least')}({self.whole(left)}, {self.whole(left)}, 3)",
            *[lambda: self.whole_of_a_day(left)] * 6,  # of many functions
            *[lambda: self.whole_of_a_moment()] * 4,
            *[lambda: self.whole_of_nested()] * 4,
            lambda: f"CAST({self.column('b', 'c')} AS INT)",
            lambda: f"CAST({self.column('t', 'h', 'i', 'l')} AS {self.one('BIGINT', 'INT', 'SMALLINT', 'TINYINT')})",
            lambda: f"CAST({self.column('m')} AS {self.one('INT', 'BIGINT', 'BIGINT', 'SMALLINT')})",
            lambda: f"CAST({self.column('x', 'g', 'd', 'e', 'w', 'z')} AS {self.one('INT', 'BIGINT')})",
            lambda: self.chosen(self.whole, depth),
        )

    def whole_of_a_day(self, depth: int) -> str:
        part = self.one("year", "quarter", "month", "day", "dayofyear", "dayofweek", "weekofyear", "weekday")
        return self.one(
            lambda: f"{part}({self.one(lambda: self.day(depth), lambda: self.moment(0))})",
            lambda: f"{part}({self.day(depth)})",
            lambda: f"datediff({self.day(depth)}, {self.day(0)})",
            lambda: f"unix_date({self.day(depth)})",
            lambda: f"EXTRACT({self.one('YEAROFWEEK', 'DOW_ISO', 'WEEK', 'MONTH')} FROM {self.day(depth)})",
        )

    def whole_of_a_moment(self) -> str:
        return self.one(
            lambda: f"{self.one('hour', 'minute', 'second')}({self.moment(0)})",
            lambda: f"{self.one('hour', 'minute', 'second')}({self.column('at', 'here')})",
            lambda: f"timestampdiff({self.one(*_UNITS)}, {self.moment(0)}, {self.moment(0)})",
            lambda: f"{self.one('unix_timestamp', 'to_unix_timestamp')}({self.column('at')})",
            lambda: f"{self.one('unix_seconds', 'unix_micros')}({self.column('at')})",
            lambda: f"CAST({self.column('at')} AS BIGINT)",
        )

    def whole_of_nested(self) -> str:
        of, place = self.column, self.one("1", "2", "-1", "-2", "5", lambda: self.column("t"))
        return self.one(
            lambda: f"{of('one')}.{self.one('fa', 'fd.fa')}",
            lambda: f"try_element_at({of('ints')}, {place if place[-1].isdigit() else '1'})",
            lambda: f"get({of('ints')}, {place})",
            lambda: f"{of('ints')}[{self.number(0, 1)}]",
            lambda: f"element_at({of('ints')}, {self.one('1', '-1')})",
            lambda: f"{of('pairs')}['{self.one('a', '', 'ß')}']",
            lambda: f"{self.one('element_at', 'try_element_at')}({of('pairs')}, {self.text(0)})",
            lambda: f"{self.one('size', 'cardinality')}({of('ints', 'texts', 'many')})",
            lambda: f"array_size({of('ints', 'texts', 'many')})",
            lambda: f"{self.one('size', 'cardinality')}({of('pairs')})",
            lambda: f"{self.one('array_min', 'array_max')}({of('ints')})",
            lambda: f"array_position({of('ints')}, {self.whole(0)})",
            lambda: f"array_position({of('texts')}, {of('s', 'u')})",
            lambda: f"get({of('many')}, 0).fa",
        )

    def decimal(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(lambda: self.column("d", "e", "w", "z"), lambda: self.column("d", "e"), lambda: self.one(*_DECIMALS))
        left = depth - 1
        return self.one(
            lambda: f"({self.decimal(left)} {self.one('+', '-', '*', '/')} {self.decimal(left)})",
            lambda: f"({self.decimal(left)} {self.one('+', '-', '*')} {self.whole(0)})",
            lambda: f"({self.decimal(left)} % {self.one(lambda: self.decimal(0), '0.7', '-3')})",
            lambda: f"({self.decimal(left)} / {self.one('-0.7', '3', '-3', '0.03', '7.000000')})",
            lambda: f"{self.one('try_add', 'try_multiply', 'try_divide')}({self.decimal(left)}, {self.decimal(0)})",
            lambda: f"{self.one('-', 'abs')}({self.decimal(left)})",
            lambda: f"{self.one('greatest', 'least')}({self.decimal(left)}, {self.decimal(left)})",
            lambda: f"CAST({self.column('t', 'h', 'i')} AS DECIMAL(12,2))",
            lambda: f"CAST({self.decimal(left)} AS DECIMAL({self.one('20,6', '38,0', '38,18', '9,1', '18,18', '38,37')}))",
            lambda: f"CAST({self.column('n', 'm')} AS DECIMAL({self.one('10,3', '12,0', '7,1', '38,18')}))",
            lambda: self.wide(self.decimal(left), self.decimal(0)),
            lambda: f"{self.column('one')}.fc",
            lambda: f"CAST({self.double(left)} AS DECIMAL({self.one('10,2', '20,4', '38,6')}))",
            lambda: f"round({self.decimal(left)}, {self.number(0, 4)})",
            lambda: f"{self.one('floor', 'ceil')}({self.decimal(left)})",
            lambda: f"EXTRACT(SECOND FROM {self.moment(0)})",
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
            lambda: f"{self.one('-', 'abs', 'sqrt', 'sign')}({self.double(left)})",
            lambda: f"CAST({self.column('t', 'i', 'l')} AS DOUBLE)",
            lambda: f"CAST({self.column('d', 'e', 'w', 'z', 'n', 'm')} AS DOUBLE)",
            lambda: f"({self.whole(left)} / {self.whole(left)})",
            lambda: f"round({self.double(left)}, {self.number(0, 4)})",
            lambda: f"try_divide({self.double(left)}, {self.double(0)})",
            lambda: self.chosen(self.double, depth),
        )
