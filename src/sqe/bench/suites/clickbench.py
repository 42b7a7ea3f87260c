"""ClickBench: 43 questions on one wide table of visits to web sites, with the skew that such data has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqe.bench.suites.clickbench_columns import TYPES, plain_columns
from sqe.bench.suites.clickbench_queries import Parameters, texts
from sqe.bench.suites.columns import Column, chosen, days_since_1970, digits, joined, phrases, table
from sqe.bench.suites.draws import Draw, Numbers, Truths
from sqe.bench.suites.suite import Query, Suite

ROWS = 99_997_497  # of the original; scale 100 has as many
SITES = 6_506
BEST_PAGES = 30
# Site numbers of the original that its questions name, by their place among the most visited.
ASKED_SITE, ASKED_SITE_PLACE = 62, 13
FIRST_SECOND = days_since_1970("2013-07-02") * 86_400
SECONDS = 30 * 86_400

_WORDS = (
    "cheap red car holiday weather tomorrow train ticket city map recipe apple cake house rent garden music free film "
    "online watch football score news paper phone price compare shop shoes winter summer school book poem lyrics game "
    "download driver bank loan job salary doctor advice dress wedding photo camera repair bicycle river fishing dog cat "
    "name meaning translate english word"
).split()
_SECTIONS = ("news", "catalog", "forum", "photo", "users", "search", "article", "video")
_MODELS = [
    f"{maker} {number}" for maker in ("Galaxy", "iPhone", "Lumia", "Xperia", "Desire", "Nexus") for number in range(1, 29)
][:166]
_SCREENS = (
    (1366, 768),
    (1280, 1024),
    (1920, 1080),
    (1024, 768),
    (1600, 900),
    (1440, 900),
    (1680, 1050),
    (320, 480),
    (2560, 1440),
)


def rows_of(scale: float) -> int:
    return max(round(ROWS / 100 * scale), 1)


def users_of(scale: float) -> int:
    return max(rows_of(scale) * 177 // 1000, 10)  # 17.6 of a hundred hits are a user's first


def hits(scale: float, rows: Numbers) -> Mapping[str, Column]:
    user = _users(scale, rows)
    site = Draw("clickbench.site").skewed(rows, SITES)
    page = _pages(scale, rows)
    google = Draw("clickbench.google").share(rows, 0.3)
    seconds = FIRST_SECOND + rows * SECONDS // rows_of(scale)
    searched = _searched(rows, google)
    return {
        **plain_columns(rows, user),
        **_people(user),
        **_addresses(rows, site, page, google),
        **_searches(scale, rows, searched),
        "WatchID": (Draw("clickbench.watch").bits(rows) >> np.uint64(1)).astype(np.int64),
        "EventTime": seconds * 1_000_000,
        "EventDate": seconds // 86_400,
        "ClientEventTime": (seconds + Draw("clickbench.clock").between(user, -600, 600)) * 1_000_000,
        "LocalEventTime": (seconds + 4 * 3600) * 1_000_000,
        "CounterID": np.where(site == ASKED_SITE_PLACE, ASKED_SITE, site * 37 + 101),
        "HID": Draw("clickbench.page view").below(rows, 2**30),
        "FUniqID": np.where(Draw("clickbench.known").share(user, 60), _user_ids(user) // 3, 0),
    }


def _users(scale: float, rows: Numbers) -> Numbers:
    """One hit in twenty comes from a thousand busy people, the others from anybody."""
    busy = Draw("clickbench.user.busy").share(rows, 5)
    count = users_of(scale)
    return np.where(
        busy, Draw("clickbench.user.who").skewed(rows, min(1_000, count)), Draw("clickbench.user.any").below(rows, count)
    )


def _user_ids(user: Numbers) -> Numbers:
    return (Draw("clickbench.user.id").bits(user) >> np.uint64(1)).astype(np.int64)


def _pages(scale: float, rows: Numbers) -> Numbers:
    """Of a site: most hits are of its thirty best pages, one in eight of a page that hardly anybody sees."""
    rare = Draw("clickbench.page.rare").share(rows, 12)
    return np.where(
        rare,
        BEST_PAGES + Draw("clickbench.page.any").below(rows, rows_of(scale)),
        Draw("clickbench.page.best").skewed(rows, BEST_PAGES),
    )


def _people(user: Numbers) -> Mapping[str, Column]:
    screen = np.asarray(_SCREENS)[Draw("clickbench.screen").weighted(user, (26, 14, 18, 12, 9, 8, 7, 5, 1))]
    mobile = Draw("clickbench.mobile").share(user, 6)
    model = Draw("clickbench.model").skewed(user, len(_MODELS))
    address = Draw("clickbench.address").below(user, 2**31 - 10)
    region = Draw("clickbench.region").skewed(user, 9_040)
    return {
        "UserID": _user_ids(user),
        "ClientIP": np.where(user % 2 == 0, address, -address),
        "RemoteIP": np.where(user % 3 == 0, address, -address),
        "IPNetworkID": address // 600,
        "RegionID": region + 1,
        "RefererRegionID": region // 3,
        "URLRegionID": region // 5,
        "ResolutionWidth": screen[:, 0],
        "ResolutionHeight": screen[:, 1],
        "WindowClientWidth": screen[:, 0] - Draw("clickbench.border").between(user, 0, 40),
        "WindowClientHeight": screen[:, 1] - Draw("clickbench.bars").between(user, 80, 240),
        "IsMobile": mobile.astype(np.int64),
        "MobilePhone": np.where(mobile, model % 12 + 1, 0),
        "MobilePhoneModel": pc.if_else(pa.array(mobile), chosen(_MODELS, model), ""),
    }


def _url(site: Numbers, page: Numbers, google: Numbers) -> pa.Array:
    section = chosen(_SECTIONS, (site + page) % len(_SECTIONS))
    host = joined(chosen(_WORDS, site % len(_WORDS)), digits(site), ".example")
    plain = joined("http://", host, "/", section, "/", digits(page), ".html")
    # Half of Google's pages are its own, half only speak of it.
    theirs = joined("http://www.google.example/search?q=", section, "&page=", digits(page % 50))
    about = joined("http://", host, "/google-", section, "/", digits(page))
    return pc.if_else(pa.array(google == 0), plain, pc.if_else(pa.array(google == 1), theirs, about))


def _addresses(rows: Numbers, site: Numbers, page: Numbers, google: Truths) -> Mapping[str, Column]:
    kind = np.where(google, 1 + Draw("clickbench.google.kind").below(rows, 2), 0)
    direct = Draw("clickbench.direct").share(rows, 19)
    # Two of three come from a page of the same site, and its first page sends most of them.
    inside = Draw("clickbench.inside").share(rows, 66)
    from_site = np.where(inside, site, Draw("clickbench.from.site").skewed(rows, SITES))
    from_page = np.where(
        inside, Draw("clickbench.from.best").skewed(rows, BEST_PAGES), Draw("clickbench.from.page").skewed(rows, 100_000)
    )
    nothing = np.zeros(len(rows), dtype=np.int64)
    titled = joined(
        chosen(_WORDS, page % len(_WORDS)), chosen(_SECTIONS, site % len(_SECTIONS)), digits(page % 5_000), between=" "
    )
    speaks = Draw("clickbench.title.google").share(rows, 0.1) | (kind == 2)
    title = pc.if_else(pa.array(speaks), joined("Google ", titled), titled)
    untitled = Draw("clickbench.untitled").share(rows, 15) & ~speaks
    url = _url(site, page, kind)
    return {
        "URL": url,
        "OriginalURL": pc.if_else(pa.array(Draw("clickbench.original").share(rows, 10)), url, ""),
        "URLHash": _hash(site, page, kind),
        "Title": pc.if_else(pa.array(untitled), "", title),
        "Referer": pc.if_else(pa.array(direct), "", _url(from_site, from_page, nothing)),
        "RefererHash": np.where(direct, 0, _hash(from_site, from_page, nothing)),
    }


def _hash(site: Numbers, page: Numbers, kind: Numbers) -> Numbers:
    return (Draw("clickbench.hash").bits((kind * SITES + site) * 2**32 + page) >> np.uint64(1)).astype(np.int64)


def _searched(rows: Numbers, google: Truths) -> Truths:
    return Draw("clickbench.searched").share(rows, 13) | (google & Draw("clickbench.google.searched").share(rows, 50))


def _searches(scale: float, rows: Numbers, searched: Truths) -> Mapping[str, Column]:
    """Where visitors come from: a search with its phrase, an advertisement, or something else."""
    count = max(rows_of(scale) // 18, 20)
    known = Draw("clickbench.phrase.known").share(rows, 55)
    phrase = np.where(known, Draw("clickbench.phrase.top").skewed(rows, count), Draw("clickbench.phrase.any").below(rows, count))
    text = phrases(Draw("clickbench.phrase"), phrase, _WORDS, 4)
    engine = np.asarray((2, 3, 4, 13, 17, 22))[Draw("clickbench.engine").weighted(rows, (70, 12, 8, 5, 3, 2))]
    advertised = Draw("clickbench.advertised").share(rows, 0.63)
    advertiser = np.asarray((2, 27, 13, 45, 44, 3))[Draw("clickbench.advertiser").weighted(rows, (64, 18, 8, 6, 3, 1))]
    otherwise = np.asarray((-1, 0, 1, 4, 5, 6))[Draw("clickbench.source").weighted(rows, (42, 26, 18, 6, 2, 6))]
    return {
        "SearchPhrase": pc.if_else(pa.array(searched), text, ""),
        "SearchEngineID": np.where(searched, engine, 0),
        "AdvEngineID": np.where(advertised, advertiser, 0),
        "TraficSourceID": np.where(searched, 2, np.where(advertised, 3, otherwise)),
    }


def queries(scale: float) -> list[Query]:
    """The original names a person, a page and a referer of its data: here the busiest, and the first page of the site."""
    nobody = np.zeros(1, dtype=np.int64)
    page = int(_hash(nobody + ASKED_SITE_PLACE, nobody, nobody)[0])
    return texts(Parameters(person=int(_user_ids(nobody)[0]), page=page, referer=page, share=scale / 100))


SUITE = Suite(
    name="clickbench",
    what="ClickBench: 43 questions on visits to web sites, one table of 105 columns",
    tables=(table("hits", TYPES, rows_of, hits, block=32_768),),
    queries=queries,
)
