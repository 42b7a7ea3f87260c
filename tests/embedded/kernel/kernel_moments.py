"""Random days and times."""

from __future__ import annotations

from kernel_kinds import Kinds
from kernel_tables import DAYS

_DATE_UNITS = ["YEAR", "MONTH", "WEEK", "QUARTER", "MM", "yy", "MON", "YYYY"]
_TIME_UNITS = ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "DD", "MON"]
_STEPS = ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"]
MOMENTS = [
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2000-02-29 12:00:00",
    "2016-12-31 23:59:59",
    "2024-02-29 23:59:59.5",
]


class Moments(Kinds):
    def day(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("day"), lambda: self.column("day", "day", "far"), lambda: f"DATE '{self.draw.choice(DAYS)}'"
            )
        left = depth - 1
        return self.one(
            lambda: f"date_add({self.day(left)}, {self.number(-400, 400)})",
            lambda: f"date_sub({self.day(left)}, {self.one('1', '366', lambda: self.column('t'))})",
            lambda: f"add_months({self.day(left)}, {self.one(lambda: self.number(-30, 30), lambda: self.column('t', 'h'))})",
            lambda: f"last_day({self.day(left)})",
            lambda: f"trunc({self.day(left)}, '{self.one(*_DATE_UNITS)}')",
            lambda: f"({self.day(left)} {self.one('+', '-')} INTERVAL '{self.number(1, 14)}' MONTH)",
            lambda: f"({self.day(left)} + {self.number(-40, 40)})",
            lambda: f"CAST({self.moment(left)} AS DATE)",
            lambda: f"CAST({self.column('v')} AS DATE)",
            lambda: f"to_date({self.column('v')}, 'yyyy-MM-dd')",
            lambda: f"date_from_unix_date({self.column('t', 'h')})",
            lambda: f"make_date(2000 + {self.column('t')}, {self.number(1, 12)}, {self.number(1, 28)})",
            lambda: f"{self.one('greatest', 'least')}({self.day(left)}, {self.day(0)})",
            lambda: self.chosen(self.day, depth),
        )

    def moment(self, depth: int) -> str:
        if self.ends(depth):
            return self.one(
                lambda: self.column("at"), lambda: self.column("at", "here"), lambda: f"TIMESTAMP '{self.one(*MOMENTS)}'"
            )
        return self.one(
            lambda: f"coalesce({self.column('at')}, TIMESTAMP '{self.one(*MOMENTS)}')",
            lambda: f"date_trunc('{self.one(*_TIME_UNITS)}', {self.column('at', 'here')})",
            lambda: f"CAST({self.column('v', 'q', 'q')} AS {self.one('TIMESTAMP', 'TIMESTAMP_NTZ')})",
            lambda: f"CAST({self.day(0)} AS {self.one('TIMESTAMP', 'TIMESTAMP_NTZ')})",
            lambda: f"CAST({self.column('at')} AS TIMESTAMP_NTZ)",
            lambda: f"CAST({self.column('here')} AS TIMESTAMP)",
            lambda: f"CAST(CAST({self.column('t', 'h', 'i')} AS BIGINT) AS TIMESTAMP)",
            lambda: f"to_timestamp({self.column('q')}, 'yyyy-MM-dd HH:mm:ss')",
            lambda: f"({self.column('at', 'here')} {self.one('+', '-')} INTERVAL '{self.number(0, 90)}' {self.one(*_STEPS)})",
            lambda: f"({self.column('at', 'here')} {self.one('+', '-')} INTERVAL '3 04:05:06.7' DAY TO SECOND)",
            lambda: (
                f"timestampadd({self.one(*_STEPS, 'WEEK', 'QUARTER')}, "
                f"{self.one(lambda: self.number(-40, 40), lambda: self.column('t'))}, {self.column('at', 'here')})"
            ),
            lambda: f"{self.one('timestamp_seconds', 'timestamp_millis', 'timestamp_micros')}({self.column('t', 'i')})",
            lambda: f"{self.one('greatest', 'least')}({self.column('at')}, TIMESTAMP '{self.one(*MOMENTS)}')",
        )
