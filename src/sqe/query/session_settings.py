"""What `SET` may change, declared once: an allow-list. Everything else of Spark's settings is the operator's."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqe import errors
from sqe.engine import kernel
from sqe.errors import SqeError
from sqe.sql.dialect import DIALECTS


@dataclass(frozen=True)
class SessionSetting:
    name: str
    default: str
    about: str
    spark_key: str | None = None  # the Spark setting behind it; None: SQE's own
    accepts: Callable[[str], bool] = lambda value: True
    wants: str = "any text"


def _whole(least: int, most: int) -> Callable[[str], bool]:
    return lambda value: value.isascii() and value.isdigit() and least <= int(value) <= most


SETTINGS: Mapping[str, SessionSetting] = {
    setting.name: setting
    for setting in (
        SessionSetting("time_zone", "UTC", "time zone of timestamps in text and of date functions", "spark.sql.session.timeZone"),
        SessionSetting(
            "query_timeout_seconds",
            "0",
            "time limit of a statement; 0 = the server's",
            None,
            _whole(0, 604_800),
            "seconds, 0 to 604800",
        ),
        SessionSetting(
            "max_result_rows",
            "0",
            "most rows of one result; 0 = the server's limit",
            None,
            _whole(0, 2**63 - 1),
            "a number of rows",
        ),
        SessionSetting(
            "shuffle_partitions",
            "4",
            "least partitions of a shuffle; large inputs have more, adaptive execution joins small ones",
            "spark.sql.shuffle.partitions",
            _whole(1, 10_000),
            "1 to 10000",
        ),
        SessionSetting(
            "native",
            "server",
            "whether the native kernel runs queries: off, auto or require; server = as the server is set",
            "spark.sqe.native",
            lambda value: value in ("server", *kernel.MODES),
            f"one of server, {', '.join(kernel.MODES)}",
        ),
        SessionSetting(
            "write_branch",
            "",
            "the branch that rows are written to, of every table; none = main",
            "spark.sqe.writeBranch",
            lambda value: len(value) <= 255 and value.isprintable(),
            "the name of a branch",
        ),
        SessionSetting(
            "sql_dialect",
            "spark",
            "the dialect of statements",
            None,
            lambda value: value in DIALECTS,
            f"one of {', '.join(DIALECTS)}",
        ),
    )
}

TIME_ZONE_KEY = "spark.sql.session.timeZone"

_BY_SPARK_KEY = {setting.spark_key: setting for setting in SETTINGS.values() if setting.spark_key}


def engine_time_zone(dialect: str, time_zone: str) -> str:
    """Trino's timestamps carry their own zones (sql/dialect/trino/moments.py); the engine's must not shift them."""
    return "UTC" if dialect == "trino" else time_zone


def setting_named(name: str) -> SessionSetting:
    """By our name or by the Spark key behind it (`SET TIME ZONE` arrives as that)."""
    found = SETTINGS.get(name.lower()) or _BY_SPARK_KEY.get(name)
    if found is None:
        near = difflib.get_close_matches(name.lower(), SETTINGS, n=1)
        hint = f"did you mean {near[0]}?" if near else "SHOW SESSION lists the settings"
        raise SqeError(errors.INVALID_SESSION_PROPERTY, f"Session setting {name} does not exist", hint=hint)
    return found


def is_default(text: str) -> bool:
    """`SET name = DEFAULT`, without quotes."""
    return text.strip().upper() == "DEFAULT"


def checked_value(setting: SessionSetting, text: str) -> str:
    value = text.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    if not setting.accepts(value):
        raise SqeError(
            errors.INVALID_SESSION_PROPERTY, f"Session setting {setting.name} takes {setting.wants}, not {value[:64]!r}"
        )
    return value
