"""What people get from sqe.toml: typed values, every problem at once, and no secret in sight."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from config_files import Written, problems

from sqe.config import Duration, Secret, Size, load, load_with_origins
from sqe.config.keys import Key, NamedTables, RecordList, Table, TableList, declarations
from sqe.config.kinds import TEXTS
from sqe.config.providers import PROVIDERS, AnonymousProvider, StaticProvider
from sqe.config.rate_limit import NETWORKS
from sqe.config.sections import PREFIXES
from sqe.config.settings import Settings
from sqe.config.show import effective

SERVER_TO_TRY = """\
[coordinator]
host = "127.0.0.1"
flight_sql_port = 50051
trino_http_port = 8080
metrics_port = 9090
health_port = 9091

[engine]
driver_memory = "3g"

[auth]
admin_roles = ["admin"]

[[auth.providers]]
type = "static"
users = [
  { name = "root", password = "secret", roles = ["admin"] },
  { name = "alice", password = { env = "ALICE_PASSWORD" }, roles = ["analyst"], groups = ["eu"] },
]

[catalog]
name = "lake"
type = "sqlite"
path = "./warehouse"
"""

ONE_USER = "[[auth.providers]]\ntype = 'static'\nusers = [{ name = 'a', password = 'x' }]\n"


def test_the_server_to_try_gives_typed_settings(written: Written) -> None:
    path = written(SERVER_TO_TRY)
    settings = load(path, {"ALICE_PASSWORD": "wonder"})
    assert settings.coordinator.flight_sql_port == 50051
    assert settings.engine.driver_memory == 3 * 1024**3
    assert settings.auth.admin_roles == ("admin",)
    (provider,) = settings.auth.providers
    assert isinstance(provider, StaticProvider)
    assert [(user.name, user.password.reveal(), user.groups) for user in provider.users] == [
        ("root", "secret", ()),
        ("alice", "wonder", ("eu",)),
    ]
    assert settings.catalog_options() == {"lake": {"type": "sqlite", "path": str(path.parent / "warehouse")}}


def test_without_a_file_there_is_a_sqlite_catalog_in_the_home_folder() -> None:
    settings = load(None, {})
    assert settings.catalog.name == "lake"
    assert settings.catalog.path == Path("~/.sqe/warehouse").expanduser()
    assert settings.auth.providers == ()


def test_durations_and_sizes_count_and_are_written_back_as_they_were(written: Written) -> None:
    settings = load(written('[session]\nidle_timeout = "90s"\nmax_age = "8h"\n[query]\nmax_sql_bytes = 2048'), {})
    assert (settings.session.idle_timeout, settings.session.max_age) == (90, 8 * 3600)
    assert [str(value) for value in (settings.session.idle_timeout, settings.session.max_age)] == ["90s", "8h"]
    assert str(settings.query.max_sql_bytes) == "2k"
    assert [str(Duration.parse(text)) for text in ("250ms", "0s", "7d", "120m")] == ["250ms", "0s", "7d", "2h"]
    assert [int(Size.parse(text)) for text in ("3g", "512MB", "10", "1 KiB")] == [3 << 30, 512 << 20, 10, 1024]


def test_a_statement_of_two_megabytes_is_over_the_default_limit() -> None:
    assert load(None, {}).query.max_sql_bytes < 2_000_000


def test_flags_win_over_variables_and_variables_over_the_file(written: Written) -> None:
    path = written("[coordinator]\nflight_sql_port = 1\nmetrics_port = 2\nhealth_port = 3")
    environ = {"SQE_COORDINATOR__METRICS_PORT": "20", "SQE_COORDINATOR__HEALTH_PORT": "30"}
    settings = load(path, environ, {"coordinator.health_port": 300}).coordinator
    assert (settings.flight_sql_port, settings.metrics_port, settings.health_port) == (1, 20, 300)


def settable(of: type = Settings, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Key]]:
    """Every key of every section, with an index or a name where the user has one."""
    found: list[tuple[tuple[str, ...], Key]] = []
    for name, declared in declarations(of):
        at = (*path, name)
        match declared:
            case Key():
                found.append((at, declared))
            case Table(inner):
                found += settable(inner, at)
            case NamedTables(inner):
                found += settable(inner, (*at, "sales"))
            case TableList(shapes):
                found += [item for inner in shapes.values() for item in settable(inner, (*at, "0"))]
            case RecordList(inner):
                found += settable(inner, (*at, "0"))
    return found


def provider_with(records: tuple[str, ...]) -> str:
    """A provider of a type that has this list of records, with one in it."""
    if not records:
        return "[[auth.providers]]\ntype = 'anonymous'\n"
    word = next(word for word, of in PROVIDERS.items() if records[0] in dict(declarations(of)))
    return f"[[auth.providers]]\ntype = '{word}'\n{records[0]} = [{{}}]\n"


@pytest.mark.parametrize(("path", "key"), settable(), ids=lambda value: "" if isinstance(value, Key) else ".".join(value))
def test_every_key_has_an_environment_variable(written: Written, path: tuple[str, ...], key: Key) -> None:
    """No kind takes an empty text (or half a list): the complaint under the variable's name proves that it is read."""
    provider = provider_with(path[3:-1]) if path[:2] == ("auth", "providers") else ONE_USER
    base = f"{provider}[catalogs.sales]\npath = '/x'\n[[files.readers]]\n"
    variable = "SQE_" + "__".join(path).upper()
    wrong = "[" if key.kind in (TEXTS, NETWORKS, PREFIXES) else ""
    assert [problem for problem in problems(written(base), {variable: wrong}) if problem.startswith(f"{variable}: ")]


def test_variables_reach_named_and_numbered_tables_and_carry_lists(written: Written) -> None:
    path = written("[catalogs.Sales]\npath = '/old'\n" + ONE_USER)
    environ = {
        "SQE_CATALOGS__SALES__PATH": "/new",
        "SQE_AUTH__ADMIN_ROLES": "admin, ops",
        "SQE_AUTH__PROVIDERS__0__USERS__0__PASSWORD": "y",
        "SQE_AUTH__PROVIDERS__1": "{ type = 'anonymous' }",
        "SQE_ENGINE__SPARK": '{ "spark.sql.shuffle.partitions" = 8 }',
        "SQE_PASSWORD": "belongs to the client",
    }
    settings = load(path, environ)
    assert settings.catalogs["Sales"].path == Path("/new")
    assert settings.auth.admin_roles == ("admin", "ops")
    first, second = settings.auth.providers
    assert isinstance(first, StaticProvider)
    assert first.users[0].password.reveal() == "y"
    assert isinstance(second, AnonymousProvider)
    assert settings.engine.spark == {"spark.sql.shuffle.partitions": "8"}


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("SQE_QUERY__TIMEOT", "5m", "unknown key 'timeot' in [query] (did you mean 'timeout'?)"),
        ("SQE_COORDINATOR__METRICS_PORT", "many", "coordinator.metrics_port must be a whole number, not a text"),
        ("SQE_COORDINATOR__HOST__X", "1", "coordinator.host must be a text, not a table"),
        ("SQE_AUTH__PROVIDERS", "oops", "auth.providers must be written as a TOML value"),
        ("SQE_POLICY__ENGINES", "magic", "policy.engines must hold engines (grants, opa, cedar, none), not 'magic'"),
    ],
)
def test_a_bad_variable_is_named(variable: str, value: str, sentence: str) -> None:
    assert [problem.partition(": ")[2] for problem in problems(None, {variable: value})] == [sentence]


def test_spark_settings_may_be_written_with_and_without_quotes(written: Written) -> None:
    settings = load(written("[engine.spark]\nspark.sql.shuffle.partitions = 4\n'spark.speculation' = true"), {})
    assert settings.engine.spark == {"spark.sql.shuffle.partitions": "4", "spark.speculation": "true"}


class TestSecrets:
    def test_they_come_from_text_environment_or_file(self, written: Written, tmp_path: Path) -> None:
        (tmp_path / "password").write_text("from file\n")
        path = written("""\
            [[auth.providers]]
            type = "static"
            users = [
              { name = "a", password = "from text" },
              { name = "b", password = { env = "B" } },
              { name = "c", password = { file = "password" } },
            ]
            """)
        (provider,) = load(path, {"B": "from env"}).auth.providers
        assert isinstance(provider, StaticProvider)
        assert [user.password.reveal() for user in provider.users] == ["from text", "from env", "from file"]

    @pytest.mark.parametrize(
        ("value", "sentence"),
        [
            ('{ env = "B" }', "takes its value from the environment variable B, which is not set"),
            ('{ file = "/none" }', "cannot be read from /none: No such file or directory"),
            ("7", 'must be a text, { env = "NAME" } or { file = "PATH" }'),
            ('{ env = "B", file = "x" }', 'must be a text, { env = "NAME" } or { file = "PATH" }'),
        ],
    )
    def test_one_that_cannot_be_had_is_a_problem(self, written: Written, value: str, sentence: str) -> None:
        path = written(f'[[auth.providers]]\ntype = "static"\nusers = [{{ name = "a", password = {value} }}]')
        assert problems(path) == [f"sqe.toml:3: auth.providers.users.password {sentence}"]

    def test_they_are_never_shown(self, written: Written) -> None:
        loaded = load_with_origins(written(SERVER_TO_TRY), {"ALICE_PASSWORD": "wonder"})
        secret = Secret("wonder")
        shown = [effective(loaded), repr(loaded.settings), repr(secret), str(secret), f"{secret}", f"{secret:>20}"]
        assert not [text for text in shown if "wonder" in text or '"secret"' in text]
        assert effective(loaded).count('password = "***"') == 2

    def test_they_cannot_be_pickled(self) -> None:
        import pickle

        with pytest.raises(TypeError):
            pickle.dumps(Secret("x"))


def test_check_shows_every_value_with_its_origin_and_reads_back(written: Written, tmp_path: Path) -> None:
    path = written(SERVER_TO_TRY + "\n[catalogs.sales]\npath = 'sales'\n")
    loaded = load_with_origins(path, {"ALICE_PASSWORD": "wonder", "SQE_QUERY__TIMEOUT": "5m"})
    text = effective(loaded)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert f'host = "127.0.0.1" # {path}:2' in lines
    assert 'timeout = "5m" # SQE_QUERY__TIMEOUT' in lines
    assert 'max_age = "8h" # default' in lines
    again = load(written(text), {})
    for section in ("coordinator", "engine", "query", "catalog", "catalogs"):
        assert getattr(again, section) == getattr(loaded.settings, section)


def test_importing_the_configuration_imports_nothing_heavy() -> None:
    heavy = {"pyarrow", "py4j", "prometheus_client", "starlette", "argon2", "ssl", "asyncio", "tomllib", "difflib"}
    code = "import sys, sqe.config; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert heavy.isdisjoint(imported)
