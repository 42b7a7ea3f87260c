"""The conformance stories on every catalog that can be started here. conformance/differences.toml has what differs, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from clients import Addresses, Login
from conformance.stories import Said, Story, differences, play, stories
from every_catalog import NEEDS, config

from dev.services.stack import Stack
from sqe.config import load
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

STORIES = {story.name: story for story in stories()}

# In every run: what catalogs see most of, on one whose services run anyway.
ALWAYS = [("fixture", "making and changing tables"), ("fixture", "views")]
REST = [(catalog, name) for catalog in NEEDS for name in STORIES if (catalog, name) not in ALWAYS]


@pytest.fixture(scope="module")
def places(
    stack: Stack, login: Login, driver: Driver, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Session]]:
    """A new session of carol's on one catalog and no other."""
    opened: dict[str, Sessions] = {}

    def of(catalog: str) -> Session:
        if catalog not in opened:
            services: Addresses = stack.up(NEEDS[catalog])
            folder = tmp_path_factory.mktemp(catalog)
            (folder / "sqe.toml").write_text(config(services, folder))
            settings = load(folder / "sqe.toml", {})
            options = {catalog: settings.catalog_options()[catalog]}
            opened[catalog] = Sessions(driver, options, catalog, identities=catalog_identities(settings))
        return opened[catalog].open(SessionLogin(Identity("carol"), Tokens(Secret(login.password("carol")))))

    yield of
    for sessions in opened.values():
        sessions.close_all()


def told(handler: QueryHandler, session: Session, catalog: str, story: Story) -> list[str]:
    def run(sql: str) -> Said:
        try:
            with handler.submit(session, sql, door="test") as query:
                table = query.read_all()
        except SqeError as error:
            return Said(error=error.code.name, message=str(error))
        return Said(list(zip(*(column.to_pylist() for column in table.columns), strict=True)), query.affected_rows)

    # In Nessie, people have a schema of their own name and no other.
    schema = "carol" if catalog == "nessie" else "story_" + re.sub(r"\W+", "_", story.name.lower())
    run(f"DROP SCHEMA {catalog}.{schema} CASCADE")
    for sql in (f"CREATE SCHEMA {catalog}.{schema}", f"USE {catalog}.{schema}"):
        assert run(sql).error is None, run(sql)
    problems = play(story, run, {"catalog": catalog, "schema": schema}, differences(catalog))
    for sql in (f"USE {catalog}", f"DROP SCHEMA {catalog}.{schema} CASCADE"):
        run(sql)
    return problems


@pytest.mark.parametrize(("catalog", "name"), ALWAYS)
def test_a_story_goes_the_same_in_the_catalog(
    handler: QueryHandler, places: Callable[[str], Session], catalog: str, name: str
) -> None:
    problems = told(handler, places(catalog), catalog, STORIES[name])
    assert not problems, "\n".join(problems)


@pytest.mark.long
@pytest.mark.parametrize(("catalog", "name"), REST)
def test_every_story_goes_the_same_in_every_catalog(
    handler: QueryHandler, places: Callable[[str], Session], catalog: str, name: str
) -> None:
    problems = told(handler, places(catalog), catalog, STORIES[name])
    assert not problems, "\n".join(problems)


def test_differences_are_of_stories_and_catalogs_that_exist() -> None:
    for catalog in NEEDS:
        for each in differences(catalog):
            assert each.story in STORIES, each
            steps = STORIES[each.story].steps
            assert all(any(step.sql.startswith(text) for step in steps) for text in each.statements), each
            assert set(each.catalogs) <= set(NEEDS), each
            assert each.reason, each


def test_there_are_three_hundred_statements() -> None:
    assert sum(len(story.steps) for story in STORIES.values()) >= 300
