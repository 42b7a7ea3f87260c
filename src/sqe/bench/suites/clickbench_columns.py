"""The 105 columns of ClickBench's `hits`: their types, and the values of those that no question looks at closely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from sqe.bench.suites.columns import Column, chosen
from sqe.bench.suites.draws import Draw, Numbers

_LONG = "WatchID UserID FUniqID ParamPrice RefererHash URLHash"
_TIMES = "EventTime ClientEventTime LocalEventTime"
_TEXTS = (
    "Title URL Referer FlashMinor2 UserAgentMinor MobilePhoneModel Params SearchPhrase PageCharset OriginalURL HitColor "
    "BrowserLanguage BrowserCountry SocialNetwork SocialAction SocialSourcePage ParamOrderID ParamCurrency "
    "OpenstatServiceName OpenstatCampaignID OpenstatAdID OpenstatSourceID UTMSource UTMMedium UTMCampaign UTMContent "
    "UTMTerm FromTag"
)
_ORDER = (
    "WatchID JavaEnable Title GoodEvent EventTime EventDate CounterID ClientIP RegionID UserID CounterClass OS UserAgent "
    "URL Referer IsRefresh RefererCategoryID RefererRegionID URLCategoryID URLRegionID ResolutionWidth ResolutionHeight "
    "ResolutionDepth FlashMajor FlashMinor FlashMinor2 NetMajor NetMinor UserAgentMajor UserAgentMinor CookieEnable "
    "JavascriptEnable IsMobile MobilePhone MobilePhoneModel Params IPNetworkID TraficSourceID SearchEngineID SearchPhrase "
    "AdvEngineID IsArtifical WindowClientWidth WindowClientHeight ClientTimeZone ClientEventTime SilverlightVersion1 "
    "SilverlightVersion2 SilverlightVersion3 SilverlightVersion4 PageCharset CodeVersion IsLink IsDownload IsNotBounce "
    "FUniqID OriginalURL HID IsOldCounter IsEvent IsParameter DontCountHits WithHash HitColor LocalEventTime Age Sex Income "
    "Interests Robotness RemoteIP WindowName OpenerName HistoryLength BrowserLanguage BrowserCountry SocialNetwork "
    "SocialAction HTTPError SendTiming DNSTiming ConnectTiming ResponseStartTiming ResponseEndTiming FetchTiming "
    "SocialSourceNetworkID SocialSourcePage ParamPrice ParamOrderID ParamCurrency ParamCurrencyID OpenstatServiceName "
    "OpenstatCampaignID OpenstatAdID OpenstatSourceID UTMSource UTMMedium UTMCampaign UTMContent UTMTerm FromTag HasGCLID "
    "RefererHash URLHash CLID"
)
# Iceberg has no 16-bit type: the original's SMALLINTs are whole numbers of 32 bits here.
_OF = (
    dict.fromkeys(_LONG.split(), pa.int64())
    | dict.fromkeys(_TIMES.split(), pa.timestamp("us"))
    | dict.fromkeys(_TEXTS.split(), pa.string())
    | {"EventDate": pa.date32()}
)
TYPES: Mapping[str, pa.DataType] = {name: _OF.get(name, pa.int32()) for name in _ORDER.split()}

# Value: how often, of a hundred or any other sum. What the hit's user has is drawn by user, the rest by hit.
_BY_USER: Mapping[str, Mapping[int, int]] = {
    "JavaEnable": {0: 35, 1: 65},
    "OS": {2: 30, 44: 25, 156: 15, 5: 10, 105: 8, 102: 6, 15: 4, 200: 2},
    "UserAgent": {2: 10, 3: 22, 5: 15, 7: 28, 50: 8, 82: 10, 86: 4, 112: 3},
    "FlashMajor": {0: 15, 10: 15, 11: 65, 12: 5},
    "FlashMinor": {0: 25, 3: 15, 7: 60},
    "NetMajor": {0: 60, 2: 10, 3: 10, 4: 20},
    "NetMinor": {0: 75, 5: 25},
    "UserAgentMajor": {0: 5, 8: 10, 9: 10, 10: 12, 22: 20, 27: 33, 28: 10},
    "CookieEnable": {1: 99, 0: 1},
    "JavascriptEnable": {1: 99, 0: 1},
    "ResolutionDepth": {24: 25, 32: 70, 16: 4, 0: 1},
    "ClientTimeZone": {4: 60, 3: 15, 6: 15, 135: 5, 180: 5},
    "SilverlightVersion1": {0: 45, 4: 5, 5: 50},
    "SilverlightVersion2": {0: 50, 1: 50},
    "SilverlightVersion3": {0: 50, 10411: 10, 20125: 40},
    "SilverlightVersion4": {0: 100},
    "Age": {0: 40, 16: 5, 22: 15, 31: 20, 39: 10, 50: 10},
    "Sex": {0: 40, 1: 30, 2: 30},
    "Income": {0: 50, 1: 10, 2: 20, 3: 20},
    "Interests": {0: 40, 3: 10, 14: 10, 162: 20, 7500: 20},
    "Robotness": {0: 95, 1: 1, 50: 2, 70: 2},
}
_BY_HIT: Mapping[str, Mapping[int, int]] = {
    "GoodEvent": {1: 100},
    "CounterClass": {0: 70, 1: 20, -1: 10},
    "IsRefresh": {0: 88, 1: 12},
    "RefererCategoryID": {0: 60, 10: 10, 9: 10, 16000: 20},
    "URLCategoryID": {0: 60, 10: 10, 9: 10, 16000: 20},
    "IsArtifical": {0: 97, 1: 3},
    "CodeVersion": {0: 5, 1: 10, 291: 5, 1601: 80},
    "IsLink": {0: 93, 1: 7},
    "IsDownload": {0: 9995, 1: 5},
    "IsNotBounce": {0: 75, 1: 25},
    "IsOldCounter": {0: 100},
    "IsEvent": {0: 99, 1: 1},
    "IsParameter": {0: 99, 1: 1},
    "DontCountHits": {0: 96, 1: 4},
    "WithHash": {0: 99, 1: 1},
    "WindowName": {-1: 80, 3523: 10, 7401: 10},
    "OpenerName": {-1: 95, 1211: 5},
    "HistoryLength": {-1: 5, 0: 20, 1: 25, 2: 15, 5: 20, 12: 15},
    "HTTPError": {0: 99, 404: 1},
    "SocialSourceNetworkID": {0: 99, 2: 1},
    "ParamPrice": {0: 9990, 990: 5, 14900: 5},
    "ParamCurrencyID": {0: 9990, 643: 10},
    "HasGCLID": {0: 998, 1: 2},
    "CLID": {0: 95, 12: 5},
}
_BY_HIT_TEXTS: Mapping[str, Mapping[str, int]] = {
    "FlashMinor2": {"": 20, "700": 50, "600": 30},
    "UserAgentMinor": {"": 5, "D\u0411": 45, "si": 25, "7": 25},
    "Params": {"": 100},
    "PageCharset": {"windows": 40, "windows-1251;charset": 30, "utf-8": 25, "": 5},
    "HitColor": {"5": 40, "D": 20, "1": 20, "6": 20},
    "BrowserLanguage": {"S5": 60, "MG": 20, "en": 20},
    "BrowserCountry": {"RU": 70, "Q\u04c9": 10, "US": 20},
    "SocialNetwork": {"": 997, "S\u03b7": 2, "vk": 1},
    "SocialAction": {"": 997, "share": 2, "like": 1},
    "SocialSourcePage": {"": 100},
    "ParamOrderID": {"": 100},
    "ParamCurrency": {"NH\u001c": 100},
    "OpenstatServiceName": {"": 996, "market": 4},
    "OpenstatCampaignID": {"": 996, "campaign": 4},
    "OpenstatAdID": {"": 996, "ad": 4},
    "OpenstatSourceID": {"": 996, "source": 4},
    "UTMSource": {"": 96, "newsletter": 3, "partner": 1},
    "UTMMedium": {"": 96, "cpc": 4},
    "UTMCampaign": {"": 96, "summer": 3, "autumn": 1},
    "UTMContent": {"": 98, "banner": 2},
    "UTMTerm": {"": 99, "sale": 1},
    "FromTag": {"": 99, "tag": 1},
}
_TIMINGS = "SendTiming DNSTiming ConnectTiming ResponseStartTiming ResponseEndTiming FetchTiming".split()


def plain_columns(rows: Numbers, user: Numbers) -> Mapping[str, Column]:
    """Columns with a few values each, and times that a browser reports."""
    made: dict[str, Column] = {}
    for of, columns in ((user, _BY_USER), (rows, _BY_HIT)):
        for name, shares in columns.items():
            made[name] = np.asarray(list(shares))[_places(name, of, list(shares.values()))]
    for name, texts in _BY_HIT_TEXTS.items():
        made[name] = chosen(list(texts), _places(name, rows, list(texts.values())))
    for name in _TIMINGS:
        asked = Draw(f"clickbench.{name}.asked").share(rows, 40)
        made[name] = np.where(asked, Draw(f"clickbench.{name}").skewed(rows, 5_000), 0)
    return made


def _places(name: str, rows: Numbers, weights: Sequence[int]) -> Numbers:
    if len(weights) == 1:
        return np.zeros(len(rows), dtype=np.int64)
    return Draw(f"clickbench.{name}").weighted(rows, weights)
