"""The statements about rights, run for one session: who may, on what, and what is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, Protocol

import pyarrow as pa

from sqe import errors
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.actions import ACTIONS, OWNERSHIP, SELECT
from sqe.policy.decisions import Policy
from sqe.policy.facts import Column, TableFacts
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.handing_on import handed_on
from sqe.policy.grants.model import Effect, Grant, Principal, Scope, Tag, Target, Terms, principals_of
from sqe.policy.names import Parts, key_of, parts_of, shown
from sqe.policy.show import GRANTS_SCHEMA, POLICY_SCHEMA, Seen, grants_table, policy_table
from sqe.sql.rights import (
    CHANGES,
    CheckAccess,
    Clauses,
    DenyStatement,
    Grantee,
    GrantStatement,
    Name,
    Object,
    Privilege,
    RevokeStatement,
    RightsStatement,
    SetTags,
    ShowEffectivePolicy,
    ShowGrants,
    TagName,
    UnsetTags,
)

ACCESS_SCHEMA = pa.schema([("allowed", pa.bool_()), ("reason", pa.string())])


class ExpressionCheck(Protocol):
    """Spark's opinion of a filter or a mask. Raises `SqeError` for one that it would not take."""

    def check_filter(self, table: str | None, text: str) -> None: ...
    def check_mask(self, table: str | None, column: Column | None, text: str) -> None: ...


@dataclass(frozen=True)
class Place:
    """Where a statement runs: whose it is, what unqualified names mean there, and what is known of tables."""

    identity: Identity
    catalog: str
    namespace: Parts
    facts: TableFacts
    check: ExpressionCheck


class Rights:
    """Runs statements about rights. `people` knows the roles and groups of users other than the one who asks."""

    def __init__(
        self,
        policy: Policy,
        grants: GrantsEngine | None,
        admin_roles: frozenset[str],
        people: Callable[[str], Identity | None],
    ) -> None:
        self._policy = policy
        self._grants = grants
        self._admin_roles = admin_roles
        self._people = people

    @staticmethod
    def schema(statement: RightsStatement) -> pa.Schema:
        """The columns of a statement's answer, before it runs."""
        if isinstance(statement, CHANGES):
            return pa.schema([])
        if isinstance(statement, ShowGrants):
            return GRANTS_SCHEMA
        return POLICY_SCHEMA if isinstance(statement, ShowEffectivePolicy) else ACCESS_SCHEMA

    def run(self, place: Place, statement: RightsStatement) -> pa.Table:
        match statement:
            case GrantStatement():
                self._grant(place, statement)
            case DenyStatement():
                self._deny(place, statement)
            case RevokeStatement():
                self._revoke(place, statement)
            case SetTags() | UnsetTags():
                self._tag(place, statement)
            case ShowGrants():
                return self._show_grants(place, statement)
            case ShowEffectivePolicy():
                return self._show_policy(place, statement)
            case CheckAccess():
                return self._check_access(place, statement)
        return pa.table({}, schema=pa.schema([]))

    # What statements of others did to names, which are "catalog.schema.name".

    def learn(self, identity: Identity, changes: Sequence[Sequence[str]]) -> None:
        """What a statement has done, as the driver tells it."""
        for what, *names in changes:
            match what:
                case "created":
                    self.created(identity, names[0])
                case "dropped":
                    self.dropped(names[0])
                case "dropped_schema":
                    self.dropped_schema(names[0])
                case "renamed":
                    self.renamed(names[0], names[1])

    def created(self, identity: Identity, table: str) -> None:
        """Who makes a table or view owns it. Administrators need no grant for that, and leave none."""
        if self._grants is None or self._is_admin(identity):
            return
        target = Target(Scope.TABLE, parts_of(table))
        self._grants.store.forget(target.key)
        self._grants.store.put([Grant(Effect.GRANT, OWNERSHIP, target, Principal("user", identity.user))])

    def dropped(self, table: str) -> None:
        if self._grants is not None:
            self._grants.store.forget(key_of(parts_of(table)))

    def dropped_schema(self, schema: str) -> None:
        """What it held was dropped by itself."""
        if self._grants is not None:
            self._grants.store.forget(key_of(parts_of(schema)), (Scope.SCHEMA, Scope.FUTURE_IN_SCHEMA))

    def renamed(self, old: str, new: str) -> None:
        if self._grants is not None:
            self._grants.store.rename(Target(Scope.TABLE, parts_of(old)), Target(Scope.TABLE, parts_of(new)))

    # Changes.

    def _grant(self, place: Place, statement: GrantStatement) -> None:
        engine = self._engine()
        targets = self._targets(place, statement.on)
        grants: list[Grant] = []
        for target in targets:
            for privilege in _spread(statement.privileges, statement.clauses):
                authority = self._authority(place, target, privilege.name)
                terms = self._terms(place, target, privilege, statement.clauses)
                if authority is not None:
                    terms = handed_on(authority, place.identity, terms)
                for grantee in statement.to:
                    grants.append(
                        Grant(
                            Effect.GRANT,
                            privilege.name,
                            target,
                            Principal(grantee.kind, grantee.name),
                            terms,
                            statement.clauses.grant_option,
                            granted_by="" if authority is None else place.identity.user,
                            after=[each.id for each in authority or ()],
                        )
                    )
        engine.store.put(grants)

    def _deny(self, place: Place, statement: DenyStatement) -> None:
        engine = self._engine()
        denials = []
        for target in self._targets(place, statement.on):
            self._must_govern(place, target)
            for privilege in _spread(statement.privileges, Clauses()):
                if privilege.name == OWNERSHIP:
                    raise SqeError(errors.NOT_SUPPORTED, "Ownership is taken away with REVOKE, not denied")
                terms = self._terms(place, target, privilege, Clauses())
                to = [Principal(each.kind, each.name) for each in statement.to]
                denials += [Grant(Effect.DENY, privilege.name, target, each, terms) for each in to]
        engine.store.put(denials)

    def _revoke(self, place: Place, statement: RevokeStatement) -> None:
        engine = self._engine()
        for target in self._targets(place, statement.on, may_be_gone=True):
            governs = self._governs(place.identity, target)
            if not governs and not self._optional(place.identity, target):
                self._refuse(place, target)
            grants = [
                Grant(Effect.GRANT, privilege.name, target, Principal(each.kind, each.name))
                for privilege in _spread(statement.privileges, Clauses())
                for each in statement.source
            ]
            engine.store.take(grants, only_by=None if governs else place.identity.user, only_option=statement.only_option)

    def _tag(self, place: Place, statement: SetTags | UnsetTags) -> None:
        engine = self._engine()
        target = self._target(place, Object("table", statement.table))
        self._must_govern(place, target)
        column = _named(self._columns(place, target), statement.column)
        if not column.field_id:
            raise SqeError(errors.NOT_SUPPORTED, "Columns of views have no tags", hint="tag the columns of its tables")
        if isinstance(statement, SetTags):
            engine.store.tag(target.key, column.field_id, column.name, [Tag(each.name, each.value) for each in statement.tags])
        else:
            engine.store.untag(target.key, column.field_id, statement.names)

    def _terms(self, place: Place, target: Target, privilege: Privilege, clauses: Clauses) -> Terms:
        """What the statement says, checked against the table's columns and by Spark where there is one table."""
        if privilege.columns is not None and privilege.name != SELECT:
            raise SqeError(errors.NOT_SUPPORTED, f"{privilege.name.upper()} is for whole tables; only SELECT takes columns")
        masks = {column: text for column, text in clauses.masks if isinstance(column, str)}
        hidden = [column for column in clauses.hiding if isinstance(column, str)]
        mentioned = [*masks, *hidden, *(privilege.columns or ())]
        ids: dict[str, int] = {}
        table = shown(target.parts) if target.scope is Scope.TABLE else None
        if target.scope is Scope.TABLE and mentioned:
            columns = self._columns(place, target)
            ids = {name: column.field_id for name in mentioned if (column := _named(columns, name)).field_id}
        if clauses.rows is not None:
            place.check.check_filter(table, clauses.rows)
        for named, text in clauses.masks:
            masked = _named(self._columns(place, target), named) if table and isinstance(named, str) else None
            place.check.check_mask(table, masked, text)
        return Terms(
            columns=privilege.columns,
            row_filter=clauses.rows,
            masks=masks,
            tag_masks=tuple((_tag_of(column), text) for column, text in clauses.masks if isinstance(column, TagName)),
            hidden=tuple(hidden),
            hidden_tags=tuple(_tag_of(column) for column in clauses.hiding if isinstance(column, TagName)),
            hide_untagged=clauses.hide_untagged,
            field_ids=ids,
            not_future=self._existing(place, target),
        )

    def _existing(self, place: Place, target: Target) -> tuple[str, ...]:
        if target.scope not in (Scope.FUTURE_IN_SCHEMA, Scope.FUTURE_IN_CATALOG):
            return ()
        schema = ".".join(target.parts[1:]) or None
        return tuple(sorted(key_of(parts_of(table)) for table in place.facts.tables(target.parts[0], schema)))

    # Looking.

    def _show_grants(self, place: Place, statement: ShowGrants) -> pa.Table:
        engine = self._engine()
        target = self._target(place, statement.on) if statement.on else None
        all_seen = self._is_admin(place.identity) or (target is not None and self._governs(place.identity, target))
        own = principals_of(place.identity)
        asked = [Principal(statement.to.kind, statement.to.name).key] if statement.to else None
        if not all_seen and asked is not None and asked[0] not in own:
            raise SqeError(errors.PERMISSION_DENIED, "Only administrators see the grants of others")
        principals = asked if asked is not None or all_seen else own
        found = engine.store.listed(objects=[target.key] if target else None, principals=principals)
        return grants_table(found, Seen.WHOLE if all_seen else Seen.WITHOUT_TEXTS)

    def _show_policy(self, place: Place, statement: ShowEffectivePolicy) -> pa.Table:
        target = self._target(place, Object("table", statement.table))
        person = self._person(place, target, statement.user)
        policy = self._policy.authored(person, shown(target.parts), place.facts)
        governs = self._governs(place.identity, target)
        if not self._exists(place, target) or not (governs or policy.actions):
            _missing(target)
        return policy_table(policy, Seen.WHOLE if governs else Seen.WITHOUT_TEXTS)

    def _check_access(self, place: Place, statement: CheckAccess) -> pa.Table:
        if statement.privilege not in ACTIONS:
            raise _unknown_privilege(statement.privilege)
        target = self._target(place, Object("table", statement.table))
        person = self._person(place, target, statement.user)
        policy = self._policy.authored(person, shown(target.parts), place.facts)
        exists = self._exists(place, target)
        governs = self._governs(place.identity, target)
        if governs and not exists:
            _missing(target)
        allowed = exists and statement.privilege in policy.actions
        return pa.table([[allowed], [policy.reason if governs else None]], schema=ACCESS_SCHEMA)

    def _person(self, place: Place, target: Target, user: str | None) -> Identity:
        """Whose rights are asked for. Those of others are for administrators and owners."""
        if user is None or user == place.identity.user:
            return place.identity
        if not self._governs(place.identity, target):
            raise SqeError(errors.PERMISSION_DENIED, "Only administrators and owners see the rights of others")
        return self._people(user) or Identity(user)

    # Objects.

    def _targets(self, place: Place, on: Object, *, may_be_gone: bool = False) -> list[Target]:
        """The objects of a change. A REVOKE may be about one that is gone."""
        target = self._target(place, on)
        if on.which == "all":
            self._must_govern(place, target)  # else the first table that may not be seen would be named
            schema = ".".join(target.parts[1:]) or None
            return [Target(Scope.TABLE, parts_of(table)) for table in place.facts.tables(target.parts[0], schema)]
        if not may_be_gone and not self._exists(place, target):
            _missing(target)
        if on.which == "future":
            return [Target(Scope.FUTURE_IN_SCHEMA if target.scope is Scope.SCHEMA else Scope.FUTURE_IN_CATALOG, target.parts)]
        return [target]

    def _target(self, place: Place, on: Object) -> Target:
        match on.kind:
            case "catalog":
                if len(on.name) != 1:
                    raise SqeError(errors.SYNTAX_ERROR, f"{shown(on.name)} is not the name of a catalog")
                return Target(Scope.CATALOG, on.name)
            case "schema":
                return Target(Scope.SCHEMA, on.name if self._has_catalog(place, on.name, 2) else (place.catalog, *on.name))
            case _:
                return Target(Scope.TABLE, self._full_name(place, on.name))

    def _full_name(self, place: Place, name: Name) -> Parts:
        if self._has_catalog(place, name, 3):
            return name
        return (place.catalog, *name) if len(name) > 1 else (place.catalog, *place.namespace, *name)

    def _has_catalog(self, place: Place, name: Name, least: int) -> bool:
        return len(name) >= least and place.facts.schemas(name[0]) is not None

    def _exists(self, place: Place, target: Target) -> bool:
        if target.scope is Scope.TABLE:
            return place.facts.columns(shown(target.parts)) is not None
        schemas = place.facts.schemas(target.parts[0])
        if schemas is None:
            return False
        return target.scope is Scope.CATALOG or ".".join(target.parts[1:]).lower() in {each.lower() for each in schemas}

    def _columns(self, place: Place, target: Target) -> Sequence[Column]:
        """Those that the person knows of: somebody who only hands on must not find hidden ones by naming them."""
        found = place.facts.columns(shown(target.parts))
        if found is None:
            _missing(target)
        if self._governs(place.identity, target):
            return found
        hidden = {name.lower() for name in self._policy.decide(place.identity, [shown(target.parts)], place.facts)[0].hidden}
        return [column for column in found if column.name.lower() not in hidden]

    # Authority.

    def _engine(self) -> GrantsEngine:
        if self._grants is None:
            raise SqeError(errors.NOT_SUPPORTED, "This server keeps no grants", hint="policy.engines has no 'grants'")
        return self._grants

    def _is_admin(self, identity: Identity) -> bool:
        return bool(identity.roles & self._admin_roles)

    def _held(self, identity: Identity, target: Target) -> list[Grant]:
        return self._grants.held(identity, target.parts) if self._grants is not None else []

    def _governs(self, identity: Identity, target: Target) -> bool:
        """Administrators, and owners of the object or of what it lies in."""
        return self._is_admin(identity) or any(
            each.privilege == OWNERSHIP and each.effect is Effect.GRANT for each in self._held(identity, target)
        )

    def _optional(self, identity: Identity, target: Target) -> list[Grant]:
        """What somebody may hand on: had with grant option, and not denied."""
        held = self._held(identity, target)
        gone = {each.privilege for each in held if each.effect is Effect.DENY}
        return [each for each in held if each.effect is Effect.GRANT and each.grant_option and each.privilege not in gone]

    def _authority(self, place: Place, target: Target, privilege: str) -> list[Grant] | None:
        """None for those who govern the object; for others the grants with which they hand on. Refuses the rest."""
        if self._governs(place.identity, target):
            return None
        found = [each for each in self._optional(place.identity, target) if each.privilege == privilege]
        return found or self._refuse(place, target)

    def _must_govern(self, place: Place, target: Target) -> None:
        if not self._governs(place.identity, target):
            self._refuse(place, target)

    def _refuse(self, place: Place, target: Target) -> NoReturn:
        """To somebody who does not see the object it does not exist."""
        if target.scope is not Scope.CATALOG:  # catalogs are listed for everybody
            seen = self._policy.decide(place.identity, [shown(target.parts)], place.facts)[0].actions
            if not seen:
                _missing(target)
        raise SqeError(errors.PERMISSION_DENIED, f"You may not change the rights on {shown(target.parts)}")


def _spread(privileges: Iterable[Privilege], clauses: Clauses) -> list[Privilege]:
    """ALL as what it stands for."""
    found: list[Privilege] = []
    for privilege in privileges:
        if privilege.name == "all":
            found += [replace(privilege, name=name) for name in ACTIONS]
        elif privilege.name in ACTIONS or privilege.name == OWNERSHIP:
            found.append(privilege)
        else:
            raise _unknown_privilege(privilege.name)
        restricted = clauses.rows or clauses.masks or clauses.hiding or clauses.hide_untagged or privilege.columns
        if privilege.name == OWNERSHIP and restricted:
            raise SqeError(errors.NOT_SUPPORTED, "Owners see all of their tables: OWNERSHIP takes no rows, masks or columns")
    return found


def _unknown_privilege(name: str) -> SqeError:
    known = ", ".join(each.upper() for each in (*ACTIONS, OWNERSHIP))
    return SqeError(errors.INVALID_ARGUMENTS, f"There is no privilege {name.upper()}", hint=known)


def _named(columns: Sequence[Column], name: str) -> Column:
    found = next((column for column in columns if column.name.lower() == name.lower()), None)
    if found is None:
        raise SqeError(errors.COLUMN_NOT_FOUND, f"Column {name} does not exist")
    return found


def _tag_of(tag: TagName) -> Tag:
    return Tag(tag.name, tag.value)


def _missing(target: Target) -> NoReturn:
    kinds = {Scope.TABLE: (errors.TABLE_NOT_FOUND, "Table or view"), Scope.SCHEMA: (errors.SCHEMA_NOT_FOUND, "Schema")}
    code, word = kinds.get(target.scope, (errors.CATALOG_NOT_FOUND, "Catalog"))
    raise SqeError(code, f"{word} {shown(target.parts)} does not exist")


__all__ = ["ExpressionCheck", "Grantee", "Place", "Rights"]
