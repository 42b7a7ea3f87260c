"""Trino's `ALTER TABLE t EXECUTE procedure(…)`, turned into Iceberg's procedures."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.reading import Reader, quoted
from sqe.sql.tokens import quote_name, quote_text

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_SIZES = {"b": 0, "kb": 10, "mb": 20, "gb": 30, "tb": 40}

# What Iceberg takes for the size of a finished file, unless files larger than that are to be rewritten.
_TARGET_BYTES = 512 << 20

Arguments = Mapping[str, str]


def execute_on_table(reader: Reader, catalogs: Collection[str]) -> str | None:
    """The CALL for an `ALTER TABLE t EXECUTE …`; None for another statement."""
    if not reader.take("ALTER", "TABLE"):
        return None
    if reader.next is None or not reader.next.is_name:
        return None
    table = reader.name()
    if not reader.take("EXECUTE"):
        return None
    name = reader.identifier().lower()
    if name not in _PROCEDURES:
        near = difflib.get_close_matches(name, _PROCEDURES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_PROCEDURES)}"
        raise SqeError(errors.PROCEDURE_NOT_FOUND, f"Procedure {name} does not exist", hint=hint)
    known, call = _PROCEDURES[name]
    arguments = _arguments(reader, name, known)
    where = _where(reader, name)
    reader.end()
    procedure, options = call(arguments)
    given = [f"table => {quote_text(quoted(table))}", *options, *([f"where => {quote_text(where)}"] if where else [])]
    home = f"{quote_name(table[0])}." if len(table) > 1 and table[0].lower() in {each.lower() for each in catalogs} else ""
    return f"CALL {home}system.{procedure}({', '.join(given)})"


def _arguments(reader: Reader, procedure: str, known: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    if not reader.take("("):
        return found
    while not reader.take(")"):
        if found:
            reader.expect(",")
        token = reader.next
        if token is not None and token.is_name:
            name = reader.identifier().lower()
            reader.expect("=>")
        else:
            name = known[min(len(found), len(known) - 1)] if known else ""
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise SqeError(
                errors.INVALID_PROCEDURE_ARGUMENT,
                f"Procedure {procedure} has no argument {name}",
                hint=f"did you mean {near[0]}?" if near else None,
            )
        value = reader.next
        if value is None or value.kind not in ("string", "number", "word"):
            raise reader.wrong()
        found[name] = value.value if value.kind == "string" else value.text
        reader.one(value.kind)
    return found


def _where(reader: Reader, procedure: str) -> str:
    if procedure != "optimize" or not reader.take("WHERE"):
        return ""
    return reader.rest().rstrip("; \n\t")


def _optimize(arguments: Arguments) -> tuple[str, list[str]]:
    """Also two small files become one, and deletes are applied, as Trino does."""
    options = {"min-input-files": "2", "delete-file-threshold": "1"}
    if threshold := arguments.get("file_size_threshold"):
        least = _size(threshold)
        target = max(_TARGET_BYTES, least * 4 // 3)
        options |= {
            "min-file-size-bytes": str(least),
            "target-file-size-bytes": str(target),
            "max-file-size-bytes": str(target * 9 // 5),
        }
    pairs = ", ".join(f"{quote_text(key)}, {quote_text(value)}" for key, value in options.items())
    return "rewrite_data_files", [f"options => map({pairs})"]


def _expire_snapshots(arguments: Arguments) -> tuple[str, list[str]]:
    options = _older_than(arguments)
    if "retain_last" in arguments:
        options.append(f"retain_last => {_whole('retain_last', arguments['retain_last'])}")
    return "expire_snapshots", options


def _remove_orphan_files(arguments: Arguments) -> tuple[str, list[str]]:
    return "remove_orphan_files", _older_than(arguments)


def _optimize_manifests(_: Arguments) -> tuple[str, list[str]]:
    return "rewrite_manifests", []


def _rollback(arguments: Arguments) -> tuple[str, list[str]]:
    if "snapshot_id" not in arguments:
        raise SqeError(errors.INVALID_PROCEDURE_ARGUMENT, "Procedure rollback_to_snapshot needs the argument snapshot_id")
    return "rollback_to_snapshot", [f"snapshot_id => {_whole('snapshot_id', arguments['snapshot_id'])}"]


_PROCEDURES: Mapping[str, tuple[tuple[str, ...], Callable[[Arguments], tuple[str, list[str]]]]] = {
    "optimize": (("file_size_threshold",), _optimize),
    "optimize_manifests": ((), _optimize_manifests),
    "expire_snapshots": (("retention_threshold", "retain_last"), _expire_snapshots),
    "remove_orphan_files": (("retention_threshold",), _remove_orphan_files),
    "rollback_to_snapshot": (("snapshot_id",), _rollback),
}


def _older_than(arguments: Arguments) -> list[str]:
    """Trino's default is a week for both procedures."""
    age = _duration(arguments.get("retention_threshold", "7d"))
    moment = datetime.now(UTC) - timedelta(seconds=age)
    return [f"older_than => TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S.%f}Z'"]


def _duration(text: str) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    if match is None or match[2] not in _UNITS or float(match[1]) * _UNITS[match[2]] > 1e10:
        raise SqeError(errors.INVALID_PROCEDURE_ARGUMENT, f"{text[:64]!r} is not a duration", hint="such as '7d' or '12h'")
    return float(match[1]) * _UNITS[match[2]]


def _size(text: str) -> int:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text.lower())
    if match is None or match[2] not in _SIZES or not 0 < float(match[1]) < 1e6:
        raise SqeError(errors.INVALID_PROCEDURE_ARGUMENT, f"{text[:64]!r} is not a size", hint="such as '128MB'")
    return int(float(match[1]) * (1 << _SIZES[match[2]]))


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise SqeError(errors.INVALID_PROCEDURE_ARGUMENT, f"The argument {name} takes a whole number, not {text[:64]!r}")
    return int(text)
