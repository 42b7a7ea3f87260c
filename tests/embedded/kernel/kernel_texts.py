"""Random texts."""

from __future__ import annotations

from kernel_kinds import Kinds

PATTERNS = ["a", "[a-z]+", "(a|ab)", "a?b*?", "[^a]", "..$", ".*", "(?:S|a)(t|%)?", "[ä]", "\\\\d+", "\\\\w", "b$", "(a)(b)?"]
_SHOWN = ["yyyy-MM", "dd.MM.yyyy HH:mm:ss", "MMMM, EEE", "hh a", "EEEE dd/MM", "MMM yyyy", "E, HH:mm"]


class Texts(Kinds):
    def text(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("s", "u"), lambda: self.column("s", "u"), lambda: self.one("'a'", "'ß'", "''", "'🙂'")
            )
        left = depth - 1
        return self.one(
            lambda: f"concat({self.text(left)}, {self.text(left)})",
            lambda: f"({self.text(left)} || {self.one(lambda: self.whole(0), lambda: self.column('d'), lambda: self.text(0))})",
            lambda: f"concat_ws('{self.one('', '-', 'ß')}', {self.text(left)}, {self.text(left)})",
            *[lambda: self.part_of_text(left)] * 3,  # of many functions
            lambda: f"{self.one('upper', 'lower')}({self.column('n', 'm', 'v', 's')})",
            lambda: f"{self.one('initcap', 'reverse')}({self.column('n', 'v', 'm', 'q')})",
            lambda: f"{self.one('trim', 'ltrim', 'rtrim', 'btrim')}({self.text(left)})",
            lambda: f"replace({self.text(left)}, '{self.one('a', 'ab', 'ß', ' ')}', '{self.one('ß', '', 'aa')}')",
            lambda: f"translate({self.text(left)}, 'aß🙂b', '{self.one('', 'xy', 'ä')}')",
            lambda: f"{self.one('lpad', 'rpad')}({self.text(left)}, {self.number(-1, 6)}, '{self.one('x', 'ß🙂', 'ab')}')",
            lambda: f"repeat({self.text(left)}, {self.number(-1, 3)})",
            *[lambda: self.text_of_nested()] * 3,
            *[lambda: self.text_of_a_moment()] * 2,
            lambda: self.hashed(left),
            lambda: f"regexp_replace({self.column('n', 'v', 's')}, '^{self.one(*PATTERNS)}', '<$0>')",
            lambda: f"regexp_extract({self.column('n', 'v', 's')}, '{self.one(*PATTERNS)}', 0)",
            lambda: f"regexp_extract({self.column('v', 'q')}, '(\\\\d+)-(\\\\d+)', {self.number(1, 2)})",
            lambda: f"CAST({self.column('t', 'i', 'l', 'd', 'e', 'w', 'z', 'b', 'day')} AS STRING)",
            lambda: f"{self.one('greatest', 'least')}({self.text(left)}, {self.text(0)})",
            lambda: self.chosen(self.text, depth),
        )

    def part_of_text(self, left: int) -> str:
        return self.one(
            lambda: f"substring({self.text(left)}, {self.number(-4, 3)}, {self.number(-1, 3)})",
            lambda: f"substring({self.text(left)}, {self.number(-3, 3)})",
            lambda: f"substring({self.text(left)}, {self.column('t', 'h')}, {self.column('t', 'h')})",
            lambda: (
                f"{self.one('left', 'right')}({self.text(left)}, {self.one(lambda: self.number(0, 3), lambda: self.column('t'))})"
            ),
            lambda: f"split_part({self.text(left)}, '{self.one('a', '-', 'ab', '🙂')}', {self.one('1', '2', '-1', '-2', '9')})",
            lambda: f"substring_index({self.text(left)}, '{self.one('a', '-', 'b')}', {self.one('1', '2', '-1', '-2')})",
        )

    def hashed(self, left: int) -> str:
        return self.one(
            lambda: f"{self.one('md5', 'sha1')}({self.text(left)})", lambda: f"sha2({self.text(left)}, {self.one('0', '256')})"
        )

    def text_of_a_moment(self) -> str:
        return self.one(
            lambda: f"date_format({self.moment(0)}, '{self.one(*_SHOWN)}')",
            lambda: f"CAST({self.moment(0)} AS STRING)",
            lambda: f"{self.one('dayname', 'monthname')}({self.day(0)})",
            lambda: f"from_unixtime({self.column('t', 'h', 'i')}, '{self.one(*_SHOWN)}')",
        )

    def text_of_nested(self) -> str:
        of = self.column
        return self.one(
            lambda: f"{of('one')}.{self.one('fb', 'fd.fb')}",
            lambda: f"try_element_at({of('texts')}, {self.one('1', '-1', '3')})",
            lambda: f"get({of('many')}, {self.number(-1, 2)}).fb",
            lambda: f"array_join({of('texts')}, '{self.one(',', '', 'ß')}'{self.one('', chr(44) + repr('none'))})",
            lambda: f"{self.one('array_min', 'array_max')}({of('texts')})",
            lambda: f"get_json_object({of('js')}, '$.{self.one('a', 'b.c', 'none')}')",
        )
