"""Keycloak with the realm `sqe`.

Program and database are made once in the cache (40 and 30 s on 2 loaded cores): `build`, then `import` of the realm. So a start
is an optimized one on a copy of that database, 8 s instead of 65. A run has a home of its own in which the program is linked.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from functools import partial
from pathlib import Path
from typing import ClassVar

from dev.services.pins import KEYCLOAK
from dev.services.programs import ensure_built, unpack, unpacked_folder
from dev.services.realm import REALM, realm, secret_of
from dev.services.service import LOOPBACK, Address, Launch, Place, Service, status_of
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import ensure_jars
from sqe.engine.install.java import find_java

ADMIN_FILE = "admin-password"

_LINKED = ("lib", "providers", "themes", "version.txt")


class Keycloak(Service):
    name: ClassVar[str] = "keycloak"
    start_seconds: ClassVar[float] = 300

    def prepare(self, progress: Progress) -> None:
        (archive,) = ensure_jars([KEYCLOAK], progress=progress)
        ensure_built("Keycloak", _program(), partial(_build, archive), progress)
        ensure_built("Keycloak's realm", _database(), _import_realm, progress)

    def launch(self, place: Place) -> Launch:
        home = _home(place.folder / "home")
        if not (home / "data").exists():
            shutil.copytree(_database(), home / "data")
        # The management port would listen on all interfaces; it is off as long as health and metrics are.
        options = ["start", "--optimized", "--http-enabled=true", f"--http-host={LOOPBACK}", "--cache=local"]
        options += [f"--http-port={place.ports['http']}", f"--hostname={place.url()}"]
        return Launch([*_java(_program(), home), *options])

    def address(self, place: Place) -> dict[str, str]:
        return {
            "url": place.url(),
            "issuer": f"{place.url()}/realms/{REALM}",
            "token": f"{place.url()}/realms/{REALM}/protocol/openid-connect/token",
            "jwks": f"{place.url()}/realms/{REALM}/protocol/openid-connect/certs",
            "client_id": "sqe",
            "client_secret": secret_of("sqe"),
            "admin_user": "admin",
            "admin_password": (place.folder / "home" / "data" / ADMIN_FILE).read_text(),
        }

    def ready(self, address: Address) -> bool:
        return status_of(address["issuer"] + "/.well-known/openid-configuration") == 200


def _build(archive: Path, bench: Path) -> tuple[Path, Launch]:
    home = unpack(archive, bench / "keycloak")
    return home, Launch([*_java(home, home), "build", "--db=dev-file"])


def _import_realm(bench: Path) -> tuple[Path, Launch]:
    home, realms = _home(bench / "home"), bench / "realms"
    realms.mkdir()
    (realms / f"{REALM}-realm.json").write_text(json.dumps(realm()))
    data = home / "data"
    data.mkdir(mode=0o700)
    password = secrets.token_urlsafe(12)
    (data / ADMIN_FILE).write_text(password)
    admin = {"KC_BOOTSTRAP_ADMIN_USERNAME": "admin", "KC_BOOTSTRAP_ADMIN_PASSWORD": password}
    return data, Launch([*_java(_program(), home), "import", "--optimized", f"--dir={realms}"], admin)


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


def _program() -> Path:
    return unpacked_folder(KEYCLOAK)


def _database() -> Path:
    content = hashlib.sha256(json.dumps([KEYCLOAK.sha256, realm()]).encode()).hexdigest()
    return _program().parent / f"keycloak-realm-{content[:12]}"


def _home(home: Path) -> Path:
    (home / "conf").mkdir(parents=True, exist_ok=True)
    for name in _LINKED:
        link = home / name
        if not link.is_symlink():
            link.symlink_to(_program() / name)
    return home
