"""Copies of data files in a store, which the kernel reads: who may use one, and what happens when something comes between."""

from __future__ import annotations

import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from sides import Sides, difference
from waiting import eventually

from sqe import errors
from sqe.engine.driver import Driver, DriverHealth
from sqe.engine.process import LaunchOptions
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions
from tests.embedded.guarded_store import BUCKET, GuardedStore, guarded_store

# Room for one of the tables of `MEGABYTES` and some small ones.
LIMIT = "8m"
MEGABYTES = "SELECT id, id % 7 AS k, uuid() AS u FROM range(0, 200000, 1, 1)"  # 5 MB
SMALL = "SELECT id, id % 7 AS k, concat('text ', id) AS s FROM range(0, 5000, 1, 2)"
NO_ROOM = "no room in the cache of files"
UNREADABLE = "files that the store does not give"


@pytest.fixture(scope="module")
def store() -> Iterator[GuardedStore]:
    with guarded_store() as store:
        yield store


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """Its own, with a small cache. Nothing of it is left when the driver is gone."""
    tmp_path_factory.getbasetemp()  # made before the folder for such things is another one
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))  # short: a unix socket's path has 107 bytes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        driver = Driver(LaunchOptions(memory="1g", native="auto", native_cache=LIMIT))
        driver.start()
        driver.await_ready()
        yield driver
        driver.stop()
    assert list(folder.iterdir()) == []
    folder.rmdir()


@pytest.fixture(scope="module")
def handler(driver: Driver) -> Iterator[QueryHandler]:
    handler = QueryHandler(driver)
    yield handler
    handler.close()


class People:
    """Sessions whose keys for the store have the person's name, on one catalog."""

    def __init__(self, driver: Driver, handler: QueryHandler, names: Path) -> None:
        self._driver, self._handler, self._names = driver, handler, names
        self._opened: list[Sessions] = []

    def __call__(self, who: str, store: GuardedStore) -> Sides:
        catalog = {
            "type": "jdbc",
            "uri": f"jdbc:sqlite:{self._names}",
            "warehouse": f"s3://{BUCKET}/cache",
            "s3_endpoint": store.endpoint,
            "s3_path_style": "true",
            "s3_access_key": who,
            "s3_secret_key": "secret",
        }
        sessions = Sessions(self._driver, {"far": catalog}, "far")
        self._opened.append(sessions)
        sides = Sides(self._handler, sessions.open(Identity(who)))
        sides.run("CREATE SCHEMA IF NOT EXISTS far.s")
        sides.run("USE far.s")
        return sides

    def close(self) -> None:
        for sessions in self._opened:
            sessions.close_all()


@pytest.fixture(scope="module")
def people(driver: Driver, handler: QueryHandler, tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    people = People(driver, handler, tmp_path_factory.mktemp("names") / "names.db")
    yield people
    people.close()


@pytest.fixture
def ann(people: People, store: GuardedStore) -> Sides:
    return people("ann", store)


def health(driver: Driver) -> DriverHealth:
    found = driver.health()
    assert found is not None
    return found


def copies() -> list[Path]:
    """In the one driver's folder."""
    return sorted(Path(tempfile.gettempdir()).glob("sqe-*/copies/*"))


def table(
    sides: Sides, name: str, rows: str = "SELECT id, id % 7 AS k, concat('text ', id) AS s FROM range(0, 5000, 1, 2)"
) -> str:
    """Makes a table of a few files; gives the query about it."""
    sides.run(f"CREATE TABLE {name} AS {rows}")
    return f"SELECT k, count(*) AS n, sum(id) AS ids FROM {name} GROUP BY k"


def keys_of(sides: Sides, name: str) -> list[str]:
    paths = sides.run(f"SELECT file_path FROM {name}.files").column(0).to_pylist()
    return [path.removeprefix(f"s3://{BUCKET}/") for path in paths]


def test_a_file_is_copied_once_and_read_from_the_copy(ann: Sides, store: GuardedStore, driver: Driver) -> None:
    query = table(ann, "once")
    before = health(driver)
    ann.same_natively(query)
    filled = health(driver)
    assert filled.native_cache_misses - before.native_cache_misses == len(keys_of(ann, "once")) == 2
    store.asked.clear()
    ann.same_natively("SELECT s, count(*) FROM once GROUP BY s HAVING count(*) > 1 OR s LIKE '%99'")
    after = health(driver)
    assert (after.native_cache_fetched, after.native_cache_hits) == (filled.native_cache_fetched, filled.native_cache_hits + 2)
    assert "far.s.once (2 files from the cache)" in str(ann.run(f"EXPLAIN {query}").column(0)[0])
    assert after.native_cache_pinned == 0
    assert after.native_fallbacks == before.native_fallbacks
    assert stat.S_IMODE(copies()[0].parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in copies()} == {0o600}


@pytest.mark.parametrize("version", [2, 3])
def test_deleted_rows_and_new_columns_are_as_ever(ann: Sides, driver: Driver, version: int) -> None:
    name = f"deleted{version}"
    query = table(ann, name)
    ann.run(f"ALTER TABLE {name} SET TBLPROPERTIES ('format-version' = '{version}', 'write.delete.mode' = 'merge-on-read')")
    ann.run(f"DELETE FROM {name} WHERE id % 5 = 0")
    ann.run(f"ALTER TABLE {name} RENAME COLUMN s TO t")
    ann.run(f"INSERT INTO {name} VALUES (7000, 3, 'new')")
    fetched = health(driver).native_cache_fetched
    ann.same_natively(query)
    ann.same_natively(f"SELECT t, max(id) FROM {name} WHERE id > 4000 GROUP BY t")
    assert health(driver).native_cache_fetched > fetched
    assert "from the cache" in str(ann.run(f"EXPLAIN {query}").column(0)[0])


def test_somebody_else_shows_keys_of_their_own_first(people: People, ann: Sides, store: GuardedStore, driver: Driver) -> None:
    query = table(ann, "shown")
    expected = ann.same_natively(query)
    fetched, cat = health(driver).native_cache_fetched, people("cat", store)
    cat.native("require")
    assert difference(expected, cat.run(query)) is None
    assert health(driver).native_cache_fetched == fetched, "it is the same copy"
    assert sorted(store.data_files("cat")) == sorted(f"/{BUCKET}/{key}" for key in keys_of(ann, "shown"))


def test_whom_the_store_refuses_gets_no_row_of_a_copy(people: People, ann: Sides, store: GuardedStore, driver: Driver) -> None:
    query = table(ann, "refused")
    expected = ann.same_natively(query)
    bob, before = people("bob", store), health(driver).native_fallbacks.get(UNREADABLE, 0)
    store.refused.add("bob")
    found = {mode: bob.answer(mode, query) for mode in ("off", "auto", "require")}
    assert set(found.values()) == {errors.PERMISSION_DENIED.name}
    assert health(driver).native_fallbacks[UNREADABLE] == before + 2
    store.refused.clear()
    assert difference(expected, bob.answer("require", query)) is None


def test_ones_own_store_opens_no_copy_of_another(people: People, ann: Sides, store: GuardedStore, driver: Driver) -> None:
    """It can answer whatever its owner likes, the very bytes that the copy ends with included."""
    query = table(ann, "elsewhere")
    expected = ann.same_natively(query)
    with guarded_store() as own:
        before = health(driver)
        assert difference(expected, people("eve", own).answer("require", query)) is None
        after = health(driver)
        assert (after.native_cache_hits, after.native_cache_misses) == (before.native_cache_hits, before.native_cache_misses + 2)
        assert own.data_files("eve")


def truncated(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(100)


def overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(200)
        file.write(bytes(50))


@pytest.mark.parametrize("damage", [truncated, overwritten, Path.unlink])
def test_a_copy_that_somebody_touched_is_made_again(ann: Sides, driver: Driver, damage: Callable[[Path], None]) -> None:
    known = set(copies())
    query = table(ann, f"damaged_{damage.__name__}")
    expected = ann.same_natively(query)
    mine = [path for path in copies() if path not in known]
    before = health(driver)
    damage(mine[0])
    assert difference(expected, ann.answer("require", query)) is None
    after = health(driver)
    assert (after.native_cache_misses, after.native_fallbacks) == (before.native_cache_misses + 1, before.native_fallbacks)
    assert after.native_cache_bytes == sum(path.stat().st_size for path in copies())


def test_an_object_that_is_another_now_is_not_read_from_its_old_copy(people: People, ann: Sides, store: GuardedStore) -> None:
    """Iceberg never does that; whoever does gets what Spark makes of it."""
    query = table(ann, "exchanged")
    ann.same_natively(query)
    for key in keys_of(ann, "exchanged"):
        content = store.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        store.client.put_object(Bucket=BUCKET, Key=key, Body=content[: len(content) // 2])
    other = people("dan", store)
    assert isinstance(other.answer("off", query), str)
    assert other.difference(query) is None


def test_two_who_want_a_file_at_once_make_one_copy(people: People, ann: Sides, store: GuardedStore, driver: Driver) -> None:
    query = table(ann, "both")
    expected = ann.answer("off", query)
    ben = people("ben", store)
    before = health(driver).native_cache_misses
    with closed(store), ThreadPoolExecutor(2) as threads:
        store.asked.clear()
        answers = [threads.submit(sides.answer, "require", query) for sides in (ann, ben)]
        eventually(lambda: store.data_files("ann") or store.data_files("ben"))
        eventually(lambda: health(driver).native_open == 2)
        store.open.set()
        assert all(difference(expected, answer.result(60)) is None for answer in answers)
    assert health(driver).native_cache_misses == before + 2
    assert all(store.data_files(who) for who in ("ann", "ben")), "each asked the store"
    assert health(driver).native_cache_pinned == 0


def test_a_copy_of_whom_was_cancelled_is_made_by_who_waits(
    people: People, ann: Sides, store: GuardedStore, driver: Driver
) -> None:
    query = table(ann, "handed_on")
    expected = ann.answer("off", query)
    ben = people("ben", store)
    with closed(store), ThreadPoolExecutor(1) as thread:
        answers = []

        def both_want_it() -> bool:
            if not answers and health(driver).native_open == 1 and store.data_files("ann"):
                answers.append(thread.submit(ben.answer, "require", query))
            return health(driver).native_open == 2

        store.asked.clear()
        assert ann.cancelled(query, when=both_want_it) is errors.USER_CANCELED
        store.open.set()
        assert difference(expected, answers[0].result(60)) is None


def test_a_cancelled_copy_leaves_nothing(ann: Sides, store: GuardedStore, driver: Driver) -> None:
    query = table(ann, "cancelled")
    known, before = copies(), health(driver)
    with closed(store):
        store.asked.clear()
        assert ann.cancelled(query, when=lambda: bool(store.data_files("ann")), within=5) is errors.USER_CANCELED
        eventually(lambda: health(driver).native_open == 0)
        assert copies() == known
        assert health(driver).native_cache_bytes == before.native_cache_bytes
        assert health(driver).native_cache_pinned == 0
    eventually(lambda: health(driver).active_jobs == 0)
    assert copies() == known, "a part that came late was written"
    ann.same_natively(query)


def test_what_a_running_query_reads_is_not_evicted(ann: Sides, people: People, store: GuardedStore, driver: Driver) -> None:
    """Another that finds no room is read by Iceberg, natively all the same; later it gets the room."""
    first, second = table(ann, "large", MEGABYTES), table(ann, "larger", MEGABYTES)
    ben, before = people("ben", store), health(driver)
    seen: list[pa.Table | str] = []

    def while_it_runs() -> bool:
        if health(driver).native_cache_pinned == 1 and not seen:
            seen.append(ben.answer("require", second))
        return bool(seen)

    runaway = "SELECT count(*) FROM large a, large b WHERE a.u < concat(b.u, a.u) AND a.u || b.u LIKE '%fffffffff%'"
    assert ann.cancelled(runaway, when=while_it_runs) is errors.USER_CANCELED
    assert difference(ben.answer("off", second), seen[0]) is None
    during = health(driver)
    assert during.native_fallbacks[NO_ROOM] == before.native_fallbacks.get(NO_ROOM, 0) + 1
    eventually(lambda: health(driver).native_cache_pinned == 0)
    ben.same_natively(second)
    after = health(driver)
    assert after.native_cache_evictions > during.native_cache_evictions
    assert after.native_fallbacks == during.native_fallbacks
    assert after.native_cache_bytes == sum(path.stat().st_size for path in copies()) <= 8 << 20
    ann.same_natively(first)


def test_a_scan_that_is_larger_than_the_cache_is_read_by_iceberg(ann: Sides, driver: Driver) -> None:
    query = table(ann, "huge", MEGABYTES.replace("200000, 1, 1", "400000, 1, 2"))
    before = health(driver)
    ann.same_natively(query)
    assert "(read by Iceberg)" in str(ann.run(f"EXPLAIN {query}").column(0)[0])
    assert health(driver).native_fallbacks == before.native_fallbacks


def test_a_disk_that_takes_nothing_costs_no_answer(ann: Sides, driver: Driver) -> None:
    query = table(ann, "no_disk")
    folder = copies()[0].parent
    aside, before = folder.with_name("aside"), health(driver)
    folder.rename(aside)
    folder.write_text("not a folder")
    try:
        ann.same_natively(query)
    finally:
        folder.unlink()
        aside.rename(folder)
    after = health(driver)
    assert after.native_fallbacks[NO_ROOM] == before.native_fallbacks.get(NO_ROOM, 0) + 1
    assert after.native_fragments - before.native_fragments == 2, "the kernel ran it in the end"
    ann.same_natively(query)


@contextmanager
def closed(store: GuardedStore) -> Iterator[None]:
    store.open = threading.Event()
    try:
        yield
    finally:
        store.open.set()
