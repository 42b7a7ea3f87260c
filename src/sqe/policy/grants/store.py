"""Where grants and tags are kept. Every change is one transaction that also counts the store's version up."""

from __future__ import annotations

import datetime as dt
import logging
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqe import errors
from sqe.errors import SqeError
from sqe.policy.grants.database import Cursor, Database, Row, open_database, place_of
from sqe.policy.grants.model import ColumnTag, Effect, Grant, Principal, Scope, Tag, Target, Terms
from sqe.policy.names import parts_of, shown

log = logging.getLogger("sqe.policy")

SEE_LOG = "the server's log has the details"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS sqe_policy_version (id INTEGER PRIMARY KEY, version BIGINT NOT NULL)",
    """
    CREATE TABLE IF NOT EXISTS sqe_grants (
        id TEXT PRIMARY KEY, effect TEXT NOT NULL, privilege TEXT NOT NULL, scope TEXT NOT NULL, object TEXT NOT NULL,
        object_name TEXT NOT NULL, principal TEXT NOT NULL, terms TEXT NOT NULL, grant_option INTEGER NOT NULL,
        granted_by TEXT NOT NULL, granted_at TEXT NOT NULL,
        UNIQUE (effect, privilege, scope, object, principal, granted_by)
    )
    """,
    "CREATE INDEX IF NOT EXISTS sqe_grants_by_object ON sqe_grants (object, principal)",
    "CREATE TABLE IF NOT EXISTS sqe_grant_links (child TEXT NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (parent, child))",
    """
    CREATE TABLE IF NOT EXISTS sqe_column_tags (
        object TEXT NOT NULL, field_id BIGINT NOT NULL, column_name TEXT NOT NULL, tag TEXT NOT NULL, value TEXT NOT NULL,
        PRIMARY KEY (object, field_id, tag)
    )
    """,
)
_COLUMNS = "id, effect, privilege, scope, object_name, principal, terms, grant_option, granted_by, granted_at"
_FUTURE = [Scope.FUTURE_IN_CATALOG.value, Scope.FUTURE_IN_SCHEMA.value]
_UNTAG = "DELETE FROM sqe_column_tags WHERE object = ? AND field_id = ? AND tag = ?"
# Both databases take this many parameters at once, and far more.
_MOST_PARAMETERS = 500


class GrantStore:
    """Safe for many threads and for several servers on one store."""

    def __init__(self, url: str) -> None:
        self._database: Database = open_database(url)
        try:
            self._set_up()
        except Exception as failure:  # noqa: BLE001 - each database has errors of its own
            log.error("the policy store %s cannot be used: %s", place_of(url), failure)
            raise SqeError(errors.CONFIGURATION_INVALID, f"policy.store {place_of(url)} cannot be used", hint=SEE_LOG) from None

    def _set_up(self) -> None:
        with self._database.write() as database:
            for statement in _TABLES:
                database.execute(statement)
            database.execute("INSERT INTO sqe_policy_version VALUES (1, 0) ON CONFLICT DO NOTHING")

    def close(self) -> None:
        self._database.close()

    def version(self) -> str:
        return str(self._database.read("SELECT version FROM sqe_policy_version WHERE id = 1")[0][0])

    # Reading.

    def about(self, objects: Sequence[str], principals: Sequence[str]) -> list[Grant]:
        """What these principals have on exactly these objects."""
        found: list[Grant] = []
        for some in _chunks(objects):
            for people in _chunks(principals):
                sql = f"SELECT {_COLUMNS} FROM sqe_grants WHERE object IN ({_marks(some)}) AND principal IN ({_marks(people)})"
                found += map(_grant, self._database.read(sql, [*some, *people]))
        return found

    def governed(self, objects: Sequence[str]) -> set[str]:
        """Which of the objects anybody has a GRANT on."""
        found: set[str] = set()
        for some in _chunks(objects):
            sql = f"SELECT DISTINCT object FROM sqe_grants WHERE effect = 'grant' AND object IN ({_marks(some)})"
            found |= {str(row[0]) for row in self._database.read(sql, some)}
        return found

    def listed(self, *, objects: Sequence[str] | None = None, principals: Sequence[str] | None = None) -> list[Grant]:
        """For people to read, in a readable order."""
        conditions: list[str] = []
        parameters: list[str] = []
        for column, values in (("object", objects), ("principal", principals)):
            if values is not None:
                conditions.append(f"{column} IN ({_marks(values)})")
                parameters += values
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        order = "ORDER BY object, principal, privilege, id"
        rows = self._database.read(f"SELECT {_COLUMNS} FROM sqe_grants{where} {order}", parameters)
        return [_grant(row) for row in rows]

    def tags(self, tables: Sequence[str]) -> list[ColumnTag]:
        found: list[ColumnTag] = []
        for some in _chunks(tables):
            sql = f"SELECT object, field_id, column_name, tag, value FROM sqe_column_tags WHERE object IN ({_marks(some)})"
            found += [ColumnTag(row[0], int(row[1]), row[2], Tag(row[3], row[4])) for row in self._database.read(sql, some)]
        return found

    # Writing.

    def put(self, grants: Iterable[Grant]) -> None:
        """Each takes the place of the same privilege's earlier one on this object, for this principal, by this grantor."""
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        with self._changing() as database:
            for grant in grants:
                known = database.execute(
                    "SELECT id FROM sqe_grants WHERE effect = ? AND privilege = ? AND scope = ? AND object = ? AND principal = ?"
                    " AND granted_by = ?",
                    [*_key(grant), grant.granted_by],
                )
                _remove(database, [str(row[0]) for row in known])
                identity = secrets.token_hex(8)
                database.execute(
                    "INSERT INTO sqe_grants VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        identity,
                        *_key(grant)[:4],
                        shown(grant.target.parts),
                        grant.principal.key,
                        grant.terms.to_text(),
                        int(grant.grant_option),
                        grant.granted_by,
                        now,
                    ],
                )
                for parent in grant.after:
                    database.execute("INSERT INTO sqe_grant_links VALUES (?, ?)", [identity, parent])

    def take(self, grants: Iterable[Grant], *, only_by: str | None = None, only_option: bool = False) -> int:
        """Removes GRANT and DENY alike, and what was handed on with them. Returns how many of `grants` were there."""
        removed = 0
        with self._changing() as database:
            for grant in grants:
                by = " AND granted_by = ?" if only_by is not None else ""
                rows = database.execute(
                    f"SELECT id FROM sqe_grants WHERE privilege = ? AND scope = ? AND object = ? AND principal = ?{by}",
                    [*_key(grant)[1:], *([only_by] if only_by is not None else [])],
                )
                found = [str(row[0]) for row in rows]
                removed += bool(found)
                if only_option:
                    _remove(database, _children(database, found))
                    for each in found:
                        database.execute("UPDATE sqe_grants SET grant_option = 0 WHERE id = ?", [each])
                else:
                    _remove(database, found)
        return removed

    def tag(self, table: str, field_id: int, column: str, tags: Iterable[Tag]) -> None:
        with self._changing() as database:
            for tag in tags:
                database.execute(_UNTAG, [table, field_id, tag.name])
                row = [table, field_id, column, tag.name, tag.value or ""]
                database.execute("INSERT INTO sqe_column_tags VALUES (?, ?, ?, ?, ?)", row)

    def untag(self, table: str, field_id: int, names: Iterable[str]) -> None:
        with self._changing() as database:
            for name in names:
                database.execute(_UNTAG, [table, field_id, name])

    def forget(self, dropped: str, scopes: Sequence[Scope] = (Scope.TABLE,)) -> None:
        """A table was dropped: nothing of it is left for the next one of that name."""
        with self._changing() as database:
            wanted = ", ".join("?" for _ in scopes)
            values = [dropped, *(scope.value for scope in scopes)]
            rows = database.execute(f"SELECT id FROM sqe_grants WHERE object = ? AND scope IN ({wanted})", values)
            _remove(database, [str(row[0]) for row in rows])
            database.execute("DELETE FROM sqe_column_tags WHERE object = ?", [dropped])

    def rename(self, old: Target, new: Target) -> None:
        """A table was renamed: its grants, denials and tags go with it, and what kept future grants off it still does."""
        with self._changing() as database:
            for name in ("sqe_grants", "sqe_column_tags"):
                database.execute(f"DELETE FROM {name} WHERE object = ?", [new.key])
            database.execute(
                "UPDATE sqe_grants SET object = ?, object_name = ? WHERE object = ? AND scope = ?",
                [new.key, shown(new.parts), old.key, Scope.TABLE.value],
            )
            database.execute("UPDATE sqe_column_tags SET object = ? WHERE object = ?", [new.key, old.key])
            future = database.execute("SELECT id, terms FROM sqe_grants WHERE scope IN (?, ?)", _FUTURE)
            for identity, text in future:
                terms = Terms.of_text(text)
                if old.key in terms.not_future:
                    kept = replace(terms, not_future=(*terms.not_future, new.key))
                    database.execute("UPDATE sqe_grants SET terms = ? WHERE id = ?", [kept.to_text(), identity])

    @contextmanager
    def _changing(self) -> Iterator[Cursor]:
        """A transaction that counts the version up first, which also keeps two changes apart on PostgreSQL."""
        with self._database.write() as database:
            database.execute("UPDATE sqe_policy_version SET version = version + 1 WHERE id = 1")
            yield database


def _key(grant: Grant) -> list[str]:
    return [grant.effect.value, grant.privilege, grant.target.scope.value, grant.target.key, grant.principal.key]


def _children(database: Cursor, parents: Sequence[str]) -> list[str]:
    found: list[str] = []
    for parent in parents:
        found += [str(row[0]) for row in database.execute("SELECT child FROM sqe_grant_links WHERE parent = ?", [parent])]
    return found


def _remove(database: Cursor, ids: Sequence[str]) -> None:
    """These grants and those that were made with them."""
    pending = list(ids)
    while pending:
        each = pending.pop()
        pending += _children(database, [each])
        database.execute("DELETE FROM sqe_grants WHERE id = ?", [each])
        database.execute("DELETE FROM sqe_grant_links WHERE parent = ? OR child = ?", [each, each])


def _grant(row: Row) -> Grant:
    identity, effect, privilege, scope, name, principal, terms, option, by, at = row
    target, to = Target(Scope(scope), parts_of(name)), Principal.of_key(principal)
    return Grant(Effect(effect), privilege, target, to, Terms.of_text(terms), bool(option), by, at, identity)


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _chunks(values: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), _MOST_PARAMETERS):
        yield list(values[start : start + _MOST_PARAMETERS])
