"""Prometheus metrics: declared once as data, counted from query events, the rest pulled when Prometheus asks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from sqe.query.events import QueryEvent, State
from sqe.version import __version__


@dataclass(frozen=True)
class Declared:
    """One metric. `name` is the one that Prometheus shows: counters end in `_total`."""

    name: str
    kind: str  # counter | histogram | gauge
    help: str
    labels: tuple[str, ...] = ()


QUERIES = Declared("sqe_queries_total", "counter", "Statements that ended, by class and outcome.", ("statement", "outcome"))
ERRORS = Declared("sqe_query_errors_total", "counter", "Statements that failed, by error code.", ("code",))
SECONDS = Declared("sqe_query_duration_seconds", "histogram", "Time from submission to the last row, by class.", ("statement",))
ROWS = Declared("sqe_query_rows_total", "counter", "Rows sent to clients by statements that ended.")
BYTES = Declared("sqe_stream_bytes_total", "counter", "Bytes of Arrow data sent to clients by statements that ended.")
ACTIVE_QUERIES = Declared("sqe_active_queries", "gauge", "Statements that have not ended, by state.", ("state",))
ACTIVE_SESSIONS = Declared("sqe_active_sessions", "gauge", "Open sessions.")
LOGINS = Declared(
    "sqe_logins_total", "counter", "Log-ins that were judged: succeeded, failed, or no provider available.", ("outcome",)
)
REFUSALS = Declared("sqe_refusals_total", "counter", "Requests refused by a limit, by its key in [rate_limit].", ("limit",))
DRIVER_UP = Declared("sqe_driver_up", "gauge", "1 when the driver JVM answers, else 0.")
DRIVER_RESTARTS = Declared("sqe_driver_restarts_total", "counter", "Times that the driver JVM was started again.")
HEAP_USED = Declared("sqe_driver_heap_used_bytes", "gauge", "Heap of the driver JVM in use.")
HEAP_MAX = Declared("sqe_driver_heap_max_bytes", "gauge", "Largest heap that the driver JVM may have.")
GC_COUNT = Declared("sqe_driver_gc_collections_total", "counter", "Garbage collections of the driver JVM since it started.")
GC_SECONDS = Declared(
    "sqe_driver_gc_seconds_total", "counter", "Seconds of garbage collection of the driver JVM since it started."
)
THREADS = Declared("sqe_driver_threads", "gauge", "Threads of the driver JVM.")
DRIVER_SESSIONS = Declared("sqe_driver_sessions", "gauge", "Sessions that the driver JVM holds a Spark session and tokens for.")
WARMING_UP = Declared(
    "sqe_driver_warming_up",
    "gauge",
    "1 until the driver JVM has run its own statements (`engine.warm_up`); they wait for users'.",
)
NATIVE_FRAGMENTS = Declared("sqe_native_fragments_total", "counter", "Parts of plans that were given to the native kernel.")
NATIVE_REFUSALS = Declared(
    "sqe_native_refusals_total", "counter", "Parts of plans that the native kernel does not run, by reason.", ("reason",)
)
NATIVE_FALLBACKS = Declared(
    "sqe_native_fallbacks_total", "counter", "Statements that ran again on Spark because the native kernel failed.", ("reason",)
)
NATIVE_FALLBACK_SECONDS = Declared(
    "sqe_native_fallback_seconds_total",
    "counter",
    "Seconds until the native kernel failed, of statements that ran again on Spark.",
)
NATIVE_QUERIES = Declared(
    "sqe_native_queries_total",
    "counter",
    "Queries of tables, by how much of them the native kernel runs: whole, part, none.",
    ("share",),
)
NATIVE_RUNNING = Declared("sqe_native_running", "gauge", "Instances of the native kernel that run now.")
CACHE_HITS = Declared("sqe_native_cache_hits_total", "counter", "Files in stores of which the native kernel had a copy.")
CACHE_MISSES = Declared("sqe_native_cache_misses_total", "counter", "Files in stores that were copied for the native kernel.")
CACHE_FETCHED = Declared("sqe_native_cache_fetched_bytes_total", "counter", "Bytes copied from stores for the native kernel.")
CACHE_EVICTIONS = Declared("sqe_native_cache_evictions_total", "counter", "Copies that were removed to make room for others.")
CACHE_BYTES = Declared("sqe_native_cache_bytes", "gauge", "Disk that copies of files in stores have.")
BUILD = Declared("sqe_build_info", "gauge", "Always 1; the label says which version runs.", ("version",))

DECLARED = tuple(each for each in list(globals().values()) if isinstance(each, Declared))

# From a statement that needs no job (5 ms) to an hour's scan.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600)


class DriverHealth(Protocol):
    """What the driver JVM says about itself."""

    @property
    def heap_used(self) -> int: ...
    @property
    def heap_max(self) -> int: ...
    @property
    def gc_count(self) -> int: ...
    @property
    def gc_millis(self) -> int: ...
    @property
    def threads(self) -> int: ...
    @property
    def sessions(self) -> int: ...
    @property
    def warming_up(self) -> bool: ...
    @property
    def native_fragments(self) -> int: ...
    @property
    def native_open(self) -> int: ...
    @property
    def native_refusals(self) -> Mapping[str, int]: ...
    @property
    def native_fallbacks(self) -> Mapping[str, int]: ...
    @property
    def native_fallback_millis(self) -> int: ...
    @property
    def native_queries(self) -> Mapping[str, int]: ...
    @property
    def native_cache_hits(self) -> int: ...
    @property
    def native_cache_misses(self) -> int: ...
    @property
    def native_cache_fetched(self) -> int: ...
    @property
    def native_cache_evictions(self) -> int: ...
    @property
    def native_cache_bytes(self) -> int: ...


class Refusals(Protocol):
    """What the limits have counted."""

    def by_limit(self) -> Mapping[str, int]: ...
    def logins(self) -> Mapping[str, int]: ...


class Metrics:
    """Counts what the query handler reports. `observe` is an observer for `Events`; `text` is what `/metrics` answers.

    Its registry is its own and not the library's global one: two servers in a process (tests) do not mix.
    """

    def __init__(
        self,
        *,
        sessions: Callable[[], int],
        driver: Callable[[], DriverHealth | None],
        driver_restarts: Callable[[], int],
        refusals: Refusals | None = None,
    ) -> None:
        # Without it each counter brings a second metric with the time of its making, which nobody asks for.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry(auto_describe=False)
        self._queries = self._counter(QUERIES)
        self._errors = self._counter(ERRORS)
        self._rows = self._counter(ROWS)
        self._bytes = self._counter(BYTES)
        self._seconds = Histogram(SECONDS.name, SECONDS.help, SECONDS.labels, registry=self._registry, buckets=BUCKETS)
        self._active: dict[str, State] = {}
        self._lock = threading.Lock()
        self._sessions = sessions
        self._driver = driver
        self._driver_restarts = driver_restarts
        self._refusals = refusals
        self._registry.register(_Pulled(self._pull))
        ProcessCollector(registry=self._registry)

    def observe(self, event: QueryEvent) -> None:
        with self._lock:
            if event.state.ended:
                self._active.pop(event.query_id, None)
            else:
                self._active[event.query_id] = event.state
        if event.state.ended:
            self._count(event)

    def text(self) -> bytes:
        return generate_latest(self._registry)

    def _count(self, event: QueryEvent) -> None:
        self._queries.labels(event.statement, event.state.value.lower()).inc()
        self._seconds.labels(event.statement).observe(event.elapsed_seconds)
        self._rows.inc(event.rows)
        self._bytes.inc(event.bytes)
        if event.error is not None:
            self._errors.labels(event.error.code.name).inc()

    def _counter(self, declared: Declared) -> Counter:
        return Counter(declared.name, declared.help, declared.labels, registry=self._registry)

    def _pull(self) -> Iterator[Metric]:
        with self._lock:
            states = list(self._active.values())
        active = _gauge(ACTIVE_QUERIES)
        for state in State:
            if not state.ended:
                active.add_metric([state.value.lower()], states.count(state))
        yield active
        yield _gauge(ACTIVE_SESSIONS, self._sessions())
        yield _total(DRIVER_RESTARTS, self._driver_restarts())
        build = _gauge(BUILD)
        build.add_metric([__version__], 1)
        yield build
        if self._refusals is not None:
            yield _totals(LOGINS, self._refusals.logins())
            yield _totals(REFUSALS, self._refusals.by_limit())
        yield from self._pull_driver()

    def _pull_driver(self) -> Iterator[Metric]:
        """A driver that does not answer has no heap to tell of; zeros would look like a fact."""
        health = self._driver()
        yield _gauge(DRIVER_UP, 0 if health is None else 1)
        if health is not None:
            yield _gauge(HEAP_USED, health.heap_used)
            yield _gauge(HEAP_MAX, health.heap_max)
            yield _total(GC_COUNT, health.gc_count)
            yield _total(GC_SECONDS, health.gc_millis / 1000)
            yield _gauge(THREADS, health.threads)
            yield _gauge(DRIVER_SESSIONS, health.sessions)
            yield _gauge(WARMING_UP, int(health.warming_up))
            yield _total(NATIVE_FRAGMENTS, health.native_fragments)
            yield _totals(NATIVE_REFUSALS, health.native_refusals)
            yield _totals(NATIVE_FALLBACKS, health.native_fallbacks)
            yield _total(NATIVE_FALLBACK_SECONDS, health.native_fallback_millis / 1000)
            yield _totals(NATIVE_QUERIES, health.native_queries)
            yield _gauge(NATIVE_RUNNING, health.native_open)
            yield _total(CACHE_HITS, health.native_cache_hits)
            yield _total(CACHE_MISSES, health.native_cache_misses)
            yield _total(CACHE_FETCHED, health.native_cache_fetched)
            yield _total(CACHE_EVICTIONS, health.native_cache_evictions)
            yield _gauge(CACHE_BYTES, health.native_cache_bytes)


class _Pulled(Collector):
    def __init__(self, pull: Callable[[], Iterator[Metric]]) -> None:
        self._pull = pull

    def collect(self) -> Iterator[Metric]:
        return self._pull()


def _gauge(declared: Declared, value: float | None = None) -> GaugeMetricFamily:
    return GaugeMetricFamily(declared.name, declared.help, value, declared.labels or None)


def _total(declared: Declared, value: float) -> CounterMetricFamily:
    return CounterMetricFamily(declared.name, declared.help, value)


def _totals(declared: Declared, values: Mapping[str, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(declared.name, declared.help, labels=declared.labels)
    for label, value in sorted(values.items()):
        family.add_metric([label], value)
    return family
