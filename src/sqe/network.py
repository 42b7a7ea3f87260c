"""The doors of `sqe-server`: Flight SQL, Trino's protocol, health and metrics on the ports of `[coordinator]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.config import Settings
from sqe.config.providers import AnonymousProvider, LoginByPeople, Provider
from sqe.config.sections import Coordinator
from sqe.doors.ops import OpsDoor
from sqe.doors.ports import listening
from sqe.errors import CONFIGURATION_INVALID, SqeError
from sqe.identity.options import LoginOption

if TYPE_CHECKING:
    from sqe.doors.flight.door import FlightDoor
    from sqe.doors.tls.certificates import Certificates
    from sqe.doors.trino.door import TrinoDoor
    from sqe.doors.trino.external import ExternalLogin
    from sqe.server import Door, Server


class NetworkDoors:
    """Made before the server and handed to it: `Server(settings, doors=network.open)`."""

    flight: FlightDoor
    trino: TrinoDoor
    ops: OpsDoor

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def check_ports(self) -> None:
        """Says which port is taken before a JVM is started for nothing."""
        coordinator = self._settings.coordinator
        for name in ("flight_sql_port", "trino_http_port", "health_port", "metrics_port"):
            if name != "metrics_port" or self._settings.metrics.enabled:
                listening(coordinator.host, getattr(coordinator, name), f"coordinator.{name}").close()

    def open(self, server: Server) -> Sequence[Door]:
        from sqe.doors.addresses import Addresses
        from sqe.doors.flight.door import FlightDoor
        from sqe.doors.trino.door import TrinoDoor
        from sqe.identity.authenticator import authenticator

        coordinator, auth = self._settings.coordinator, self._settings.auth
        tls = coordinator.tls_cert is not None
        self.ops = OpsDoor(
            host=coordinator.host,
            health_port=coordinator.health_port,
            metrics_port=coordinator.metrics_port if self._settings.metrics.enabled else None,
            not_ready=server.not_ready,
            metrics=server.metrics.text,
            tls=_certificates(coordinator, "http/1.1") if tls else None,
        )
        log_in = authenticator(auth, server.limits.logins, server.sessions.events)
        addresses = Addresses(coordinator.trusted_proxies, coordinator.forwarded_header)
        anonymous = any(isinstance(each, AnonymousProvider) for each in auth.providers)
        self.flight = FlightDoor(
            handler=server.handler,
            sessions=server.sessions,
            authenticator=log_in,
            host=coordinator.host,
            port=coordinator.flight_sql_port,
            addresses=addresses,
            calls=server.limits.calls,
            anonymous=anonymous,
            login_options=_login_options(auth.providers),
            tls=_certificates(coordinator, "h2", clients=True) if tls else None,
        )
        self.trino = TrinoDoor(
            handler=server.handler,
            sessions=server.sessions,
            authenticator=log_in,
            host=coordinator.host,
            port=coordinator.trino_http_port,
            addresses=addresses,
            calls=server.limits.calls,
            anonymous=anonymous,
            tls=_certificates(coordinator, "http/1.1", clients=True) if tls else None,
            not_ready=server.not_ready,
            max_sql_bytes=self._settings.query.max_sql_bytes,
            abandoned_seconds=self._settings.query.abandoned_timeout,
            max_age_seconds=self._settings.session.max_age,
            external=_external_login(auth.providers),
        )
        return (self.flight, self.trino, self.ops)

    def drain(self) -> None:
        self.trino.drain()

    def unread(self) -> int:
        """Answers that clients still fetch although their statements have ended: those of the Trino port lie in pages."""
        return self.trino.unread()

    def addresses(self) -> dict[str, str | None]:
        """Where clients find each service; null is one that is not open."""
        host = self._settings.coordinator.host
        return {
            "flight_sql": f"[{host}]:{self.flight.port}" if ":" in host else f"{host}:{self.flight.port}",
            "trino_http": self.trino.address,
            "metrics": self.ops.metrics_address,
            "health": self.ops.health_address,
        }


def _certificates(coordinator: Coordinator, protocol: str, *, clients: bool = False) -> Certificates:
    from sqe.config.tls import Unusable
    from sqe.doors.tls.certificates import Certificates

    try:
        return Certificates(coordinator, [protocol], clients=clients)
    except Unusable as problem:  # good when the configuration was read, and gone since
        raise SqeError(CONFIGURATION_INVALID, str(problem)) from None


def _external_login(providers: Sequence[Provider]) -> ExternalLogin | None:
    """Of the first provider that has a client for it: a challenge can name one."""
    for each in providers:
        if isinstance(each, LoginByPeople) and each.issuer and each.browser_client_id:
            from sqe.doors.trino.external import ExternalLogin

            return ExternalLogin(each.issuer, each.browser_client_id, each.browser_client_secret, each.browser_scopes)
    return None


def _login_options(providers: Sequence[Provider]) -> list[LoginOption]:
    people = [each for each in providers if isinstance(each, LoginByPeople)]
    return [
        LoginOption(each.issuer, each.cli_client_id, each.cli_scopes) for each in people if each.issuer and each.cli_client_id
    ]
