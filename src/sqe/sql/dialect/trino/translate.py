"""The way from Trino's text to Spark's."""

from __future__ import annotations

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect import Relations, Translation


def translate_trino(sql: str, relations: Relations | None, time_zone: str) -> Translation:
    raise SqeError(errors.NOT_SUPPORTED, "This statement cannot be translated yet", line=1, column=1)
