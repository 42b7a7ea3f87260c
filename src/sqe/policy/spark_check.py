"""Spark's opinion of a filter or a mask, asked for when it is granted: a policy that cannot be analysed would deny its table."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from sqe import errors
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.expressions import for_person, plain
from sqe.policy.facts import Column
from sqe.policy.masks import masked
from sqe.sql.tokens import identifier

# Any key does: only types are looked at.
_ANY_KEY = b"check"


class SparkCheck:
    """`schema_of` analyses a query of the session that grants, without running it; `parse` only reads it."""

    def __init__(self, identity: Identity, schema_of: Callable[[str], pa.Schema], parse: Callable[[str], object]) -> None:
        self._identity = identity
        self._schema_of = schema_of
        self._parse = parse

    def check_filter(self, table: str | None, text: str) -> None:
        written = for_person(plain(text), self._identity)
        if table is None:
            self._read(written, "ROWS WHERE")
        elif not pa.types.is_boolean(found := self._type(table, written, "ROWS WHERE")) and not pa.types.is_null(found):
            raise SqeError(errors.TYPE_MISMATCH, "ROWS WHERE needs a condition, which is true or false")

    def check_mask(self, table: str | None, column: Column | None, text: str) -> None:
        name = column.name if column is not None else "masked"
        written = masked(for_person(plain(text), self._identity), column, name, _ANY_KEY)
        clause = f"The mask of {identifier(name)}" if column is not None else "A mask"
        if table is None or column is None:
            self._read(written, clause)
        else:
            self._type(table, written, clause)

    def _read(self, written: str, clause: str) -> None:
        try:
            self._parse(f"SELECT ({written})")
        except SqeError as error:
            raise _told(error, clause) from None

    def _type(self, table: str, written: str, clause: str) -> pa.DataType:
        try:
            return self._schema_of(f"SELECT ({written}) AS checked FROM {table}").field(0).type
        except SqeError as error:
            raise _told(error, clause) from None


def _told(error: SqeError, clause: str) -> SqeError:
    """Without the position, which is one in a text that nobody wrote."""
    if error.code is errors.REMOTE_HOST_GONE:
        return error
    return SqeError(error.code, f"{clause} cannot be used: {error.message}", hint=error.hint)
