"""The sections of sqe.toml, one class each; every key is declared here (or in catalogs.py and providers.py) and nowhere else.

The first line of a class's text is the section's sentence in docs/configuration.md.
"""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.config import aws_identity, later, spark
from sqe.config.keys import key, mapping_key, record_list, required, table_list
from sqe.config.kinds import (
    BOOLEAN,
    HOST,
    PATH,
    PORT,
    SECRET,
    TEXT,
    TEXTS,
    URL,
    Context,
    Kind,
    Wrong,
    choice,
    duration,
    integer,
    size,
    text_map,
)
from sqe.config.providers import PROVIDERS, ClientCredentialsProvider, OidcPasswordProvider, Provider, catalog_scope
from sqe.config.rate_limit import NETWORKS
from sqe.config.values import Duration, Secret, Size
from sqe.engine import kernel


@dataclass(frozen=True)
class Coordinator:
    """The addresses at which the server listens. Port 0 takes any free port; the ready line says which."""

    host: str = key(HOST, "127.0.0.1", "Address that all ports bind to.")
    flight_sql_port: int = key(PORT, 50051, "Arrow Flight SQL, for ADBC, JDBC and the `sqe` command.")
    trino_http_port: int = key(PORT, 8080, "Trino's HTTP protocol, for its clients, drivers and tools; docs/trino.md.")
    metrics_port: int = key(PORT, 9090, "Prometheus metrics at `/metrics`.")
    health_port: int = key(PORT, 9091, "Health answers at `/healthz` (alive) and `/readyz` (serving).")
    drain_timeout: Duration = key(
        duration("0s", "1d"),
        Duration.parse("20s"),
        "A server that is told to stop takes no new statements and gives running ones this long to end; docs/server.md.",
    )
    tls_cert: Path | None = key(
        PATH, None, "Certificate and its chain (PEM): all ports then speak TLS. Read again when the file changes; docs/tls.md."
    )
    tls_key: Path | None = key(PATH, None, "Private key that belongs to `tls_cert` (PEM, without a password).")
    tls_min_version: str = key(choice(("1.2", "1.3")), "1.2", "Oldest version of TLS that clients may speak.")
    tls_client_auth: str = key(
        choice(("none", "optional", "required")),
        "none",
        "Whether clients of Flight SQL and of the Trino port may or must show a certificate.",
    )
    tls_client_ca: Path | None = key(PATH, None, "Authorities that sign the clients' certificates (PEM).")
    production_mode: bool = key(BOOLEAN, False, "Refuse to start with a weak set-up and name what is weak; docs/tls.md lists it.")
    trusted_proxies: tuple[str, ...] = key(
        NETWORKS, (), "Proxies whose word counts for where a client is; a client's own word never does."
    )
    forwarded_header: str = key(
        choice(("x-forwarded-for", "forwarded")),
        "x-forwarded-for",
        "The header that the trusted proxies set themselves; the other one is not looked at.",
    )


def _master(raw: Any, context: Context) -> str:
    master = TEXT.read(raw, context)
    if re.match(r"(spark|k8s)://|yarn$", master):
        raise Wrong(f"{master!r} {later.NOT_YET}")
    if not re.fullmatch(r"local\[(\*|[1-9]\d{0,3})\]", master):
        raise Wrong(f'must be "local[*]" or "local[N]", not {master!r}')
    return master


def _prefixes(raw: Any, context: Context) -> tuple[str, ...]:
    prefixes = TEXTS.read(raw, context)
    for prefix in prefixes:
        place = r"(s3|gs|https?)://[^/@\s]+(/\S*)?|abfss://[^/@\s]+@[^/@\s]+(/\S*)?|hf://datasets/\S*"
        if not re.fullmatch(place, prefix) or re.search(r"(^|/)\.\.?(/|$)|[*?\[{]", prefix):
            raise Wrong(
                f"must be a folder such as s3://bucket/folder/, https://host/path/ or hf://datasets/owner/, not {prefix!r}"
            )
    return prefixes


PREFIXES = Kind("list of texts", _prefixes, TEXTS.text)
MASTER = Kind("text", _master, str)
COUNT = "whole number"


@dataclass(frozen=True)
class Cluster:
    """Where Spark runs its tasks."""

    master: str = key(MASTER, "local[*]", "`local[*]` uses all cores of this machine, `local[4]` four of them.")


@dataclass(frozen=True)
class Engine:
    """The driver JVM and Spark's tuning."""

    driver_memory: Size = key(size("512m", "1t"), Size.parse("2g"), "Heap of the driver JVM.")
    java: Path | None = key(PATH, None, "Java home (17 or 21); by default `JAVA_HOME`, the system's, or the bundled one.")
    native: str = key(
        choice(kernel.MODES),
        kernel.DEFAULT_MODE,
        "The native kernel: `auto` uses it where it means the same as Spark, `require` refuses other queries; docs/native.md.",
    )
    native_memory: Size | None = key(
        size("128m", "1t"),
        None,
        "Memory of the native kernel, beside the heap; beyond it, it spills. Default: a quarter of the machine's, 2 GB at most.",
    )
    warm_up: Duration = key(
        duration("0s", "10m"),
        Duration.parse("30s"),
        "A server that nobody asks anything runs statements of its own for so long, once, so that Java has compiled Spark's code "
        "when somebody does; `0s`: none. docs/server.md.",
    )
    statistics_up_to: Size = key(
        size("0", "1g"),
        Size.parse("32m"),
        "With `spark.sql.cbo.enabled`: tables whose files are no larger have their statistics computed after writes; `0`: none.",
    )
    native_cache: Size = key(
        size("0", "100t"),
        Size.parse(kernel.DEFAULT_CACHE),
        "Disk for copies of data files in object stores, which the native kernel reads instead; `0`: none. docs/native.md.",
    )
    spark: Mapping[str, str] = mapping_key(text_map(spark.checked), "Spark tuning settings by name; only those listed below.")


@dataclass(frozen=True)
class Auth:
    """Who may log in. Providers are asked in order: "not mine" goes on to the next, a rejection ends the log-in."""

    admin_roles: tuple[str, ...] = key(TEXTS, (), "Roles whose members administer this server.")
    issuer: str | None = key(
        URL,
        None,
        "Identity provider of this server. Without any `[[auth.providers]]` it checks names and passwords (`oidc_password`).",
    )
    token_endpoint: str | None = key(URL, None, "Where its tokens are had, when it cannot be asked for that.")
    client_id: str | None = key(TEXT, None, "This server's client there.")
    client_secret: Secret | None = key(
        SECRET, None, "Its secret. Without one, whoever logs in with `client_id` as name gives the client's secret as password."
    )
    scope: str | None = key(TEXT, None, "Scope that is asked for.")
    providers: tuple[Provider, ...] = table_list(PROVIDERS, later=later.PROVIDERS)

    def implied_providers(self) -> Iterator[Provider]:
        """What the short form (`token_endpoint` or `issuer`, and `client_id`) means when no providers are listed."""
        if self.client_id is None or (self.issuer is None and self.token_endpoint is None):
            return
        scope = self.scope or catalog_scope(self.token_endpoint)
        if self.client_secret is None:
            yield ClientCredentialsProvider(
                issuer=self.issuer, token_endpoint=self.token_endpoint, scope=scope, clients=(self.client_id,)
            )
        yield OidcPasswordProvider(
            issuer=self.issuer,
            token_endpoint=self.token_endpoint,
            client_id=self.client_id,
            client_secret=self.client_secret,
            scope=scope or "openid",
        )


@dataclass(frozen=True)
class Storage:
    """The object store, where a catalog does not say it with the keys that it vends."""

    s3_endpoint: str | None = key(URL, None, "URL of an S3 service other than AWS.")
    s3_region: str | None = key(TEXT, None, "Region of the buckets.")
    s3_path_style: bool = key(BOOLEAN, False, "Address buckets by path (`host/bucket`) and not by host name.")
    s3_access_key: Secret | None = key(
        SECRET,
        None,
        "Access key that all users share, for catalogs that vend none. Without it there is none, unless `s3_identity` says so.",
    )
    s3_secret_key: Secret | None = key(SECRET, None, "Secret that belongs to `s3_access_key`.")
    s3_identity: str = key(
        choice(aws_identity.IDENTITIES),
        aws_identity.KEYS,
        "Whose AWS keys all users share: those of this file, of the server's `environment`, of a `profile`, or of a role that "
        "a `web_identity` token is exchanged for.",
    )
    s3_profile: str | None = key(TEXT, None, "Name of the profile (default: `default`).")
    s3_profile_file: Path | None = key(
        PATH,
        None,
        "File of the profile, in the form of `~/.aws/credentials`, which is the default. What it says is done, "
        "`credential_process` too.",
    )
    s3_role_arn: str | None = key(TEXT, None, "ARN of the role that the token is exchanged for (`web_identity`).")
    s3_token_file: Path | None = key(PATH, None, "File with the token; it is read again when keys are renewed (`web_identity`).")
    s3_sts_endpoint: str | None = key(URL, None, "URL of the token service, when it is not AWS' of the region (`web_identity`).")
    gcs_credentials_file: str | None = key(
        TEXT, None, "Key of a Google service account (JSON) for `gs://`. Without it buckets are asked without any."
    )
    gcs_project: str | None = key(TEXT, None, "Google project that requests to `gs://` are made for.")
    gcs_endpoint: str | None = key(URL, None, "URL of a Cloud Storage service other than Google's.")
    adls_account: str | None = key(TEXT, None, "Azure storage account of `abfss://`.")
    adls_account_key: Secret | None = key(SECRET, None, "Key of `adls_account`. Without it `abfss://` is closed.")
    adls_endpoint: str | None = key(
        URL, None, "URL of the account, when it is not Azure's own, such as `http://127.0.0.1:10000/acme`."
    )

    @property
    def has_s3_keys(self) -> bool:
        return self.s3_access_key is not None or self.s3_identity != aws_identity.KEYS

    def options(self) -> dict[str, str]:
        """The keys that are set, for the engine only: secrets are revealed."""
        of_gcs = ("gcs_credentials_file", "gcs_project", "gcs_endpoint")
        plain = ("s3_endpoint", "s3_region", *aws_identity.OPTIONS, *of_gcs, "adls_account", "adls_endpoint")
        texts = {name: getattr(self, name) for name in plain} | {"s3_path_style": str(self.s3_path_style).lower()}
        if self.s3_identity != aws_identity.KEYS:
            texts["s3_identity"] = self.s3_identity
        keys = {name: getattr(self, name) for name in ("s3_access_key", "s3_secret_key", "adls_account_key")}
        return {name: str(text) for name, text in texts.items() if text} | {
            name: secret.reveal() for name, secret in keys.items() if secret
        }


@dataclass(frozen=True)
class Query:
    """Limits of one statement and of all at once. Each has an error code that says it was met."""

    max_sql_bytes: Size = key(size("1k", "64m"), Size.parse("1m"), "Longest statement, in bytes of UTF-8 (QUERY_TEXT_TOO_LARGE).")
    timeout: Duration = key(
        duration("0s", "30d"),
        Duration.parse("1h"),
        "Longest time from start to last row (EXCEEDED_TIME_LIMIT); `0s` is no limit.",
    )
    max_result_rows: int = key(integer(0, 2**62, COUNT), 0, "Most rows of one result (EXCEEDED_RESULT_ROW_LIMIT); 0 is no limit.")
    max_concurrent: int = key(integer(1, 10_000, COUNT), 32, "Statements that run at the same time; others wait.")
    max_queued: int = key(integer(0, 100_000, COUNT), 256, "Statements that may wait (QUERY_QUEUE_FULL).")
    abandoned_timeout: Duration = key(
        duration("1s", "1d"), Duration.parse("5m"), "How long a result waits for its reader (ABANDONED_QUERY)."
    )


@dataclass(frozen=True)
class Session:
    """How long a log-in lives."""

    idle_timeout: Duration = key(
        duration("1s", "30d"), Duration.parse("15m"), "A session ends after this long without a statement."
    )
    max_age: Duration = key(duration("1s", "365d"), Duration.parse("8h"), "A session ends this long after its log-in.")
    max_sessions: int = key(integer(1, 100_000, COUNT), 1000, "Sessions that may be open at once.")
    max_per_user: int = key(integer(0, 100_000, COUNT), 250, "Sessions that one user may have open at once; 0 is no limit.")
    token_refresh: Duration = key(
        duration("1s", "1d"),
        Duration.parse("5m"),
        "Tokens are renewed this often, and always before they expire: the longest time that a withdrawn right lives on.",
    )


@dataclass(frozen=True)
class FileReaders:
    """A role, and what its members may read with `FROM '…'` and `read_…`."""

    role: str = required(TEXT, "Role whose members may read them; `*` is everybody.")
    prefixes: tuple[str, ...] = required(
        PREFIXES, "Where the files lie: `s3://bucket/folder/` (or `gs://`, `abfss://`), `https://host/path/`, `hf://datasets/…`."
    )


@dataclass(frozen=True)
class Files:
    """Files outside the catalogs' own folders, which the server would touch with its own account."""

    allow_locations: bool = key(
        BOOLEAN, False, "Statements may choose folders: LOCATION, path properties, and procedures such as `add_files`."
    )
    readers: tuple[FileReaders, ...] = record_list(FileReaders)
    hub: str = key(URL, "https://huggingface.co", "Address of the hub that `hf://` means.")


@dataclass(frozen=True)
class Metrics:
    """Prometheus metrics; docs/metrics.md lists them."""

    enabled: bool = key(BOOLEAN, True, "Open `metrics_port`.")


@dataclass(frozen=True)
class Log:
    """One JSON object a line on standard error."""

    level: str = key(choice(("debug", "info", "warning", "error")), "info", "Least level that is written.")
    sql: str = key(
        choice(("none", "truncated", "full")),
        "none",
        "How much of its text a statement's line carries; it may hold personal data and secrets. A hash is always there.",
    )
