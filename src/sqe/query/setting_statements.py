"""SET, RESET and SHOW SESSION: the settings of a session, which SQE keeps itself; some of them are Spark's too."""

from __future__ import annotations

import json

import pyarrow as pa

from sqe import errors
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.session_settings import SETTINGS, TIME_ZONE_KEY, checked_value, engine_time_zone, is_default, setting_named
from sqe.session import Session


def set_or_show(driver: Driver, session: Session, details: dict[str, str]) -> pa.Table | None:
    """`SET`, `SET name` and `SET name = value`. None when there is nothing to show."""
    if "key" not in details:
        return as_table(session)
    setting = setting_named(details["key"])
    if details.get("value") is None:
        return as_table(session, setting.name)
    if is_default(details["value"]):
        reset(driver, session, setting.name)
        return None
    value = checked_value(setting, details["value"])
    _configure(driver, session, setting.name, setting.spark_key, value)
    session.settings[setting.name] = value
    _set_time_zone(driver, session, setting.name)
    return None


def reset(driver: Driver, session: Session, name: str | None) -> None:
    """One setting, or all of them, as they were at log-in."""
    for setting in [setting_named(name)] if name else list(SETTINGS.values()):
        _configure(driver, session, setting.name, setting.spark_key, setting.default)
        session.settings.pop(setting.name, None)
        _set_time_zone(driver, session, setting.name)


def as_table(session: Session, only: str | None = None) -> pa.Table:
    names = [only] if only else sorted(SETTINGS)
    return pa.table(
        {
            "name": names,
            "value": [session.setting(name) for name in names],
            "default": [SETTINGS[name].default for name in names],
            "description": [SETTINGS[name].about for name in names],
        }
    )


def _set_time_zone(driver: Driver, session: Session, changed: str) -> None:
    if changed in ("sql_dialect", "time_zone"):
        zone = engine_time_zone(session.setting("sql_dialect"), session.setting("time_zone"))
        _configure(driver, session, "time_zone", TIME_ZONE_KEY, zone)


def _configure(driver: Driver, session: Session, name: str, spark_key: str | None, value: str) -> None:
    if spark_key is None:
        return
    try:
        driver.call("configureSession", session.in_engine(), json.dumps({spark_key: value}))
    except SqeError as error:
        if error.code is errors.REMOTE_HOST_GONE:
            raise
        raise SqeError(errors.INVALID_SESSION_PROPERTY, f"Session setting {name} cannot be {value[:64]!r}") from None
