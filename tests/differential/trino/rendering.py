"""Cells of SQE as Trino's protocol writes them, so that both can be compared as they are."""

from __future__ import annotations

import base64
import datetime as dt
import math
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from sqe.sql.dialect.trino.types import Type, read_type

_EPOCH = dt.datetime(1970, 1, 1)


def shown(value: Any, type_name: str, zone: str | None) -> Any:
    try:
        return _cell(value, read_type(type_name), zone)
    except (TypeError, AttributeError, ValueError):
        return f"not a {type_name}: {value!r}"


def _cell(value: Any, kind: Type, zone: str | None) -> Any:
    if value is None:
        return None
    if kind.base in ("double", "real"):
        if math.isnan(value) or math.isinf(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return value if kind.base == "double" else float(str(np.float32(value)))
    if kind.base == "decimal":
        return f"{Decimal(value):f}"
    if kind.base == "varbinary":
        return base64.b64encode(value).decode()
    if kind.base == "date":
        return value.isoformat()
    if kind.base == "time":
        return _clock(value.strftime("%H:%M:%S"), value.microsecond, kind.precision)
    if kind.base == "timestamp":
        return _clock(value.strftime("%Y-%m-%d %H:%M:%S").zfill(19), value.microsecond, kind.precision)
    if kind.base == "timestamp with time zone":
        local = value.astimezone(_zone(zone or "UTC"))
        return _clock(local.strftime("%Y-%m-%d %H:%M:%S").zfill(19), local.microsecond, kind.precision) + " " + (zone or "UTC")
    if kind.base == "interval day to second":
        return _days(value)
    if kind.base == "interval year to month":
        months = value[0] if isinstance(value, tuple) else int(value)
        return f"{'-' if months < 0 else ''}{abs(months) // 12}-{abs(months) % 12}"
    if kind.base == "array":
        return [_cell(each, kind.inner[0], zone) for each in value]
    if kind.base == "map":
        pairs = value.items() if isinstance(value, dict) else value
        return sorted(([_cell(k, kind.inner[0], zone), _cell(v, kind.inner[1], zone)] for k, v in pairs), key=repr)
    if kind.base == "row":
        return [_cell(each, inner, zone) for each, inner in zip(value.values(), kind.inner, strict=True)]
    if kind.base == "char":
        return value.ljust(kind.numbers[0])
    return value


def _clock(text: str, micros: int, precision: int) -> str:
    return f"{text}.{micros:06}000"[: len(text) + 1 + precision] if precision else text


def _zone(name: str) -> dt.tzinfo:
    if name[0] in "+-":
        sign = -1 if name[0] == "-" else 1
        return dt.timezone(sign * dt.timedelta(hours=int(name[1:3]), minutes=int(name[4:6])))
    return ZoneInfo(name)


def _days(value: dt.timedelta) -> str:
    micros = value // dt.timedelta(microseconds=1)
    sign, micros = ("-" if micros < 0 else ""), abs(micros)
    seconds, rest = divmod(micros, 1_000_000)
    return f"{sign}{seconds // 86_400} {seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest // 1000:03}"


def of_trino(value: Any, kind: Type) -> Any:
    """Maps have no order."""
    if value is None:
        return None
    if kind.base == "map":
        pairs = value.items() if isinstance(value, dict) else value
        return sorted(([_key(k, kind.inner[0]), of_trino(v, kind.inner[1])] for k, v in pairs), key=repr)
    if kind.base == "array":
        return [of_trino(each, kind.inner[0]) for each in value]
    if kind.base == "row":
        return [of_trino(each, inner) for each, inner in zip(value, kind.inner, strict=True)]
    return value


def _key(text: Any, kind: Type) -> Any:
    """The protocol has keys of maps as texts."""
    if not isinstance(text, str):
        return text
    if kind.is_integer:
        return int(text)
    if kind.base in ("double", "real"):
        return float(text)
    if kind.base == "boolean":
        return text == "true"
    return text


def same(left: Any, right: Any) -> bool:
    """Floats may differ in their last digits: sums and logarithms have no exact ones."""
    if isinstance(left, float) and isinstance(right, float):
        return left == right or math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-300)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right, strict=True))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and not isinstance(left, bool):
        return left == right
    return bool(left == right)
