"""The conformance stories over the Flight SQL door, with our own Python client."""

from __future__ import annotations

import re

import pytest
from conformance.stories import Said, Story, play, stories

import sqe
from sqe.doors.flight.door import FlightDoor

pytestmark = pytest.mark.service


@pytest.mark.parametrize("story", stories(), ids=lambda story: story.name)
def test_a_story_goes_the_same_over_flight(door: FlightDoor, story: Story) -> None:
    schema = "story_" + re.sub(r"\W+", "_", story.name.lower())
    # Not root: an administrator sees everybody's queries.
    login = {"user": "alice", "password": "wonderland"}
    with sqe.connect(door.address, **login) as connection, connection.cursor() as cursor:

        def run(sql: str) -> Said:
            try:
                cursor.execute(sql)
                rows = [tuple(row) for row in cursor.fetchall()] if cursor.description else []
            except sqe.Error as error:
                return Said(error=error.code, message=str(error))
            return Said(rows, None if cursor.description else cursor.rowcount)

        for sql in (f"CREATE SCHEMA {schema}", f"USE {schema}"):
            assert run(sql).error is None
        problems = play(story, run, {"catalog": "lake", "schema": schema})
    assert not problems, "\n".join(problems)
