"""What Prometheus reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sqe.errors import DIVISION_BY_ZERO, SqeError
from sqe.identity import Identity
from sqe.limits import Refusals
from sqe.observe.document import document
from sqe.observe.metrics import DECLARED, Metrics
from sqe.query.events import Events, QueryEvent, State

DOCS = Path(__file__).parents[2] / "docs" / "metrics.md"


@dataclass(frozen=True)
class Health:
    heap_used: int = 100
    heap_max: int = 1000
    gc_count: int = 7
    gc_millis: int = 250
    threads: int = 42
    sessions: int = 3
    warming_up: bool = True
    native_fragments: int = 9
    native_open: int = 1
    native_refusals: Mapping[str, int] = field(default_factory=lambda: {"metadata table": 2})
    native_fallbacks: Mapping[str, int] = field(default_factory=lambda: {"Out of Memory Error": 1})
    native_fallback_millis: int = 1500
    native_queries: Mapping[str, int] = field(default_factory=lambda: {"whole": 4, "part": 2, "none": 1})
    native_cache_hits: int = 7
    native_cache_misses: int = 3
    native_cache_fetched: int = 5000
    native_cache_evictions: int = 1
    native_cache_bytes: int = 4000


def event(query_id: str, state: State, **more: object) -> QueryEvent:
    facts: dict[str, object] = {"statement": "query", "elapsed_seconds": 0.02, "rows": 3, "bytes": 128, **more}
    return QueryEvent(query_id, "s1", Identity("alice"), "flight", "SELECT 1", state=state, **facts)  # type: ignore[arg-type]


@pytest.fixture
def counted() -> tuple[Events, Callable[[], dict[str, float]]]:
    refusals = Refusals()
    refusals.login_ended("failed", user="alice")
    refusals.refused("queries_per_user", "Too many", 1)
    metrics = Metrics(sessions=lambda: 5, driver=Health, driver_restarts=lambda: 2, refusals=refusals)
    events = Events()
    events.subscribe(metrics.observe)
    return events, lambda: samples(metrics.text())


def samples(text: bytes) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def test_statements_are_counted_by_class_and_outcome(counted: tuple[Events, Callable[[], dict[str, float]]]) -> None:
    events, now = counted
    events.publish(event("q1", State.FINISHED))
    events.publish(event("q2", State.FINISHED, statement="insert"))
    events.publish(event("q3", State.FAILED, error=SqeError(DIVISION_BY_ZERO, "Division by zero"), rows=0))
    found = now()
    assert found['sqe_queries_total{outcome="finished",statement="query"}'] == 1
    assert found['sqe_queries_total{outcome="finished",statement="insert"}'] == 1
    assert found['sqe_queries_total{outcome="failed",statement="query"}'] == 1
    assert found['sqe_query_errors_total{code="DIVISION_BY_ZERO"}'] == 1
    assert found['sqe_query_duration_seconds_count{statement="query"}'] == 2
    assert found['sqe_query_duration_seconds_bucket{le="0.025",statement="query"}'] == 2
    assert (found["sqe_query_rows_total"], found["sqe_stream_bytes_total"]) == (6, 384)


def test_active_statements_are_those_that_have_not_ended(counted: tuple[Events, Callable[[], dict[str, float]]]) -> None:
    events, now = counted
    for query_id, states in {
        "q1": [State.QUEUED],
        "q2": [State.QUEUED, State.PLANNING, State.RUNNING],
        "q3": [State.QUEUED, State.PLANNING, State.RUNNING, State.CANCELED],
    }.items():
        for state in states:
            events.publish(event(query_id, state))
    found = now()
    assert found['sqe_active_queries{state="queued"}'] == 1
    assert found['sqe_active_queries{state="planning"}'] == 0
    assert found['sqe_active_queries{state="running"}'] == 1
    assert found['sqe_queries_total{outcome="canceled",statement="query"}'] == 1


def test_sessions_and_the_driver_are_asked_when_prometheus_asks(counted: tuple[Events, Callable[[], dict[str, float]]]) -> None:
    found = counted[1]()
    assert found["sqe_active_sessions"] == 5
    assert found["sqe_driver_restarts_total"] == 2
    assert found["sqe_driver_up"] == 1
    assert (found["sqe_driver_heap_used_bytes"], found["sqe_driver_heap_max_bytes"]) == (100, 1000)
    assert (found["sqe_driver_gc_collections_total"], found["sqe_driver_gc_seconds_total"]) == (7, 0.25)
    assert found["process_resident_memory_bytes"] > 0


def test_what_the_native_kernel_did_is_counted_by_reason(counted: tuple[Events, Callable[[], dict[str, float]]]) -> None:
    found = counted[1]()
    assert found["sqe_driver_warming_up"] == 1
    assert (found["sqe_native_fragments_total"], found["sqe_native_running"]) == (9, 1)
    assert found['sqe_native_refusals_total{reason="metadata table"}'] == 2
    assert found['sqe_native_fallbacks_total{reason="Out of Memory Error"}'] == 1
    assert found["sqe_native_fallback_seconds_total"] == 1.5
    assert [found[f'sqe_native_queries_total{{share="{share}"}}'] for share in ("whole", "part", "none")] == [4, 2, 1]
    assert (found["sqe_native_cache_hits_total"], found["sqe_native_cache_bytes"]) == (7, 4000)


def test_a_driver_that_does_not_answer_is_down_and_has_no_numbers() -> None:
    found = samples(Metrics(sessions=lambda: 0, driver=lambda: None, driver_restarts=lambda: 0).text())
    assert found["sqe_driver_up"] == 0
    assert not [name for name in found if name.startswith("sqe_driver_heap")]


def test_refusals_are_counted_by_limit_and_log_ins_by_outcome(counted: tuple[Events, Callable[[], dict[str, float]]]) -> None:
    found = counted[1]()
    assert found['sqe_refusals_total{limit="queries_per_user"}'] == 1
    assert found['sqe_logins_total{outcome="failed"}'] == 1


def test_the_documentation_lists_exactly_the_metrics_that_are_answered(
    counted: tuple[Events, Callable[[], dict[str, float]]],
) -> None:
    events, now = counted
    events.publish(event("q1", State.FAILED, error=SqeError(DIVISION_BY_ZERO, "Division by zero")))
    answered = {re.sub(r"_(bucket|sum|count)$", "", name.partition("{")[0]) for name in now() if name.startswith("sqe_")}
    assert answered == {each.name for each in DECLARED}
    assert DOCS.read_text(encoding="utf-8") == document(), "run: python -m sqe.observe.document docs/metrics.md"
