"""What ATTACH, DETACH, CREATE SECRET and their kin do. The embedded user may, and on a server its administrators."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from sqe import errors
from sqe.attached import kinds
from sqe.attached.store import Contents
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.session import Session
from sqe.sql.attach import Attach, AttachStatement, CreateSecret, Detach, DropSecret

SECRETS = pa.schema([("name", pa.string()), ("type", pa.string()), ("scope", pa.string())])


def answer(driver: Driver, session: Session, statement: AttachStatement, admin_roles: frozenset[str]) -> pa.Table:
    if not session.identity.roles & admin_roles:
        raise SqeError(
            errors.PERMISSION_DENIED, "Catalogs and secrets are added and removed by administrators", hint="auth.admin_roles"
        )
    match statement:
        case Attach():
            _attach(driver, session, statement)
        case Detach():
            _detach(session, statement)
        case CreateSecret():
            _create_secret(session, statement)
        case DropSecret():
            _drop_secret(session, statement)
        case _:
            secrets = session.attachments.look().secrets.values()
            rows = [{"name": each.name, "type": each.type, "scope": each.scope} for each in secrets]
            return pa.Table.from_pylist(sorted(rows, key=lambda row: row["name"]), schema=SECRETS)
    return pa.table({}, schema=pa.schema([]))


def _attach(driver: Driver, session: Session, statement: Attach) -> None:
    name = kinds.checked_name(statement.name, "catalog")
    if any(each.lower() == name.lower() for each in session.catalogs):
        if statement.if_missing:
            return
        raise SqeError(errors.ALREADY_EXISTS, f"Catalog {name} already exists", hint=f"DETACH {name}")
    secrets = session.attachments.look().secrets
    wanted = statement.options.get("secret")
    if wanted is not None and wanted not in secrets:
        raise SqeError(errors.NOT_FOUND, f"The secret {wanted} does not exist", hint="CREATE SECRET")
    options = kinds.catalog_options(statement.address, statement.options, secrets[wanted] if wanted else None)
    session.attachments.change(lambda now: replace(now, catalogs={**now.catalogs, name: options}))
    try:
        session.ask("namespaces", name)  # now, not at somebody's first query
    except SqeError:
        _forget(session, name)
        raise


def _detach(session: Session, statement: Detach) -> None:
    known = session.attachments.look().catalogs
    name = next((each for each in known if each.lower() == statement.name.lower()), None)
    if name is None and statement.if_there:
        return
    if name is None and any(each.lower() == statement.name.lower() for each in session.catalogs):
        raise SqeError(errors.NOT_SUPPORTED, f"Catalog {statement.name} was not attached: it belongs to the configuration")
    if name is None:
        raise SqeError(errors.CATALOG_NOT_FOUND, f"Catalog {statement.name} does not exist")
    if session.current and session.current[0] == name:
        raise SqeError(errors.NOT_SUPPORTED, f"You are in the catalog {name}", hint="USE another one before")
    _forget(session, name)


def _forget(session: Session, name: str) -> None:
    def without(now: Contents) -> Contents:
        return replace(now, catalogs={each: options for each, options in now.catalogs.items() if each != name})

    session.attachments.change(without)
    session.in_engine()


def _create_secret(session: Session, statement: CreateSecret) -> None:
    name = kinds.checked_name(statement.name, "secret")
    secret = kinds.checked_secret(name, statement.options)

    def added(now: Contents) -> Contents:
        if name in now.secrets and statement.if_missing:
            return now
        if name in now.secrets and not statement.replaces:
            raise SqeError(errors.ALREADY_EXISTS, f"The secret {name} already exists", hint="CREATE OR REPLACE SECRET")
        return replace(now, secrets={**now.secrets, name: secret})

    session.attachments.change(added)


def _drop_secret(session: Session, statement: DropSecret) -> None:
    def without(now: Contents) -> Contents:
        used = [name for name, options in now.catalogs.items() if options.get("secret") == statement.name]
        if used:
            raise SqeError(
                errors.NOT_SUPPORTED, f"The catalog {used[0]} needs the secret {statement.name}", hint=f"DETACH {used[0]}"
            )
        if statement.name not in now.secrets and not statement.if_there:
            raise SqeError(errors.NOT_FOUND, f"The secret {statement.name} does not exist")
        return replace(now, secrets={name: each for name, each in now.secrets.items() if name != statement.name})

    session.attachments.change(without)
