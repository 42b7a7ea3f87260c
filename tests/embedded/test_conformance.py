"""The conformance stories on the embedded engine, straight at the query handler."""

from __future__ import annotations

import re

import pytest
from conformance.stories import Said, Story, play, stories

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions


@pytest.mark.parametrize("story", stories(), ids=lambda story: story.name)
def test_a_story_goes_as_it_is_told(handler: QueryHandler, sessions: Sessions, story: Story) -> None:
    session = sessions.open(Identity("tester"))
    schema = "story_" + re.sub(r"\W+", "_", story.name.lower())

    def run(sql: str) -> Said:
        try:
            with handler.submit(session, sql, door="test") as query:
                table = query.read_all()
        except SqeError as error:
            return Said(error=error.code.name, message=str(error))
        return Said(list(zip(*(column.to_pylist() for column in table.columns), strict=True)), query.affected_rows)

    for sql in (f"CREATE SCHEMA {schema}", f"USE {schema}"):
        assert run(sql).error is None
    problems = play(story, run, {"catalog": "lake", "schema": schema})
    sessions.close(session)
    assert not problems, "\n".join(problems)
