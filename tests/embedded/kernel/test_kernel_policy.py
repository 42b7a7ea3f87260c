"""The kernel with a policy: filters and masks are inside the fragment, and nothing there can tell of rows that it hides."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attack_suite import GROUPS, VARIANTS, prepare_variant, run_changes, run_group, run_missing
from bank import ANALYST, Book, Person, analysts_policy

from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

VARIANT = VARIANTS[1]  # plain files, without partitions
TABLE = f"{VARIANT.schema}.accounts"


@pytest.fixture(scope="module")
def book() -> Book:
    return Book()


@pytest.fixture(scope="module")
def admin(handler: QueryHandler, sessions: Sessions) -> Person:
    """Without the kernel, whose fragments are counted here."""
    person = Person(handler, sessions.open(Identity("root")))
    person.rows("SET native = 'off'")
    return person


@pytest.fixture(scope="module")
def analyst(handler: QueryHandler, driver: Driver, sessions: Sessions, book: Book, admin: Person) -> Iterator[Person]:
    """Bound by the policy of the attack suite; with the kernel."""
    bound = Sessions(driver, sessions._catalogs, "lake", decisions=lambda _: book)
    person = Person(handler, bound.open(ANALYST))
    prepare_variant(admin, VARIANT)
    analysts_policy(book, VARIANT.schema)
    person.session.forget_policies()
    person.rows("SET native = 'auto'")
    yield person
    bound.close_all()


@pytest.fixture(scope="module")
def visible(admin: Person, analyst: Person) -> str:
    """A table that never held the rest, for what the answers have to be."""
    columns = "id, owner, region, balance, note, divisor, digits, opened, tags, place"
    admin.rows(f"CREATE TABLE visible AS SELECT {columns}, concat('**', right(iban, 2)) AS iban FROM {TABLE} WHERE region = 'EU'")
    return "visible"


def health(driver: Driver) -> tuple[int, int]:
    """Fragments given to the kernel, and statements that it failed on."""
    found = driver.health()
    assert found is not None
    return found.native_fragments, sum(found.native_fallbacks.values())


NATIVE = [
    "SELECT region, count(*), sum(balance), max(note) FROM {t} GROUP BY region",
    "SELECT count(*), min(opened), max(balance) FROM {t} WHERE note LIKE '%e%' OR id > 2",
    "SELECT a.id, b.balance * b.balance AS square FROM {t} a JOIN {t} b ON a.id = b.id AND a.divisor < b.balance ORDER BY a.id",
    "SELECT id FROM {t} ORDER BY balance DESC LIMIT 2",
    "SELECT id, place, place.city, try_element_at(tags, -1), tags FROM {t} WHERE array_contains(tags, 'b') ORDER BY id",
    "SELECT max(sha2(note, 256)), sort_array(collect_list(id)), count(v) FROM {t} LATERAL VIEW explode(split(note, 'e')) AS v",
    "SELECT id FROM {t} WHERE id NOT IN (SELECT divisor FROM {t} WHERE divisor > 2) ORDER BY id",
]


@pytest.mark.parametrize("query", NATIVE)
def test_harmless_queries_are_native(admin: Person, analyst: Person, visible: str, driver: Driver, query: str) -> None:
    before = health(driver)
    assert analyst.rows(query.format(t=TABLE)) == admin.rows(query.format(t=visible))
    assert health(driver) == (before[0] + 1, before[1])


def test_masks_are_inside_the_fragment(analyst: Person, driver: Driver) -> None:
    before = health(driver)
    rows = analyst.rows(f"SELECT iban, count(*) FROM {TABLE} GROUP BY iban ORDER BY iban")
    assert rows
    assert all("DE00" not in str(row) for row in rows)
    assert health(driver)[1] == before[1]


# Each fails for a row that the analyst must not see: a zero to divide by, letters that are no number, a number too large.
TELLING = [
    "SELECT sum(10 / divisor) FROM {t}",
    "SELECT count(*) FROM {t} WHERE 10 / divisor > 1",
    "SELECT count(*) FROM {t} WHERE 10 % divisor >= 0",
    "SELECT max(CAST(digits AS INT)) FROM {t}",
    "SELECT sum(100 div divisor) AS s, region FROM {t} GROUP BY region",
    "SELECT a.id FROM {t} a JOIN {t} b ON a.id = b.id AND 10 / b.divisor > 0 ORDER BY a.id",
    "SELECT id FROM {t} ORDER BY 1 / divisor, id",
    "SELECT max(if(id > 3, 1 / divisor, 0)) FROM {t}",
    "SELECT count(*) FROM {t} WHERE id + 9223372036854775803 > 0",
    "SELECT sum(balance / (balance - 990.00)) FROM {t}",
    "SELECT max(length(upper(note))) FROM {t}",
    "SELECT max(try_element_at(array(1, 2, 3), CAST(divisor AS INT))) FROM {t}",
    "SELECT max(get_json_object(note, '$.a')) FROM {t}",
    "SELECT max(v) FROM {t} LATERAL VIEW explode(map(divisor, 1, 0, 2)) AS w, v",
    "SELECT id FROM {t} WHERE 1 = (SELECT max(1 / x.divisor) FROM {t} x WHERE x.id = 1) ORDER BY id",
]


@pytest.mark.parametrize("query", TELLING)
def test_nothing_fails_for_hidden_rows(admin: Person, analyst: Person, visible: str, driver: Driver, query: str) -> None:
    """Not even in the kernel, quietly: a statement that runs twice takes twice as long, and that can be measured."""
    before = health(driver)
    assert analyst.rows(query.format(t=TABLE)) == admin.rows(query.format(t=visible))
    assert health(driver)[1] == before[1]


def test_explain_tells_nothing(analyst: Person) -> None:
    for query in (*NATIVE, *TELLING):
        ((plan,),) = analyst.rows(f"EXPLAIN {query.format(t=TABLE)}")
        assert "'EU'" not in str(plan)
        assert "parquet" not in str(plan).lower()


@pytest.mark.long
def test_the_attacks_find_nothing_in_the_kernel(analyst: Person, admin: Person) -> None:
    for group in GROUPS:
        report = run_group(analyst, VARIANT.schema, group)
        assert (report.leaks, report.wrong) == ([], []), group
    for report in (run_missing(analyst, VARIANT.schema), run_changes(analyst, admin, VARIANT.schema)):
        assert (report.leaks, report.wrong) == ([], [])
