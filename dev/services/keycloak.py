"""Keycloak with the realm `sqe`.

Built once in the cache (`build`, 40 s on 2 loaded cores), then every start is an optimized one. A run has a home of its own in
which the program is only linked, because Keycloak writes its database there.
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import ClassVar

from dev.services.pins import KEYCLOAK
from dev.services.programs import ensure_built, unpack, unpacked_folder
from dev.services.realm import REALM, realm, secret_of
from dev.services.service import LOOPBACK, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import ensure_jars
from sqe.engine.install.java import find_java

_LINKED = ("lib", "providers", "themes", "version.txt")


class Keycloak(Service):
    name: ClassVar[str] = "keycloak"
    start_seconds: ClassVar[float] = 300

    def prepare(self, progress: Progress) -> None:
        (archive,) = ensure_jars([KEYCLOAK], progress=progress)

        def build(bench: Path) -> tuple[Path, list[str | Path]]:
            home = unpack(archive, bench / "keycloak")
            return home, [*_java(home, home), "build", "--db=dev-file"]

        ensure_built("keycloak", unpacked_folder(KEYCLOAK), build, progress)

    def launch(self, place: Place) -> Launch:
        program, home = unpacked_folder(KEYCLOAK), place.folder / "home"
        _write_home(home, program)
        password = place.folder / "admin-password"
        if not password.exists():
            password.write_text(secrets.token_urlsafe(12))
        # http-host alone leaves the management port on all interfaces; it is off as long as health and metrics are.
        options = ["start", "--optimized", "--import-realm", "--http-enabled=true", f"--http-host={LOOPBACK}", "--cache=local"]
        options += [f"--http-port={place.ports['http']}", f"--hostname={place.url()}"]
        environment = {"KC_BOOTSTRAP_ADMIN_USERNAME": "admin", "KC_BOOTSTRAP_ADMIN_PASSWORD": password.read_text()}
        return Launch([*_java(program, home), *options], environment)

    def address(self, place: Place) -> dict[str, str]:
        return {
            "url": place.url(),
            "issuer": f"{place.url()}/realms/{REALM}",
            "token": f"{place.url()}/realms/{REALM}/protocol/openid-connect/token",
            "jwks": f"{place.url()}/realms/{REALM}/protocol/openid-connect/certs",
            "client_id": "sqe",
            "client_secret": secret_of("sqe"),
            "admin_user": "admin",
            "admin_password": (place.folder / "admin-password").read_text(),
        }

    def ready(self, address: Address) -> bool:
        return status_of(address["issuer"] + "/.well-known/openid-configuration") == 200


def _java(program: Path, home: Path) -> list[str | Path]:
    """What bin/kc.sh runs, without the shell in between, whose pid would be the one we know."""
    opened = ("java.util", "java.util.concurrent", "java.security", "java.lang")
    return [
        find_java().executable,
        # C1 alone: a service that lives for minutes starts in half the time and never earns C2 back.
        *("-Xms64m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError"),
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in opened),
        *(f"-Dkc.home.dir={home}", f"-Djboss.server.config.dir={home / 'conf'}", "-Duser.language=en", "-Duser.country=US"),
        *("-Djava.util.logging.manager=org.jboss.logmanager.LogManager", "-Dpicocli.disable.closures=true"),
        "-Djava.util.concurrent.ForkJoinPool.common.threadFactory="
        "io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory",
        *("-cp", program / "lib" / "quarkus-run.jar", "io.quarkus.bootstrap.runner.QuarkusEntryPoint"),
    ]


def _write_home(home: Path, program: Path) -> None:
    """An existing realm is not imported again: a restart keeps keys, sessions and what tests changed."""
    (home / "data" / "import").mkdir(parents=True, exist_ok=True)
    (home / "conf").mkdir(exist_ok=True)
    (home / "data" / "import" / f"{REALM}-realm.json").write_text(json.dumps(realm()))
    for name in _LINKED:
        link = home / name
        if not link.is_symlink():
            link.symlink_to(program / name)
