"""A real `sqe-server` process on the real services, and connections to it as this or that person."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import server_process
from adbc_driver_flightsql import dbapi as flightsql
from clients import Addresses
from server_process import ANY_PORTS, ServerProcess

Rows = list[tuple[Any, ...]]

SERVER = ANY_PORTS.replace("1g", "2g")


def password_provider(keycloak: dict[str, Any], client: str = "sqe") -> str:
    return f"""
[[auth.providers]]
type = "oidc_password"
issuer = "{keycloak["issuer"]}"
client_id = "{client}"
client_secret = "{client}-secret"
roles_claim = "realm_access.roles"
groups_claim = "groups"
"""


def bearer_provider(keycloak: dict[str, Any]) -> str:
    return f"""
[[auth.providers]]
type = "bearer_token"
issuer = "{keycloak["issuer"]}"
audience = "sqe"
roles_claim = "realm_access.roles"
"""


def gateway_catalog(services: Addresses, header: str = "[catalog]\nname = 'lake'") -> str:
    return f"""
{header}
type = "rest"
uri = "{services["gateway"]["iceberg"]}"
warehouse = "lake"
auth = "session_bearer"
"""


def nessie_catalog(services: Addresses, header: str = "[catalogs.nessie]") -> str:
    return f"""
{header}
type = "nessie"
uri = "{services["nessie"]["iceberg"]}"
warehouse = "lake"
"""


class RunningServer(ServerProcess):
    """With connections to it as this or that person."""

    @contextmanager
    def connected(self, user: str = "", token: str = "", password: str | None = None) -> Iterator[flightsql.Connection]:
        options = {"username": user, "password": f"{user}-password" if password is None else password}
        if token:
            options = {"adbc.flight.sql.authorization_header": f"Bearer {token}"}
        with flightsql.connect(f"grpc://127.0.0.1:{self.port}", db_kwargs=options, autocommit=True) as connection:
            yield connection

    def query(self, user: str, sql: str) -> Rows:
        with self.connected(user) as connection:
            return rows(connection, sql)

    def refused(self, user: str, sql: str) -> str:
        """What a statement that must fail says."""
        with self.connected(user) as connection:
            return refusal(connection, sql)


def rows(connection: flightsql.Connection, sql: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []


def refusal(connection: flightsql.Connection, sql: str) -> str:
    try:
        found = rows(connection, sql)
    except flightsql.Error as error:
        return str(error)
    raise AssertionError(f"{sql} was not refused: {found[:3]}")


def serving(folder: Path, config: str, **environ: str) -> AbstractContextManager[RunningServer]:
    return server_process.serving(RunningServer, folder, config, **environ)
