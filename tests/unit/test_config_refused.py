"""Bad files: each is refused with the line to change, one sentence and the nearest known key; all at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from config_files import Written, problems

from sqe.config import later, load
from sqe.config.catalogs import TYPES
from sqe.engine.catalogs import spark_settings
from sqe.errors import SqeError

BEYOND_THIS_VERSION = """
[lineage]
url = "http://127.0.0.1:5000"
"""


def test_what_the_contract_names_but_this_version_lacks_is_refused_and_not_ignored(written: Written) -> None:
    assert problems(written(BEYOND_THIS_VERSION)) == [
        "sqe.toml:2: lineage is not available in this version yet",
    ]


REFUSED = {
    "unknown key": (
        "[coordinator]\nflight_port = 1",
        ":2: unknown key 'flight_port' in [coordinator] (did you mean 'flight_sql_port'?)",
    ),
    "unknown section": ("[coordinater]\nhost = 'x'", ":1: unknown section [coordinater] (did you mean 'coordinator'?)"),
    "nothing close": ("[coordinator]\nzzz = 1", ":2: unknown key 'zzz' in [coordinator]"),
    "key outside any section": ("max_age = '8h'", ":1: unknown section [max_age]"),
    "section of a later version": ("[lineage]\npath = 'x'", ":1: lineage is not available in this version yet"),
    "audit without a file": ("[audit]\nenabled = true", ":2: audit with enabled = true needs the key 'path'"),
    "short key of the audit log": ("[audit]\nhmac_key = 'short'", ":2: audit.hmac_key must have at least 16 characters"),
    "key of a later version": ("[cluster]\nexecutors = 2", ":2: cluster.executors is not available in this version yet"),
    "section that is no table": ("coordinator = 3", ":1: coordinator must be a table, not a whole number"),
    "text for a port": ("[coordinator]\nmetrics_port = '9'", ":2: coordinator.metrics_port must be a whole number, not a text"),
    "port out of range": (
        "[coordinator]\nmetrics_port = 70000",
        ":2: coordinator.metrics_port must be between 0 and 65535, not 70000",
    ),
    "number for a text": ("[coordinator]\nhost = 7", ":2: coordinator.host must be a text, not a whole number"),
    "no address": ("[coordinator]\nhost = 'a b'", ":2: coordinator.host must be an address or a host name, not 'a b'"),
    "boolean as text": ("[metrics]\nenabled = 'yes'", ":2: metrics.enabled must be true or false, not a text"),
    "no duration": (
        "[session]\nmax_age = 8",
        ':2: session.max_age must be a duration such as "30s", "15m" or "8h"',
    ),
    "duration out of range": ("[session]\nidle_timeout = '1ms'", ":2: session.idle_timeout must be between 1s and 30d, not 1ms"),
    "no size": ("[engine]\ndriver_memory = 'lots'", ':2: engine.driver_memory must be a size such as "512m" or "3g"'),
    "size out of range": ("[engine]\ndriver_memory = '1m'", ":2: engine.driver_memory must be between 512m and 1t, not 1m"),
    "no word of the list": ("[log]\nlevel = 'loud'", ":2: log.level must be one of debug, info, warning, error, not 'loud'"),
    "cluster of a later version": (
        "[cluster]\nmaster = 'yarn'",
        ":2: cluster.master 'yarn' is not available in this version yet",
    ),
    "two services on one port": (
        "[coordinator]\nmetrics_port = 9091",
        ":2: coordinator.health_port and coordinator.metrics_port are both 9091",
    ),
    "idle time over age": (
        "[session]\nidle_timeout = '10h'",
        ":2: session.idle_timeout (10h) is longer than session.max_age (8h)",
    ),
    "Spark setting off the list": (
        '[engine.spark]\n"spark.plugins" = "x"',
        ":1: engine.spark takes only the tuning settings that docs/configuration.md lists, and not spark.plugins",
    ),
    "unknown catalog type": (
        "[catalog]\ntype = 'excel'",
        ":2: catalog.type must be one of sqlite, rest, polaris, nessie, unity, horizon, lakeformation, "
        "glue, s3tables, hive, jdbc, hadoop, not 'excel'",
    ),
    "catalog without its folder": (
        "[catalogs.sales]\ntype = 'sqlite'",
        ":2: catalogs.sales of type 'sqlite' needs the key 'path'",
    ),
    "catalog with another type's key": (
        "[catalog]\ntype = 'sqlite'\nuri = 'http://x'",
        ":3: catalog.uri is not a key of a catalog of type 'sqlite'",
    ),
    "catalog under a reserved name": (
        "[catalog]\nname = 'spark_catalog'",
        ":2: catalog cannot have the name 'spark_catalog', which is reserved",
    ),
    "warehouse in a store without a published jar": (
        "[catalog]\ntype = 'hive'\nuri = 'thrift://h:1'\nwarehouse = 'abfss://c@a.dfs.core.windows.net/w'",
        ":4: catalog.warehouse is in Azure: it needs adls_account and adls_account_key of [storage]",
    ),
    "key without an account": ("[storage]\nadls_account_key = 'a2V5'", ":2: storage.adls_account_key needs storage.adls_account"),
    "endpoint without an account": (
        "[storage]\nadls_endpoint = 'http://127.0.0.1:1/acme'",
        ":2: storage.adls_endpoint needs storage.adls_account",
    ),
    "host for an account": (
        "[storage]\nadls_account = 'acme.dfs.core.windows.net'",
        ":2: storage.adls_account must have 3 to 24 small letters and digits",
    ),
    "key that no account has": (
        "[storage]\nadls_account = 'acme'\nadls_account_key = 'tell-nobody'",
        ":3: storage.adls_account_key is not the key of a storage account (base64)",
    ),
    "two catalogs of one name": (
        "[catalogs.lake]\npath = '/x'",
        ":1: catalogs.lake has the name of the default [catalog]",
    ),
    "catalog name that is no name": (
        "[catalogs.'a b']\npath = '/x'",
        ":1: the name in [catalogs.a b] must start with a letter and hold only letters, digits, '_' and '-', not 'a b'",
    ),
    "static provider without users": (
        "[[auth.providers]]\ntype = 'static'",
        ":1: auth.providers of type 'static' needs the key 'users', with a user in it",
    ),
    "provider without a type": ("[[auth.providers]]\nusers = []", ":1: auth.providers needs the key 'type', a text"),
    "unknown provider": (
        "[[auth.providers]]\ntype = 'statik'",
        ":2: unknown type 'statik' of auth.providers (did you mean 'static'?)",
    ),
    "misspelt key of a user": (
        "[[auth.providers]]\ntype = 'static'\nusers = [\n\n  { name = 'c', password = 'd', role = ['x'] },\n]",
        ":5: unknown key 'role' in [[auth.providers.users]] (did you mean 'roles'?)",
    ),
    "user without a password": (
        "[[auth.providers]]\ntype = 'static'\nusers = [{ name = 'a' }]",
        ":3: auth.providers.users needs the key 'password'",
    ),
    "empty password": (
        "[[auth.providers]]\ntype = 'static'\nusers = [{ name = 'a', password = '' }]",
        ":3: auth.providers.users.password must not be empty",
    ),
    "two users of one name": (
        "[[auth.providers]]\ntype = 'static'\nusers = [\n{ name = 'a', password = 'x' },\n{ name = 'a', password = 'y' }]",
        ":5: auth.providers.users has the name 'a' twice",
    ),
    "provider behind anonymous": (
        "[[auth.providers]]\ntype = 'anonymous'\n[[auth.providers]]\ntype = 'static'\nusers = [{ name = 'a', password = 'x' }]",
        ":1: auth.providers of type 'anonymous' lets everybody in, so those behind it are never asked",
    ),
    "no TOML": ("[coordinator]\nhost =", ":2: is not TOML: Invalid value"),
    "key twice": ("[log]\nlevel = 'info'\nlevel = 'debug'", ":3: is not TOML: Cannot overwrite a value"),
}


@pytest.mark.parametrize(("text", "problem"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_file_is_refused_with_its_line(written: Written, text: str, problem: str) -> None:
    assert problems(written(text)) == [f"sqe.toml{problem}"]


def test_all_problems_are_reported_at_once_from_top_to_bottom(written: Written) -> None:
    text = """\
    [coordinator]
    flight_port = 1
    host = 2
    [query]
    timeout = "soon"
    [polcy]
    x = 1
    [[auth.providers]]
    type = "static"
    users = [{ name = "a" }, { password = "b" }]
    """
    found = problems(written(text), {"SQE_LOG__LEVEL": "loud"})
    assert [problem.split(": ")[0] for problem in found] == [
        "sqe.toml:2", "sqe.toml:3", "sqe.toml:5", "sqe.toml:6", "sqe.toml:10", "sqe.toml:10", "SQE_LOG__LEVEL",
    ]  # fmt: skip


def test_samples_of_the_contract_load(written: Written) -> None:
    text = """
        [catalog]
        type = "s3tables"
        table_bucket_arn = "arn:aws:s3tables:us-east-1:ACCOUNT:bucket/sales"
        """
    assert load(written(text), {}).catalog.name == "s3tables"


def test_a_file_that_is_not_there_or_not_text_is_one_problem(tmp_path: Path) -> None:
    assert problems(tmp_path / "none.toml") == ["none.toml: cannot be read: No such file or directory"]
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    assert problems(tmp_path / "binary.toml") == ["binary.toml: is not UTF-8 text"]


def test_the_catalog_types_that_load_are_those_that_the_engine_has(tmp_path: Path) -> None:
    entry = {"path": str(tmp_path), "uri": "jdbc:sqlite:x", "warehouse": "w", "access_key": "k", "secret_key": "s"}
    entry["table_bucket_arn"] = "arn:aws:s3tables:us-east-1:123456789012:bucket/sales"
    assert all(spark_settings("lake", {**entry, "type": known}, "session") for known in TYPES)
    for absent in (*later.CATALOG_TYPES, "delta"):
        with pytest.raises(SqeError, match="not available in this version"):
            spark_settings("lake", {**entry, "type": absent}, "session")


POLICY = {
    "an unknown engine": ("engines = ['magic']", ":5: policy.engines must hold engines (grants, opa, cedar, none), not 'magic'"),
    "no engine": ("engines = []", ":5: policy.engines must name an engine"),
    "an engine twice": ("engines = ['grants', 'grants']", ":5: policy.engines names an engine twice"),
    "none and another": ("engines = ['none', 'grants']", ":5: policy.engines has 'none' beside others"),
    "a default of neither": ("default = 'maybe'", ":5: policy.default must be one of deny, allow, not 'maybe'"),
    "no store": ("store = 'policy.db'", ":5: policy.store must be sqlite:///FILE or postgresql://user@host/database"),
    "a password in the open": (
        "store = 'postgresql://u:secret@h/db'",
        ":5: policy.store must not hold the password, which is the key store_password",
    ),
    "a password for a file": ("store_password = 'x'", ":5: policy.store_password is not used with an SQLite store"),
    "keys of an engine that is not there": (
        "opa_url = 'http://h/x'",
        ":5: policy.opa_url is not used: policy.engines has no 'opa'",
    ),
    "OPA nowhere": ("engines = ['opa']", ":5: policy.engines has 'opa', which needs the key 'opa_url' or the key 'opa_bundle'"),
    "OPA twice": (
        "engines = ['opa']\nopa_url = 'http://h/x'\nopa_bundle = 'p'",
        ":6: policy.engines has 'opa', which needs the key 'opa_url' or the key 'opa_bundle'",
    ),
    "OPA by another protocol": ("engines = ['opa']\nopa_url = 'ftp://h/x'", ":6: policy.opa_url must be an http or https URL"),
    "a token in the open": (
        "engines = ['opa']\nopa_url = 'http://opa.example.com/x'\nopa_token = 't'",
        ":6: policy.opa_url would send policy.opa_token unencrypted",
    ),
    "masks asked for twice": (
        "engines = ['opa']\nopa_url = 'http://h/x'\nopa_column_masks_url = 'http://h/y'\nopa_batch_column_masks_url = 'http://h/z'",
        ":8: policy.opa_column_masks_url and policy.opa_batch_column_masks_url are the same question",
    ),
    "Cedar without policies": ("engines = ['cedar']", ":5: policy.engines has 'cedar', which needs the key 'cedar_policies'"),
}


@pytest.mark.parametrize(("text", "problem"), POLICY.values(), ids=list(POLICY))
def test_policies_that_would_not_be_what_they_look_like_are_refused(written: Written, text: str, problem: str) -> None:
    assert problems(written(f"[auth]\nadmin_roles = ['admin']\n\n[policy]\n{text}\n")) == [f"sqe.toml{problem}"]


def test_grants_need_somebody_who_can_grant(written: Written) -> None:
    assert problems(written("[policy]\n")) == [
        "sqe.toml:1: policy.engines has 'grants', but nobody could grant: auth.admin_roles is empty"
    ]


@pytest.mark.parametrize(
    "prefix",
    [
        "/data/",
        "file:///data/",
        "s3://",
        "s3://bucket/../x/",
        "https://user@host/",
        "gs://",
        "abfss://bucket/",
        "s3://bucket/*/x",
    ],
)
def test_only_places_outside_the_server_can_be_opened_to_readers(written: Written, prefix: str) -> None:
    [problem] = problems(written(f'[[files.readers]]\nrole = "analyst"\nprefixes = ["{prefix}"]'))
    assert problem.startswith("sqe.toml:3: files.readers.prefixes must be a folder such as s3://bucket/folder/")
