"""The 43 questions of ClickBench, with ORDER BYs that decide every row's place.

Numbers that belong to the original's hundred million rows (how many hits make a site large, how many rows are passed over) follow
the size of the data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sqe.bench.suites.portable import read
from sqe.bench.suites.suite import Query


@dataclass(frozen=True)
class Parameters:
    person: int
    page: int
    referer: int
    share: float  # of the original's rows

    def large(self) -> int:
        """More hits than this make a site large: one in a thousand."""
        return max(round(100_000 * self.share), 5)

    def skip(self, rows: int) -> int:
        """How many rows are passed over, of what the original passes over."""
        return int(rows * self.share)


_FLOAT = 1e-9  # averages of whole numbers: engines add them up in different orders
_SITE = "CounterID = 62 AND EventDate >= DATE '2013-07-01' AND EventDate <= DATE '2013-07-31' AND IsRefresh = 0"
_NEW = "DontCountHits = 0"
_DOMAIN = "regexp_replace(Referer, '^https?://(?:www[.])?([^/]+)/.*$', '{}')"


def _top(columns: str, counted: str, where: str = "", limit: str = "LIMIT 10", having: str = "") -> str:
    """Groups by `columns`, the largest first; columns break ties."""
    names = ", ".join(column.rpartition(" AS ")[2] for column in columns.split(", "))
    grouped = ", ".join(column.partition(" AS ")[0] for column in columns.split(", "))
    label = counted.rpartition(" AS ")[2] if counted.count(" AS ") == 1 else "c"
    parts = (f"WHERE {where}" if where else "", f"GROUP BY {grouped}", having, f"ORDER BY {label} DESC, {names}", limit)
    return f"SELECT {columns}, {counted} FROM hits " + " ".join(part for part in parts if part)


def texts(of: Parameters) -> list[Query]:
    widths = ", ".join(f"sum(ResolutionWidth + {more}) AS plus_{more}" for more in range(90))
    visits = "count(*) AS c, sum(IsRefresh) AS refreshed, avg(ResolutionWidth) AS width"
    sums = "sum(AdvEngineID) AS advertised, count(*) AS c, avg(ResolutionWidth) AS width, count(DISTINCT UserID) AS people"
    minute = "SELECT {} AS m, count(*) AS views FROM hits WHERE CounterID = 62 AND EventDate BETWEEN DATE '2013-07-14' AND DATE "
    minute += f"'2013-07-15' AND IsRefresh = 0 AND {_NEW} GROUP BY {{}} ORDER BY m "
    source = "CASE WHEN SearchEngineID = 0 AND AdvEngineID = 0 THEN Referer ELSE '' END AS src"
    domains = (
        f"SELECT {_DOMAIN} AS k, avg(length(Referer)) AS l, count(*) AS c, min(Referer) AS first FROM hits WHERE Referer <> '' "
        f"GROUP BY {_DOMAIN} HAVING count(*) > {of.large()} ORDER BY l DESC, k LIMIT 25"
    )
    found = "SearchPhrase <> ''"
    truncated = "date_trunc('minute', EventTime)"
    # Spark's date_trunc answers with a time zone also where the column has none.
    as_column = f"CAST({truncated} AS TIMESTAMP_NTZ)"
    tenth = f"LIMIT 10 OFFSET {of.skip(1_000)}"
    numbered = [
        "SELECT count(*) AS c FROM hits",
        "SELECT count(*) AS c FROM hits WHERE AdvEngineID <> 0",
        "SELECT sum(AdvEngineID) AS s, count(*) AS c, avg(ResolutionWidth) AS w FROM hits",
        "SELECT avg(UserID) AS a FROM hits",
        "SELECT count(DISTINCT UserID) AS c FROM hits",
        "SELECT count(DISTINCT SearchPhrase) AS c FROM hits",
        "SELECT min(EventDate) AS first, max(EventDate) AS last FROM hits",
        _top("AdvEngineID", "count(*) AS c", "AdvEngineID <> 0", limit=""),
        _top("RegionID", "count(DISTINCT UserID) AS u"),
        _top("RegionID", sums),
        _top("MobilePhoneModel", "count(DISTINCT UserID) AS u", "MobilePhoneModel <> ''"),
        _top("MobilePhone, MobilePhoneModel", "count(DISTINCT UserID) AS u", "MobilePhoneModel <> ''"),
        _top("SearchPhrase", "count(*) AS c", found),
        _top("SearchPhrase", "count(DISTINCT UserID) AS u", found),
        _top("SearchEngineID, SearchPhrase", "count(*) AS c", found),
        _top("UserID", "count(*) AS c"),
        _top("UserID, SearchPhrase", "count(*) AS c"),
        # The original asks for any ten groups; ten that are always the same can be compared.
        "SELECT UserID, SearchPhrase, count(*) AS c FROM hits GROUP BY UserID, SearchPhrase ORDER BY UserID, SearchPhrase "
        "LIMIT 10",
        _top("UserID, extract(MINUTE FROM EventTime) AS m, SearchPhrase", "count(*) AS c"),
        f"SELECT UserID FROM hits WHERE UserID = {of.person}",
        "SELECT count(*) AS c FROM hits WHERE URL LIKE '%google%'",
        _top("SearchPhrase", "min(URL) AS url, count(*) AS c", f"URL LIKE '%google%' AND {found}"),
        _top(
            "SearchPhrase",
            "min(URL) AS url, min(Title) AS title, count(*) AS c, count(DISTINCT UserID) AS people",
            f"Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND {found}",
        ),
        "SELECT * FROM hits WHERE URL LIKE '%google%' ORDER BY EventTime, WatchID LIMIT 10",
        f"SELECT SearchPhrase FROM hits WHERE {found} ORDER BY EventTime, WatchID LIMIT 10",
        f"SELECT SearchPhrase FROM hits WHERE {found} ORDER BY SearchPhrase LIMIT 10",
        f"SELECT SearchPhrase FROM hits WHERE {found} ORDER BY EventTime, SearchPhrase LIMIT 10",
        f"SELECT CounterID, avg(length(URL)) AS l, count(*) AS c FROM hits WHERE URL <> '' GROUP BY CounterID "
        f"HAVING count(*) > {of.large()} ORDER BY l DESC, CounterID LIMIT 25",
        domains.replace("{}", "$1"),
        f"SELECT {widths} FROM hits",
        _top("SearchEngineID, ClientIP", visits, found),
        _top("WatchID, ClientIP", visits, found),
        _top("WatchID, ClientIP", visits),
        _top("URL", "count(*) AS c"),
        "SELECT 1 AS one, URL, count(*) AS c FROM hits GROUP BY 1, URL ORDER BY c DESC, URL LIMIT 10",
        _top("ClientIP, ClientIP - 1 AS a, ClientIP - 2 AS b, ClientIP - 3 AS d", "count(*) AS c"),
        _top("URL", "count(*) AS views", f"{_SITE} AND {_NEW} AND URL <> ''"),
        _top("Title", "count(*) AS views", f"{_SITE} AND {_NEW} AND Title <> ''"),
        _top("URL", "count(*) AS views", f"{_SITE} AND IsLink <> 0 AND IsDownload = 0", tenth),
        _top(f"TraficSourceID, SearchEngineID, AdvEngineID, {source}, URL AS dst", "count(*) AS views", _SITE, tenth),
        _top(
            "URLHash, EventDate",
            "count(*) AS views",
            f"{_SITE} AND TraficSourceID IN (-1, 6) AND RefererHash = {of.referer}",
            f"LIMIT 10 OFFSET {of.skip(100)}",
        ),
        _top(
            "WindowClientWidth, WindowClientHeight",
            "count(*) AS views",
            f"{_SITE} AND {_NEW} AND URLHash = {of.page}",
            f"LIMIT 10 OFFSET {of.skip(10_000)}",
        ),
        minute.format(as_column, as_column) + tenth,
    ]
    otherwise = {
        29: {"duckdb": domains.replace("{}", r"\1")},
        43: {dialect: minute.format(truncated, truncated) + tenth for dialect in ("duckdb", "trino")},
    }
    return [_query(number, sql, otherwise.get(number, {})) for number, sql in enumerate(numbered, 1)]


def _query(number: int, sql: str, otherwise: Mapping[str, str]) -> Query:
    # Trino wants the OFFSET before the LIMIT.
    spoken = {"trino": re.sub(r"(LIMIT \d+) (OFFSET \d+)$", r"\2 \1", otherwise.get("trino", sql))}
    return read(f"q{number:02}", sql, _FLOAT if "avg(" in sql else 0.0, **{**otherwise, **spoken})
