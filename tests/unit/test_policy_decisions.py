"""All engines together: the most restrictive answer, what is kept and for how long, and that trouble means denied."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

import pytest
from policy_tables import ACCOUNTS, PAYMENTS, Tables, person

from sqe.errors import REMOTE_HOST_GONE, SqeError
from sqe.policy.combination import both, most_restrictive
from sqe.policy.contract import TablePolicy
from sqe.policy.decisions import Policy
from sqe.policy.engine import Engine, Nobody, Outage, Question
from sqe.policy.facts import Column, KnownColumns

ALICE = person("alice", "analyst", "eu")


def says(actions: str = "select", row_filter: str | None = None, hidden: str = "", **masks: str) -> TablePolicy:
    return TablePolicy(ACCOUNTS, frozenset(actions.split()), row_filter, masks, frozenset(hidden.split()))


class Told(Engine):
    """An engine that does what a test tells it."""

    name = "told"

    def __init__(self, answer: Callable[[Question], Sequence[TablePolicy]]) -> None:
        self.answer = answer
        self.now = "1"
        self.asked: list[tuple[str, ...]] = []

    def version(self) -> str:
        return self.now

    def decide(self, question: Question) -> Sequence[TablePolicy]:
        self.asked.append(question.tables)
        return self.answer(question)


def allows(question: Question) -> list[TablePolicy]:
    return [TablePolicy(table, frozenset({"select"}), None, {}, frozenset()) for table in question.tables]


def fails(question: Question) -> list[TablePolicy]:
    raise Outage("it is down")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("answers", "combined"),
    [
        ([says("select insert"), says("select drop")], says("select")),
        ([says(), says("")], says("")),
        ([says(row_filter="a"), says()], says(row_filter="a")),
        ([says(row_filter="a OR b"), says(row_filter="c")], says(row_filter="(a OR b) AND (c)")),
        ([says(row_filter="a"), says(row_filter="a")], says(row_filter="a")),
        ([says(hidden="x"), says(hidden="y")], says(hidden="x y")),
        ([says(card="'x'"), says(card="NULL")], says(card="NULL")),
        ([says(card="upper(card)"), says(CARD="lower(card)")], says(card="NULL")),
        ([says(card="'x'", owner="'y'"), says(hidden="CARD")], says(hidden="CARD", owner="'y'")),
    ],
)
def test_the_most_restrictive_answer_wins(answers: list[TablePolicy], combined: TablePolicy) -> None:
    assert most_restrictive(answers) == combined


def test_a_filter_of_nothing_is_no_filter() -> None:
    assert both(None, None) is None


def test_all_tables_of_a_statement_are_one_question_and_the_answers_are_kept() -> None:
    engine, clock = Told(allows), Clock()
    policy = Policy([engine], cache_seconds=30, clock=clock)
    policy.decide(ALICE, [ACCOUNTS, PAYMENTS, ACCOUNTS])
    policy.decide(ALICE, [PAYMENTS, ACCOUNTS])
    assert engine.asked == [(ACCOUNTS, PAYMENTS)]
    clock.now += 31
    policy.decide(ALICE, [ACCOUNTS])
    engine.now = "2"
    policy.decide(ALICE, [ACCOUNTS])
    assert engine.asked[1:] == [(ACCOUNTS,), (ACCOUNTS,)]


def test_listings_are_asked_in_parts_that_an_engine_can_decide_in_time() -> None:
    engine = Told(allows)
    engine.most_tables = 20
    names = [f"lake.bank.t{number}" for number in range(45)]
    assert [answer.table for answer in Policy([engine]).decide(ALICE, names)] == names
    assert [len(asked) for asked in engine.asked] == [20, 20, 5]


@pytest.mark.parametrize("other", [person("alice", "analyst"), person("alice", "", "eu"), person("bob", "analyst", "eu")])
def test_nobody_gets_what_was_decided_for_somebody_else(other: object) -> None:
    engine = Told(allows)
    policy = Policy([engine])
    policy.decide(ALICE, [ACCOUNTS])
    policy.decide(other, [ACCOUNTS])  # type: ignore[arg-type]
    assert len(engine.asked) == 2


def test_what_depends_on_columns_is_decided_again_when_they_change() -> None:
    def by_columns(question: Question) -> list[TablePolicy]:
        hidden = frozenset(column.name for column in question.columns(ACCOUNTS) or () if column.field_id > 5)
        return [TablePolicy(ACCOUNTS, frozenset({"select"}), None, {}, hidden)]

    engine, tables = Told(by_columns), Tables()
    policy = Policy([engine])
    assert policy.decide(ALICE, [ACCOUNTS], tables)[0].hidden == frozenset()
    asked = len(engine.asked)
    policy.decide(ALICE, [ACCOUNTS], tables)
    assert len(engine.asked) == asked
    tables.known[ACCOUNTS].append(Column(6, "secret", "STRING"))
    assert policy.decide(ALICE, [ACCOUNTS], tables)[0].hidden == {"secret"}


def test_filters_and_masks_are_written_out_for_the_person_and_the_type() -> None:
    told = Told(lambda _: [says(row_filter="owner = current_user -- own", card="mask_show_last(4)", balance="mask_email()")])
    answer = Policy([told]).decide(ALICE, [ACCOUNTS], Tables())[0]
    assert answer.row_filter == "owner = 'alice'"
    assert answer.masks["card"].startswith("try_cast(CASE WHEN length((card)) > 4")
    assert answer.masks["balance"] == "try_cast(NULL AS DECIMAL(12,2))"
    again = Policy([told]).decide(ALICE, [ACCOUNTS], Tables())[0]
    assert (answer.version, len(answer.version)) == (again.version, 16)
    assert answer.version != Policy([told]).decide(person("bob"), [ACCOUNTS], Tables())[0].version


def test_a_filter_that_cannot_be_used_denies_and_a_mask_shows_null(caplog: pytest.LogCaptureFixture) -> None:
    assert Policy([Told(lambda _: [says(row_filter="a) OR (b")])]).decide(ALICE, [ACCOUNTS])[0].actions == frozenset()
    assert Policy([Told(lambda _: [says(card="mask_show_last()")])]).decide(ALICE, [ACCOUNTS])[0].masks == {"card": "NULL"}
    assert len(caplog.records) == 2


NONSENSE: dict[str, Callable[[Question], Sequence[TablePolicy]]] = {
    "raises": lambda _: 1 / 0,  # type: ignore[dict-item, return-value]
    "outage": fails,
    "nothing": lambda _: [],
    "another table": lambda _: [TablePolicy("lake.hr.staff", frozenset({"select"}), None, {}, frozenset())],
    "too many": lambda question: [*allows(question), *allows(question)],
    "no answer at all": lambda _: None,  # type: ignore[dict-item, return-value]
}


@pytest.mark.parametrize("answer", NONSENSE.values(), ids=list(NONSENSE))
def test_an_engine_that_does_not_decide_denies_with_one_line(
    answer: Callable[[Question], Sequence[TablePolicy]], caplog: pytest.LogCaptureFixture
) -> None:
    engine = Told(answer)
    policy = Policy([Nobody(), engine])
    for _ in range(5):
        assert policy.decide(ALICE, [ACCOUNTS])[0].actions == frozenset()
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "told does not decide" in caplog.text


def test_a_slow_engine_is_waited_for_no_longer_than_allowed(caplog: pytest.LogCaptureFixture) -> None:
    go_on = threading.Event()

    def slow(question: Question) -> list[TablePolicy]:
        go_on.wait(10)
        return allows(question)

    policy = Policy([Told(slow)], timeout_seconds=0.1)
    began = time.monotonic()
    assert policy.decide(ALICE, [ACCOUNTS])[0].actions == frozenset()
    assert time.monotonic() - began < 1
    go_on.set()
    assert policy.decide(ALICE, [ACCOUNTS])[0].actions == {"select"}
    assert "no answer within 0.1 s" in caplog.text
    policy.close()


def test_an_outage_is_not_asked_again_and_again_and_ends_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    engine, clock = Told(fails), Clock()
    policy = Policy([engine], clock=clock)
    for _ in range(10):
        policy.decide(ALICE, [ACCOUNTS])
    assert len(engine.asked) == 3
    engine.answer = allows
    assert policy.decide(ALICE, [ACCOUNTS])[0].actions == frozenset()
    clock.now += 6
    assert policy.decide(ALICE, [ACCOUNTS])[0].actions == {"select"}
    assert policy.decide(ALICE, [PAYMENTS])[0].actions == {"select"}
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


def test_nobody_shuts_an_engine_for_all_by_asking_for_something_odd() -> None:
    def odd(question: Question) -> list[TablePolicy]:
        if "odd" in question.tables[0]:
            raise ValueError("odd")
        return allows(question)

    policy = Policy([Told(odd)])
    for number in range(20):
        assert policy.decide(ALICE, [f"lake.bank.odd{number}"])[0].actions == frozenset()
    assert policy.decide(ALICE, [ACCOUNTS])[0].actions == {"select"}


def test_one_engine_that_is_down_denies_whatever_others_say() -> None:
    assert Policy([Told(allows), Told(fails)]).decide(ALICE, [ACCOUNTS])[0].actions == frozenset()
    assert Policy([Told(allows), Nobody()]).decide(ALICE, [ACCOUNTS])[0].actions == {"select"}


def test_columns_that_cannot_be_read_fail_the_statement_and_blame_no_engine(caplog: pytest.LogCaptureFixture) -> None:
    class Gone(Tables):
        def columns(self, table: str) -> Sequence[Column] | None:
            raise SqeError(REMOTE_HOST_GONE, "The query engine stopped")

    def by_columns(question: Question) -> list[TablePolicy]:
        question.columns(ACCOUNTS)
        return allows(question)

    policy = Policy([Told(by_columns)])
    with pytest.raises(SqeError, match="stopped"):
        policy.decide(ALICE, [ACCOUNTS], Gone())
    assert caplog.records == []


def test_a_decision_says_for_which_columns_it_was_made() -> None:
    told = Told(lambda question: [says(card="mask_null()") if question.identity.user == "alice" else says()])
    bound = Policy([told]).with_facts(KnownColumns(Tables().known))
    assert bound.decide(ALICE, [ACCOUNTS])[0].columns == ("id", "owner", "region", "card", "balance")
    assert bound.decide(person("bob"), [ACCOUNTS])[0].columns is None


def test_the_version_of_all_engines_changes_with_each_and_with_time() -> None:
    engine, clock = Told(allows), Clock()
    policy = Policy([Nobody(), engine], cache_seconds=30, clock=clock)
    first = policy.version()
    assert policy.version() == first
    engine.now = "2"
    second = policy.version()
    clock.now += 31
    assert len({first, second, policy.version()}) == 3


def test_a_catalog_that_is_slow_to_tell_columns_is_no_outage_of_an_engine(caplog: pytest.LogCaptureFixture) -> None:
    class Far(Tables):
        def columns(self, table: str) -> Sequence[Column] | None:
            threading.Event().wait(0.15)
            return super().columns(table)

    def by_columns(question: Question) -> list[TablePolicy]:
        question.need_columns(question.tables)
        return allows(question)

    engine = Told(by_columns)
    policy = Policy([engine, Told(allows)], timeout_seconds=0.1)
    assert [answer.actions for answer in policy.decide(ALICE, [ACCOUNTS, PAYMENTS, "lake.bank"], Far())] == [{"select"}] * 3
    assert len(engine.asked) == 2
    assert caplog.records == []


def test_an_engine_that_wants_columns_first_comes_back_after_an_outage() -> None:
    """The one try after a pause is a decision, not a question: this engine asks back before it decides."""

    def by_columns(question: Question) -> list[TablePolicy]:
        question.need_columns([ACCOUNTS])
        if down:
            raise Outage("it is down")
        return allows(question)

    down = True
    clock = Clock()
    policy = Policy([Told(by_columns)], cache_seconds=0, clock=clock)
    for _ in range(4):
        assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()
    down = False
    clock.now += 6
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions
