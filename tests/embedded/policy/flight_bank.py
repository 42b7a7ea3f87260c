"""A server process with `[policy]`, and people who reach it by ADBC as users do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pyarrow as pa
from attack_suite import Refusal
from bank import tuples
from server_process import ANY_PORTS, ServerProcess, serving
from suite_policy import as_cedar, as_rego

PASSWORD = "sesame"  # noqa: S105 - of people who live for a test

_PEOPLE = f"""
[auth]
admin_roles = ["admin"]

[[auth.providers]]
type = "static"
users = [
    {{ name = "root", password = "{PASSWORD}", roles = ["admin"] }},
    {{ name = "ann", password = "{PASSWORD}", roles = ["analyst"], groups = ["eu"] }},
    {{ name = "eve", password = "{PASSWORD}" }},
]

[catalog]
name = "lake"
type = "sqlite"
path = "warehouse"
"""


class FlightPerson:
    """Somebody with a connection of ADBC's Flight SQL driver."""

    def __init__(self, uri: str, user: str) -> None:
        self.connection = adbc.connect(uri, db_kwargs={"username": user, "password": PASSWORD}, autocommit=True)

    def table(self, text: str) -> pa.Table:
        with refusals(), self.connection.cursor() as cursor:
            cursor.execute(text)
            return cursor.fetch_arrow_table()

    def rows(self, text: str) -> list[tuple[object, ...]]:
        return tuples(self.table(text))

    def affected(self, text: str) -> int | None:
        with refusals(), self.connection.cursor() as cursor:
            cursor.execute(text)
            return int(cursor.rowcount)

    def close(self) -> None:
        self.connection.close()


@contextmanager
def refusals() -> Iterator[None]:
    """The server's own words in the driver's errors."""
    try:
        yield
    except adbc_driver_manager.Error as error:
        told = re.search(r"\[FlightSQL\] (.*?)(?: \(\w+; \w+\))?(?:\. |$|\n)", str(error) + "\n", re.DOTALL)
        raise Refusal(re.sub(r" \(\w+; \w+\).*", "", told[1], flags=re.DOTALL) if told else str(error)) from None


def policy_section(engine: str, folder: Path, schemas: Sequence[str], opa_url: str = "", more: str = "") -> str:
    """`[policy]` for one of `grants`, `opa`, `rego`, `cedar`, with the files that it needs."""
    keys: dict[str, Any] = {"engines": [engine]}
    match engine:
        case "opa":
            rules = {"opa_url": "allow", "opa_row_filters_url": "rowFilters", "opa_batch_url": "batch",
                     "opa_batch_column_masks_url": "batchColumnMasks"}  # fmt: skip
            keys |= {key: f"{opa_url}/v1/data/trino/{rule}" for key, rule in rules.items()}
        case "rego":
            keys = {"engines": ["opa"], "opa_bundle": _written(folder / "rego" / "suite.rego", as_rego(schemas))}
        case "cedar":
            keys["cedar_policies"] = _written(folder / "cedar" / "suite.cedar", as_cedar(schemas))
        case _:
            pass
    lines = [f"{key} = {value!r}".replace("'", '"') for key, value in keys.items()]
    return "\n[policy]\n" + "\n".join(lines) + f"\n{more}"


def _written(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path.parent)


@contextmanager
def policy_server(folder: Path, section: str, more: str = "") -> Iterator[ServerProcess]:
    with serving(ServerProcess, folder, ANY_PORTS.replace('"1g"', '"2g"') + _PEOPLE + section + more) as server:
        yield server


@contextmanager
def logged_in(server: ServerProcess, *users: str) -> Iterator[list[FlightPerson]]:
    people = [FlightPerson(server.uri, user) for user in users]
    try:
        yield people
    finally:
        for person in people:
            person.close()
