"""The attacks over Flight: a real server with `[policy]` and grants by SQL, an analyst who comes by ADBC."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from attack_suite import GROUPS, VARIANTS, Refusal, Report, leaked, prepare_variant, run_changes, run_group, run_missing
from flight_bank import FlightPerson, logged_in, policy_section, policy_server, refusals
from policy_tables import grant, table
from server_process import ServerProcess
from suite_policy import as_grants

from sqe.policy.grants.model import Terms
from sqe.policy.grants.store import GrantStore

pytestmark = pytest.mark.service

VARIANT = VARIANTS[0]  # copy-on-write, V2, partitioned by the filtered column
SCHEMA = VARIANT.schema

_WATCHED = """
[audit]
enabled = true
path = "audit/audit.jsonl"
"""


@dataclass
class Bank:
    server: ServerProcess
    folder: Path
    root: FlightPerson
    ann: FlightPerson

    def audit(self) -> list[dict[str, object]]:
        lines = (self.folder / "audit" / "audit.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    folder = tmp_path_factory.mktemp("policy-flight")
    with (
        policy_server(folder, policy_section("grants", folder, [SCHEMA]), _WATCHED) as server,
        logged_in(server, "root", "ann") as (root, ann),
    ):
        prepare_variant(root, VARIANT)
        for statement in as_grants([SCHEMA]):
            root.rows(statement)
        yield Bank(server, folder, root, ann)


def nothing_wrong(report: Report) -> None:
    assert report.leaks == []
    assert report.wrong == []
    assert report.statements > 5


@pytest.mark.parametrize("group", GROUPS)
def test_answers_are_those_of_the_policy(bank: Bank, group: str) -> None:
    nothing_wrong(run_group(bank.ann, SCHEMA, group))


def test_what_is_denied_looks_like_what_is_missing(bank: Bank) -> None:
    nothing_wrong(run_missing(bank.ann, SCHEMA))


def test_changes_touch_visible_rows_only(bank: Bank) -> None:
    nothing_wrong(run_changes(bank.ann, bank.root, SCHEMA))


VISIBLE = "id owner region balance iban note divisor digits opened tags place".split()


def refused(run: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as caught:
        run()
    assert leaked(str(caught.value), "ssn vault iban") == []
    return str(caught.value)


# What Flight has beside statements.


def test_metadata_calls_show_what_one_may_see(bank: Bank) -> None:
    objects = bank.ann.connection.adbc_get_objects(depth="all").read_all().to_pylist()
    (lake,) = (each for each in objects if each["catalog_name"] == "lake")
    schemas = {each["db_schema_name"]: each["db_schema_tables"] for each in lake["catalog_db_schemas"]}
    assert "closed" not in schemas
    tables = {each["table_name"]: [column["column_name"] for column in each["table_columns"]] for each in schemas[SCHEMA]}
    assert tables == {
        "accounts": VISIBLE,
        "regions": ["region", "label"],
        "open_view": ["id", "region", "iban"],
        "hidden_view": ["id"],
        "deep_view": ["gold"],
        "regions_view": ["label"],
    }
    assert bank.ann.connection.adbc_get_table_schema("accounts", db_schema_filter=SCHEMA).names == VISIBLE
    for hidden in ("vault", "odd$name", "entitled"):
        with refusals(), pytest.raises(Exception, match=r"NOT_FOUND"):
            bank.ann.connection.adbc_get_table_schema(hidden, db_schema_filter=SCHEMA)


def test_prepared_statements_tell_of_visible_columns(bank: Bank) -> None:
    with bank.ann.connection.cursor() as cursor:
        assert cursor.adbc_execute_schema(f"SELECT * FROM {SCHEMA}.accounts").names == VISIBLE
        cursor.execute(f"SELECT id, iban FROM {SCHEMA}.accounts WHERE id <= ? ORDER BY id", (6,))
        assert cursor.fetchall() == [(1, "**11"), (2, "**22"), (3, "**33")]
        cursor.execute(f"SELECT id FROM {SCHEMA}.accounts WHERE iban = ?", ("US994444",))
        assert cursor.fetchall() == []

    def prepare(text: str) -> str:
        def run() -> None:
            with refusals(), bank.ann.connection.cursor() as cursor:
                cursor.adbc_prepare(text)

        return refused(run)

    assert prepare(f"SELECT ssn FROM {SCHEMA}.accounts WHERE id = ?").startswith("COLUMN_NOT_FOUND: ")
    assert "TABLE_NOT_FOUND: " in prepare(f"SELECT * FROM {SCHEMA}.vault WHERE gold = ?")
    assert "TABLE_NOT_FOUND: " in prepare(f"INSERT INTO {SCHEMA}.vault VALUES (?)")


def test_rows_of_parameters_are_checked_like_any_row(bank: Bank) -> None:
    def insert(*rows: tuple[object, ...], columns: str = "id, region") -> None:
        with refusals(), bank.ann.connection.cursor() as cursor:
            marks = ", ".join("?" * len(rows[0]))
            cursor.executemany(f"INSERT INTO {SCHEMA}.accounts ({columns}) VALUES ({marks})", list(rows))

    denied = "PERMISSION_DENIED: A new row is one that you may not see"
    assert refused(lambda: insert((20, "EU"), (21, "US"))) == denied
    assert refused(lambda: insert((20, None))) == denied
    assert "COLUMN_NOT_FOUND: " in refused(lambda: insert((20, "EU", "x"), columns="id, region, ssn"))
    assert "is masked for you" in refused(lambda: insert((20, "EU", "x"), columns="id, region, iban"))
    insert((20, "EU"), (21, "EU"))
    assert bank.root.affected(f"DELETE FROM {SCHEMA}.accounts WHERE id >= 20") == 2


def test_bulk_loads_obey_the_policy(bank: Bank) -> None:
    def load(table: str, mode: str, **columns: list[object]) -> int:
        with refusals(), bank.ann.connection.cursor() as cursor:
            return int(cursor.adbc_ingest(table, pa.table(columns), mode=mode, db_schema_name=SCHEMA))  # type: ignore[arg-type]

    assert load("accounts", "append", id=[30], region=["EU"]) == 1
    assert "A new row is one that you may not see" in refused(lambda: load("accounts", "append", id=[31], region=["US"]))
    assert "COLUMN_NOT_FOUND" in refused(lambda: load("accounts", "append", id=[31], region=["EU"], ssn=["x"]))
    assert "is masked for you" in refused(lambda: load("accounts", "append", id=[31], region=["EU"], iban=["x"]))
    assert "PERMISSION_DENIED" in refused(lambda: load("accounts", "replace", id=[31], region=["EU"]))
    assert "TABLE_ALREADY_EXISTS" in refused(lambda: load("accounts", "create", id=[31]))
    assert "NOT_FOUND" in refused(lambda: load("vault", "append", gold=["x"]))
    assert "PERMISSION_DENIED" in refused(lambda: load("mine", "create", id=[1]))
    assert "PERMISSION_DENIED" in refused(lambda: load("mine", "replace", id=[1]))
    assert "PERMISSION_DENIED" in refused(lambda: load("mine", "create_append", id=[1]))
    assert load("ACCOUNTS", "append", id=[32], region=["EU"]) == 1
    assert "A new row" in refused(lambda: load("ACCOUNTS", "append", id=[33], region=["US"]))
    assert bank.root.affected(f"DELETE FROM {SCHEMA}.accounts WHERE id >= 30") == 2


def test_a_column_is_hidden_in_every_snapshot_whatever_it_was_called(bank: Bank) -> None:
    table = f"{SCHEMA}.renamed"
    bank.root.rows(f"CREATE TABLE {table} AS SELECT 1 AS id, '900-77' AS tax, 'DE0077' AS code, 'gone' AS dropped")
    bank.root.rows(f"ALTER TABLE {table} CREATE TAG early")
    bank.root.rows(f"ALTER TABLE {table} RENAME COLUMN tax TO ssn")
    bank.root.rows(f"ALTER TABLE {table} RENAME COLUMN code TO iban")
    bank.root.rows(f"GRANT SELECT ON {table} TO ROLE analyst MASKED WITH (iban = 'xx') HIDING (ssn, dropped)")
    bank.root.rows(f"ALTER TABLE {table} DROP COLUMN dropped")
    for past in ("VERSION AS OF 'early'", "", "TIMESTAMP AS OF now()"):
        found = bank.ann.table(f"SELECT * FROM {table} {past}")
        assert (found.column_names, found.to_pylist()) == (["id", "iban"], [{"id": 1, "iban": "xx"}]), past
    assert bank.ann.table(f"SELECT * FROM {table}.tag_early").column_names == ["id", "iban"]
    for name in ("tax", "ssn", "dropped", "code"):
        assert refused(lambda name=name: bank.ann.rows(f"SELECT {name} FROM {table} VERSION AS OF 'early'")).startswith("COLUMN_")
    bank.root.rows(f"DROP TABLE {table}")


# Rights themselves.


def test_those_who_are_bound_read_no_policy(bank: Bank) -> None:
    told = "".join(
        str(bank.ann.rows(text))
        for text in ("SHOW GRANTS", f"SHOW GRANTS ON {SCHEMA}.accounts", f"SHOW EFFECTIVE POLICY ON {SCHEMA}.accounts")
    )
    assert "(not shown)" in told
    assert leaked(told, "") == []
    assert "'EU'" not in told
    for text, start in (
        (f"SHOW EFFECTIVE POLICY FOR USER root ON {SCHEMA}.accounts", "PERMISSION_DENIED"),
        (f"GRANT SELECT ON {SCHEMA}.accounts TO USER ann", "PERMISSION_DENIED"),
        (f"GRANT SELECT ON {SCHEMA}.vault TO USER ann", "TABLE_NOT_FOUND"),
        (f"REVOKE SELECT ON {SCHEMA}.accounts FROM ROLE analyst", "PERMISSION_DENIED"),
        (f"DENY SELECT ON {SCHEMA}.accounts TO USER root", "PERMISSION_DENIED"),
        (f"ALTER TABLE {SCHEMA}.accounts ALTER COLUMN ssn SET TAG pii = 'x'", "PERMISSION_DENIED"),
        (f"ALTER TABLE {SCHEMA}.vault ALTER COLUMN gold SET TAG pii = 'x'", "TABLE_NOT_FOUND"),
        (f"COPY (SELECT * FROM {SCHEMA}.accounts) TO '/tmp/stolen.csv'", "PERMISSION_DENIED"),
    ):
        assert refused(lambda text=text: bank.ann.rows(text)).startswith(start), text


def test_a_view_over_a_view_over_a_view_is_decided(bank: Bank) -> None:
    """More views than there are rounds that may bring nothing new."""
    inner = f"{SCHEMA}.accounts"
    for depth in range(20):
        bank.root.rows(f"CREATE VIEW {SCHEMA}.deep{depth} AS SELECT id, iban FROM {inner}")
        bank.root.rows(f"GRANT SELECT ON VIEW {SCHEMA}.deep{depth} TO ROLE analyst")
        inner = f"{SCHEMA}.deep{depth}"
    with logged_in(bank.server, "ann") as (fresh,):
        assert fresh.rows(f"SELECT * FROM {inner} ORDER BY id") == [(1, "**11"), (2, "**22"), (3, "**33")]
    for depth in reversed(range(20)):
        bank.root.rows(f"DROP VIEW {SCHEMA}.deep{depth}")


# What others are told.


def test_statements_of_others_are_not_in_the_list_of_queries(bank: Bank) -> None:
    marked = "XSECRET of root"
    with pytest.raises(Refusal):
        bank.root.affected(f"ALTER TABLE {SCHEMA}.nothing SET TBLPROPERTIES ('{marked}' = '1')")
    seen = str(bank.ann.rows("SELECT * FROM system.runtime.queries"))
    assert marked not in seen
    assert "TO ROLE analyst" not in seen  # the grants that bind its reader
    assert marked in str(bank.root.rows("SELECT query FROM system.runtime.queries"))


def test_the_audit_of_the_analyst_holds_no_policy_and_no_value(bank: Bank) -> None:
    texts = [(str(line["sql"]), line) for line in bank.audit() if line.get("user") == "ann" and line["event"] == "statement"]
    assert len(texts) > 100
    for text, line in texts:
        rest = {key: value for key, value in line.items() if key not in ("sql", "hash", "prev", "sql_sha256", "session", "query")}
        assert leaked(json.dumps(rest), text + " vault ssn") == [], line
        assert "region = 'EU'" not in json.dumps(rest) or "region = 'EU'" in text, line


def test_logs_and_metrics_hold_no_policy_and_no_value(bank: Bank) -> None:
    log = bank.server.log.read_text(encoding="utf-8")
    assert leaked(log, "vault ssn") == []
    assert [name for name in bank.server.metrics() if leaked(name, "")] == []


# Under load.


def test_ten_thousand_grants_do_not_slow_a_decision_down(bank: Bank) -> None:
    """Grants to others on the same table, and to the analyst's role on others, are not looked through."""

    def first_read() -> float:
        with logged_in(bank.server, "ann") as (person,):
            person.rows("SELECT 1")
            began = time.perf_counter()
            assert person.rows(f"SELECT count(*) FROM {SCHEMA}.accounts") == [(3,)]
            return time.perf_counter() - began

    before = min(first_read() for _ in range(3))
    here = f"lake.{SCHEMA}"
    others = [
        grant("select", table(f"{here}.accounts"), f"user:u{number}", Terms(row_filter=f"id = {number}"))
        for number in range(5_000)
    ]
    elsewhere = [
        grant("select", table(f"{here}.t{number}"), "role:analyst", Terms(row_filter=f"id = {number}")) for number in range(5_000)
    ]
    store = GrantStore(f"sqlite:///{bank.folder}/policy.db")
    store.put([*others, *elsewhere])
    after = min(first_read() for _ in range(3))
    store.take([each for each in store.listed() if each.principal.name.startswith("u") or ".t" in each.target.key])
    store.close()
    assert after < before * 2 + 0.25


READERS = 50


def test_a_policy_that_changes_under_fifty_readers_is_the_old_or_the_new_one(bank: Bank) -> None:
    """Filter and mask change together: rows of one with the mask of the other would be a mix."""
    name = f"{SCHEMA}.switching"
    bank.root.rows(f"CREATE TABLE {name} AS SELECT id, if(id < 3, 'EU', 'US') AS region, 'plain' AS word FROM range(5)")
    editions = [
        (f"ROWS WHERE (region = '{region}') MASKED WITH (word = '{region} only')", {(region, f"{region} only")})
        for region in ("EU", "US", "EU")
    ]
    grant_to_analyst = f"GRANT SELECT ON {name} TO ROLE analyst "
    bank.root.rows(grant_to_analyst + editions[0][0])
    together = threading.Barrier(READERS + 1, timeout=120)

    def reads() -> list[tuple[object, ...]]:
        """For each change: a read beside it, and one after it."""
        with logged_in(bank.server, "ann") as (person,):
            found = []
            for _ in editions[1:]:
                together.wait()
                beside = set(person.rows(f"SELECT region, word FROM {name}"))
                together.wait()
                found.append((beside, set(person.rows(f"SELECT region, word FROM {name}"))))
            return found

    with ThreadPoolExecutor(READERS) as readers:
        asked = [readers.submit(reads) for _ in range(READERS)]
        for terms, _ in editions[1:]:
            together.wait()
            bank.root.rows(grant_to_analyst + terms)
            together.wait()
        answers = [future.result() for future in asked]
    for change, (_, new) in enumerate(editions[1:]):
        old = editions[change][1]
        assert all(answer[change][0] in (old, new) for answer in answers)
        assert all(answer[change][1] == new for answer in answers)
    bank.root.rows(f"DROP TABLE {name}")
