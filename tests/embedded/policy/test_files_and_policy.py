"""Somebody whom a policy binds reads the files that are open to a role of theirs, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from bank import ANALYST, Book, Person

from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions


def test_files_are_read_as_far_as_they_are_open(
    driver: Driver, handler: QueryHandler, sessions: Sessions, book: Book, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    for rights, opened in ((FileRights(own=True), True), (FileRights(), False)):
        bound = Sessions(driver, sessions._catalogs, "lake", decisions=lambda _: book, files=rights)
        person = Person(handler, bound.open(ANALYST))
        for query in (
            f"SELECT a FROM '{tmp_path}/a.csv'",
            f"SELECT a FROM (SELECT * FROM read_csv('{tmp_path}/*.csv')) WHERE a = 1",
        ):
            if opened:
                assert person.rows(query) == [(1,)]
            else:
                with pytest.raises(SqeError, match="PERMISSION_DENIED"):
                    person.rows(query)
        bound.close_all()
