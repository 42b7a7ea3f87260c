"""A real `sqe-server` process on the real services, and connections to it as this or that person."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
from adbc_driver_flightsql import dbapi as flightsql
from clients import Addresses

Rows = list[tuple[Any, ...]]

SERVER = """\
[coordinator]
flight_sql_port = 0
metrics_port = 0
health_port = 0

[engine]
driver_memory = "2g"
"""


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


@dataclass
class RunningServer:
    process: subprocess.Popen[str]
    log: Path
    ready: dict[str, Any]

    @property
    def port(self) -> int:
        return int(self.ready["flight_sql"].rpartition(":")[2])

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

    def metrics(self) -> dict[str, float]:
        text = httpx.get(f"http://{self.ready['metrics']}/metrics", trust_env=False).text
        samples = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _, value in samples}

    def python(self) -> psutil.Process:
        return psutil.Process(self.process.pid)

    def driver(self) -> psutil.Process:
        (java,) = (child for child in self.python().children() if child.name() == "java")
        return java


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


@contextmanager
def serving(folder: Path, config: str, **environ: str) -> Iterator[RunningServer]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sqe.toml").write_text(config)
    log = folder / "log"
    inherited = {name: value for name, value in os.environ.items() if "__" not in name}
    with log.open("w") as stderr:
        command = [sys.executable, "-m", "sqe.server_main", "--config", str(folder / "sqe.toml")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=inherited | environ)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, log.read_text()
        yield RunningServer(process, log, json.loads(line))
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
