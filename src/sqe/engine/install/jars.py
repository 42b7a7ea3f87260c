"""The jars that pyspark does not bring: pinned, fetched once by the Ivy inside pyspark, taken only with the right SHA-256."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqe.engine.install.cache import Progress, cache_dir, publish, quiet, workshop
from sqe.engine.install.java import Java, find_java
from sqe.engine.install.spark import find_spark
from sqe.engine.install.trust import machine_trust_store, trust_flags
from sqe.errors import CONFIGURATION_INVALID, SqeError

FETCH_SECONDS = 30 * 60


@dataclass(frozen=True)
class Jar:
    """A Maven artifact and the only content that is accepted for it."""

    group: str
    name: str
    version: str
    sha256: str
    classifier: str = ""
    extension: str = "jar"

    @property
    def downloaded_name(self) -> str:
        return f"{self._stem}.{self.extension}"

    @property
    def path(self) -> Path:
        """In the cache. The name carries the content, so a changed pin is a different file."""
        return cache_dir() / "jars" / f"{self._stem}-{self.sha256[:8]}.{self.extension}"

    @property
    def _stem(self) -> str:
        return "-".join(part for part in (self.name, self.version, self.classifier) if part)


ICEBERG = Jar(
    "org.apache.iceberg",
    "iceberg-spark-runtime-4.1_2.13",
    "1.12.0",
    "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
)
AWS_BUNDLE = Jar(
    "org.apache.iceberg",
    "iceberg-aws-bundle",
    "1.12.0",
    "dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957",
)
SQLITE = Jar(
    "org.xerial",
    "sqlite-jdbc",
    "3.51.3.0",
    "3684ac5e9bd893cbe68eb0ac1708343f66be829b1d2b5ab317e783d05acd5aef",
)
# The newest of the 4.1 line that the public repository holds; it reads Avro files for Spark 4.1.4 as well.
SPARK_AVRO = Jar(
    "org.apache.spark",
    "spark-avro_2.13",
    "4.1.1",
    "6a19d90bc3b6e88d8db0fa36a19273aa10fea2dbd7a62bb60e4cedd73051b32d",
)
DELTA = Jar(
    "io.delta",
    "delta-spark_4.1_2.13",
    "4.4.0",
    "75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10",
)
DELTA_STORAGE = Jar(
    "io.delta",
    "delta-storage",
    "4.4.0",
    "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc",
)
# The native kernel (docs/native.md), and the bridge between its Arrow and Spark's, in the version of Spark's own Arrow.
DUCKDB = Jar(
    "org.duckdb",
    "duckdb_jdbc",
    "2.0.0.0",
    "5170daa90a43296705127ef3c80834ba1cd275ec9d765a9f7eee346ab0087186",
)
ARROW_C_DATA = Jar(
    "org.apache.arrow",
    "arrow-c-data",
    "18.3.0",
    "cffe1680b305cb4e622b154b1cb48e972ef705ce3bd2d0926d5b3e41c013af48",
)
ENGINE_JARS = (ICEBERG, SQLITE, AWS_BUNDLE, SPARK_AVRO, DELTA, DELTA_STORAGE, DUCKDB, ARROW_C_DATA)

# Drivers of databases that hold catalogs: fetched for the first catalog that wants one and loaded by it (jvm: DatabaseDrivers),
# so that neither the class path nor the class archive knows of them.
POSTGRESQL = Jar(
    "org.postgresql",
    "postgresql",
    "42.7.14",
    "73914527305a40cce504b0d3d90b23caf565136912d607ae8ae7c5895512332c",
)
MYSQL = Jar(
    "com.mysql",
    "mysql-connector-j",
    "9.7.0",
    "0353648eaa1c91e0f4020c959abf756bc866ffd583df22ae6b6f6e0cbd43eb44",
)
DRIVER_JARS = (POSTGRESQL, MYSQL)

# The libraries of other stores than S3 (Iceberg's own classes for them are in ICEBERG): fetched for the first catalog or secret
# that wants one, and loaded by it (jvm: LateFiles). The newest that the public repository holds.
GCP_BUNDLE = Jar(
    "org.apache.iceberg",
    "iceberg-gcp-bundle",
    "1.11.0",
    "d9248fc76d94d232e153bf760631229cd3b7c6bc3b20f47d4b2caffe011a8a2f",
)
AZURE_BUNDLE = Jar(
    "org.apache.iceberg",
    "iceberg-azure-bundle",
    "1.10.0",
    "f143be94b94bb380e76d1c45ee9a63e143f4a7f813c6aa1ed72f5bfd44f52d05",
)
STORE_JARS = (GCP_BUNDLE, AZURE_BUNDLE)

# A client of ours, for the tests: never on the engine's class path.
FLIGHT_JDBC = Jar(
    "org.apache.arrow",
    "flight-sql-jdbc-driver",
    "18.3.0",
    "3f418b46c880e263558c5de669bdbede2c5d4375527ced116fb29f795b03704c",
)
TRINO_JDBC = Jar("io.trino", "trino-jdbc", "484", "46476af2968e6f3234e8b22d7e29c26e6d7213ce88ab546a29c4c318c921cd34")
TRINO_CLI = Jar(
    "io.trino",
    "trino-cli",
    "476",
    "fe4e9c7fb569cd67673afa1622945f6308e1e59bdb825419352b80887661757b",
    classifier="executable",
)
TEST_JARS = (FLIGHT_JDBC, TRINO_JDBC)


def ensure_jars(jars: Sequence[Jar] = ENGINE_JARS, java: Java | None = None, progress: Progress = quiet) -> list[Path]:
    """The jars' paths in the cache, after fetching those that are not there yet."""
    if not all(jar.path.exists() for jar in jars):
        with workshop("jars", progress) as bench:
            missing = [jar for jar in jars if not jar.path.exists()]
            if missing:
                progress(f"fetching {len(missing)} jar{'s' if len(missing) > 1 else ''}")
                _fetch(missing, java or find_java(), bench)
                for jar in missing:
                    take(bench / jar.downloaded_name, jar)
    return [jar.path for jar in jars]


def take(download: Path, jar: Jar) -> None:
    """Move a download into the cache if it is what was pinned."""
    with open(download, "rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != jar.sha256:
        raise SqeError(
            CONFIGURATION_INVALID,
            f"The downloaded {jar.downloaded_name} is not the pinned one: its SHA-256 is {digest}, not {jar.sha256}",
        )
    publish(download, jar.path)


def _fetch(jars: Sequence[Jar], java: Java, bench: Path) -> None:
    """One run of Ivy for all, within `bench` alone: neither ~/.ivy2 nor ~/.m2 is read or written."""
    (bench / "ivy.xml").write_text(_ivy_file(jars))
    command: list[str | Path] = ["-cp", find_spark().jar("ivy-*.jar"), "org.apache.ivy.Main", "-warn", "-cache", bench / "ivy"]
    command += [
        "-ivy",
        bench / "ivy.xml",
        "-confs",
        "default",
        "-retrieve",
        f"{bench}/[artifact]-[revision](-[classifier]).[ext]",
    ]
    (bench / "ivysettings.xml").write_text(_SETTINGS)
    command += ["-settings", os.environ.get("SQE_IVY_SETTINGS") or bench / "ivysettings.xml"]
    home: list[str] = [f"-Divy.home={bench}/home", f"-Divy.default.ivy.user.dir={bench}/home"]
    said = ""
    for trust in _trust_choices(java):
        ran = subprocess.run(
            [java.executable, *home, *trust, *proxy_flags(), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=bench,
            timeout=FETCH_SECONDS,
        )
        if ran.returncode == 0 and all((bench / jar.downloaded_name).exists() for jar in jars):
            return
        said = ran.stdout
        if "SSLHandshakeException" not in said:
            break
    names = ", ".join(jar.downloaded_name for jar in jars)
    raise SqeError(
        CONFIGURATION_INVALID, f"Could not fetch {names}: {_reason(said)}", hint="a mirror can be set with SQE_IVY_SETTINGS"
    )


def _trust_choices(java: Java) -> list[list[str]]:
    """Java's own authorities and the machine's, the likelier first. The pinned SHA-256 is what makes either one safe."""
    machine = trust_flags(machine_trust_store())
    if not machine:
        return [[]]
    return [machine, []] if java.bundled else [[], machine]


def proxy_flags() -> list[str]:
    """The JVM does not read HTTPS_PROXY and NO_PROXY, by which pip just came through."""
    # Only here: urllib.request takes 40 ms to import, and every start comes through this module.
    import urllib.parse
    import urllib.request

    proxies = urllib.request.getproxies()
    flags = []
    for scheme in ("http", "https"):
        proxy = urllib.parse.urlsplit(proxies.get(scheme, ""))
        if proxy.hostname:
            flags += [f"-D{scheme}.proxyHost={proxy.hostname}", f"-D{scheme}.proxyPort={proxy.port or 80}"]
    direct = [host.strip() for host in proxies.get("no", "").split(",") if host.strip()]
    if flags and direct:
        flags.append("-Dhttp.nonProxyHosts=" + "|".join(f"*{host}" if host.startswith(".") else host for host in direct))
    return flags


# Without their POMs: no dependency is followed, and a POM may import others that no mirror has (trino-jdbc's does).
_SETTINGS = (
    '<ivysettings><settings defaultResolver="central"/><resolvers>'
    '<ibiblio name="central" m2compatible="true" usepoms="false"/></resolvers></ivysettings>'
)


def _ivy_file(jars: Sequence[Jar]) -> str:
    # A module is named once, with all that is wanted of it: Ivy would take a second mention for a conflict.
    modules: dict[tuple[str, str, str], str] = {}
    for jar in jars:
        classifier = f' m:classifier="{jar.classifier}"' if jar.classifier else ""
        artifact = f'<artifact name="{jar.name}" type="{jar.extension}" ext="{jar.extension}"{classifier}/>'
        module = (jar.group, jar.name, jar.version)
        modules[module] = modules.get(module, "") + artifact
    dependencies = "".join(
        f'<dependency org="{group}" name="{name}" rev="{version}" transitive="false" conf="default->*">{wanted}</dependency>'
        for (group, name, version), wanted in modules.items()
    )
    return (
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven"><info organisation="sqe" module="jars"/>'
        f'<configurations><conf name="default"/></configurations><dependencies>{dependencies}</dependencies></ivy-module>'
    )


def _reason(said: str) -> str:
    """The line of Ivy's report that tells most."""
    lines = [line.strip() for line in said.splitlines() if line.strip(" \t.:")]
    for mark in ("Server access error", "Exception", "not found", "UNRESOLVED"):
        for line in lines:
            if mark in line:
                return line
    return lines[-1] if lines else "Ivy said nothing"
