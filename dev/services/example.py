"""A ready sqe.toml for a stack that runs: the addresses of now, and as little else as a server needs."""

from __future__ import annotations

from collections.abc import Mapping

from dev.services.service import Address
from dev.services.state import Entry
from sqe.errors import CONFIGURATION_INVALID, SqeError

_SERVER = """\
# Made for services on this machine: no TLS, and a client's secret in the file (docs/tls.md, docs/authentication.md).
[coordinator]
host = "127.0.0.1"
flight_sql_port = 50051
trino_http_port = 8080
metrics_port = 9090
health_port = 9091

# People give their name and password to SQE, which gives them to the identity provider.
[[auth.providers]]
type = "oidc_password"
issuer = "{issuer}"
client_id = "{client_id}"
client_secret = "{client_secret}"

# Programs, and `sqe login`, bring a token of the identity provider.
[[auth.providers]]
type = "bearer_token"
issuer = "{issuer}"
audience = "{client_id}"
cli_client_id = "sqe-cli"
"""

# The stack's catalog: type, and the service whose address it is.
_CATALOGS = {"lake": ("rest", "gateway"), "nessie": ("nessie", "nessie")}

_CATALOG = """
# The catalog gets the token of whoever asks, and hands out keys to the object store for that person and table.
[catalog]
name = "lake"
type = "{kind}"
uri = "{iceberg}"
warehouse = "{warehouse}"
auth = "session_bearer"
"""

STACKS = tuple(_CATALOGS)


def example(stack: str, running: Mapping[str, Entry]) -> str:
    kind, service = _CATALOGS[stack]
    identity, catalog = (_address(name, stack, running) for name in ("keycloak", service))
    return _SERVER.format(**identity) + _CATALOG.format(kind=kind, **catalog)


def _address(name: str, stack: str, running: Mapping[str, Entry]) -> Address:
    if name not in running or not running[name].alive:
        raise SqeError(CONFIGURATION_INVALID, f"{name} does not run", hint=f"make services-up NAMES={stack}")
    return running[name].address
