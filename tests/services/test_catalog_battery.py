"""Every catalog that can be started here, with the same battery. docs/catalogs.md is the table of what to expect: a cell that
says yes must pass, one that refers to a note must be refused with the code that the note names (without one: must differ)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from catalog_capabilities import CAPABILITIES, Desk
from clients import Addresses, Login
from every_catalog import config
from signed_catalog import ACCESS_KEY, SECRET_KEY, signed_catalog

from dev.services.stack import Stack
from sqe import errors
from sqe.config import Settings, load
from sqe.config.values import Secret
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import catalog_identities
from sqe.identity.login import Login as SessionLogin
from sqe.identity.login import Tokens
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

pytestmark = pytest.mark.long  # five minutes, and every service that there is

DOCUMENT = Path(__file__).parents[2] / "docs" / "catalogs.md"

# The columns of the table, and the catalog's name in SQL.
CATALOGS = {
    "`sqlite`": "lite",
    "`jdbc`": "postgres",
    "`hadoop`": "folders",
    "`hive`": "hive",
    "`glue`": "glue",
    "`rest` fixture": "fixture",
    "`rest` gateway": "gateway",
    "Nessie": "nessie",
    "SeaweedFS": "weed",
}


@pytest.fixture(scope="module")
def services(stack: Stack) -> Addresses:
    return stack.up(["catalogs"])


@pytest.fixture(scope="module")
def settings(services: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("catalogs")
    (folder / "sqe.toml").write_text(config(services, folder))
    return load(folder / "sqe.toml", {})


@pytest.fixture(scope="module")
def open_session(driver: Driver, settings: Settings, login: Login) -> Iterator[Callable[[], Session]]:
    """Sessions of carol, who may do everything where a catalog asks who it is."""
    sessions = Sessions(driver, settings.catalog_options(), "lite", identities=catalog_identities(settings))
    yield lambda: sessions.open(SessionLogin(Identity("carol"), Tokens(Secret(login.password("carol")))))
    sessions.close_all()


@pytest.fixture(scope="module")
def desks(handler: QueryHandler, open_session: Callable[[], Session]) -> Iterator[Callable[[str], Desk]]:
    """A desk in a new schema of each catalog. At the end all that was made there is dropped, and the schema."""
    session = open_session()
    run = secrets.token_hex(4)
    made: dict[str, Desk] = {}

    def of(catalog: str) -> Desk:
        if catalog not in made:
            # In Nessie, people have a schema of their own name and no other.
            schema = "carol" if catalog == "nessie" else f"battery_{catalog}_{run}"
            desk = Desk(handler, session, catalog, schema, open_session)
            desk.sql("CREATE SCHEMA IF NOT EXISTS {s}")
            made[catalog] = desk
        return made[catalog]

    with ExitStack() as cleaning:
        cleaning.callback(lambda: [_clean(desk) for desk in made.values()])
        yield of


def _clean(desk: Desk) -> None:
    for row in desk.sql("SHOW TABLES IN {s}"):
        desk.sql(f"DROP TABLE {{s}}.{row[1]}")
    desk.sql("DROP SCHEMA {s}")


def documented() -> tuple[dict[tuple[str, str], str], dict[str, str]]:
    """The table's cells by capability and column, and the error code of each note."""
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in DOCUMENT.read_text().splitlines() if line[:1] == "|"
    ]
    start = next(index for index, line in enumerate(lines) if line[1:] == list(CATALOGS))
    columns = lines[start][1:]
    rows = [line for line in lines[start + 2 :] if line[0] in CAPABILITIES]
    cells = {(row[0], column): cell for row in rows for column, cell in zip(columns, row[1:], strict=True)}
    notes = dict(re.findall(r"^- \((\w)\) (?:`([A-Z_]+)`)?", DOCUMENT.read_text(), re.MULTILINE))
    return cells, notes


def test_the_table_has_a_cell_for_every_capability_of_every_catalog() -> None:
    cells, notes = documented()
    assert set(cells) == {(capability, column) for capability in CAPABILITIES for column in CATALOGS}
    assert {cell.partition(" ")[2] for cell in cells.values() if cell != "yes"} == {f"({note})" for note in notes}
    assert {cell.partition(" ")[0] for cell in cells.values()} == {"yes", "no", "–"}


@pytest.mark.parametrize("column", CATALOGS)
@pytest.mark.parametrize("capability", CAPABILITIES)
def test_battery(desks: Callable[[str], Desk], column: str, capability: str) -> None:
    cells, notes = documented()
    expected, run = cells[capability, column], CAPABILITIES[capability]
    desk = desks(CATALOGS[column])
    if expected.startswith("–"):
        pytest.skip("what stands in for this catalog here cannot show it, says its note")
    if expected == "yes":
        run(desk)
        return
    code = notes[expected[4]]
    if not code:
        with pytest.raises(AssertionError):
            run(desk)
        return
    with pytest.raises(SqeError) as refused:
        run(desk)
    assert refused.value.code.name == code, str(refused.value)


def test_tables_of_all_catalogs_join(desks: Callable[[str], Desk]) -> None:
    found = [desks(name) for name in CATALOGS.values()]
    for number, desk in enumerate(found):
        desk.sql(f"CREATE TABLE {{s}}.joined AS SELECT {number} AS number, id FROM range(2)")
    first, *others = (f"{desk.place}.joined" for desk in found)
    joins = " ".join(f"JOIN {name} t{index} USING (id)" for index, name in enumerate(others))
    total = " + ".join(f"t{index}.number" for index in range(len(others)))
    assert found[0].sql(f"SELECT id, {total} FROM {first} t {joins} ORDER BY id") == [(0, 36), (1, 36)]


SIGNED = """
[catalog]
name = "bucket"
type = "s3tables"
uri = "{url}"
table_bucket_arn = "arn:aws:s3tables:eu-central-1:123456789012:bucket/sales"
access_key = "{key}"
secret_key = "{secret}"

[catalogs.plain]
type = "lakeformation"
uri = "{url}"
auth = "sigv4"
region = "eu-west-1"
signing_name = "glue"
access_key = "{key}"
secret_key = "{secret}"

[catalogs.stranger]
type = "rest"
uri = "{url}"
auth = "sigv4"
access_key = "{key}"
secret_key = "another"
"""


def test_requests_are_signed_where_aws_wants_it(
    services: Addresses, driver: Driver, handler: QueryHandler, tmp_path: Path
) -> None:
    """S3 Tables and other REST endpoints of AWS cannot be had here: the signatures are checked as AWS does it."""
    with signed_catalog(services["fixture"]["iceberg"]) as catalog:
        (tmp_path / "sqe.toml").write_text(SIGNED.format(url=catalog.url, key=ACCESS_KEY, secret=SECRET_KEY))
        sessions = Sessions(driver, load(tmp_path / "sqe.toml", {}).catalog_options(), "bucket")
        carol = sessions.open(Identity("carol"))
        desk = Desk(handler, carol, "bucket", f"signed_{secrets.token_hex(4)}", lambda: carol)
        desk.sql("CREATE SCHEMA {s}")
        desk.sql("CREATE TABLE {s}.Orders (id INT)")
        desk.sql("ALTER TABLE {s}.orders ADD COLUMN name STRING")
        assert [row[0] for row in desk.sql(f"DESCRIBE plain.{desk.schema}.orders")] == ["id", "name"]
        assert catalog.refused == 0
        assert catalog.signed_for == {("s3tables", "eu-central-1"), ("glue", "eu-west-1")}
        assert desk.refusal("SHOW SCHEMAS IN stranger").code is errors.PERMISSION_DENIED
        desk.sql("DROP TABLE {s}.orders")
        desk.sql("DROP SCHEMA {s}")
        sessions.close_all()


DEAD = {
    "jdbc:postgresql://127.0.0.1:1/x": "type = 'jdbc'\nwarehouse = '/tmp/w'\nuser = 'u'\npassword = 'hidden'",
    "jdbc:mysql://127.0.0.1:1/x": "type = 'jdbc'\nwarehouse = '/tmp/w'\nuser = 'u'\npassword = 'hidden'",
    "thrift://127.0.0.1:1": "type = 'hive'",
    "http://127.0.0.1:1": "type = 'glue'\nwarehouse = 's3://lake/w'\naccess_key = 'a'\nsecret_key = 'hidden'",
}


@pytest.mark.parametrize("uri", DEAD)
def test_a_catalog_that_is_down_says_so_and_nothing_else(driver: Driver, handler: QueryHandler, tmp_path: Path, uri: str) -> None:
    (tmp_path / "sqe.toml").write_text(f"[catalog]\nname = 'down'\nuri = '{uri}'\n{DEAD[uri]}\n")
    sessions = Sessions(driver, load(tmp_path / "sqe.toml", {}).catalog_options(), "down")
    carol = sessions.open(Identity("carol"))
    error = Desk(handler, carol, "down", "x", lambda: carol).refusal("SELECT * FROM down.x.t")
    # From what AWS' library says of a dead address, nobody can tell Glue from the object store.
    said = "ICEBERG_FILESYSTEM_ERROR: The object store" if uri.startswith("http") else "ICEBERG_CATALOG_ERROR: The catalog"
    assert str(error) == f"{said} cannot be reached or does not answer"
    sessions.close_all()
