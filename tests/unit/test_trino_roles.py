"""Roles that a client of the Trino door chooses: those of its user, and no others."""

from __future__ import annotations

import pytest

from sqe.doors.trino.roles import enabled, header_of
from sqe.errors import SqeError
from sqe.sql.dialect.trino.session_statements import SetRole, ShowRoles, read

HELD, CATALOGS = frozenset({"analyst", "Admin"}), {"lake"}


@pytest.mark.parametrize(
    ("chosen", "roles"),
    [
        ({}, None),
        ({"system": "ALL"}, None),
        ({"system": "NONE"}, frozenset()),
        ({"system": "ROLE{analyst}"}, {"analyst"}),
        ({"system": "ROLE{admin}"}, {"Admin"}),
        ({"system": "ROLE{analyst}", "lake": "ALL"}, {"analyst"}),
    ],
)
def test_a_choice_narrows(chosen: dict[str, str], roles: frozenset[str] | None) -> None:
    assert enabled(chosen, HELD, CATALOGS) == roles


@pytest.mark.parametrize(
    ("chosen", "code"),
    [
        ({"system": "ROLE{root}"}, "PERMISSION_DENIED"),
        ({"system": "ROLE{}"}, "INVALID_ARGUMENTS"),
        ({"system": "analyst"}, "INVALID_ARGUMENTS"),
        ({"system": "ALL} ROLE{root"}, "INVALID_ARGUMENTS"),
        ({"system": "ROLE{analyst} "}, "INVALID_ARGUMENTS"),
        ({"lake": "ROLE{analyst}"}, "NOT_SUPPORTED"),
        ({"nowhere": "ALL"}, "CATALOG_NOT_FOUND"),
    ],
)
def test_nothing_else_can_be_chosen(chosen: dict[str, str], code: str) -> None:
    with pytest.raises(SqeError) as refused:
        enabled(chosen, HELD, CATALOGS)
    assert refused.value.code.name == code


def test_a_statement_chooses_what_the_header_says() -> None:
    assert header_of(SetRole("analyst", None), HELD, CATALOGS) == ("system", "ROLE{analyst}")
    assert header_of(SetRole("NONE", None), HELD, CATALOGS) == ("system", "NONE")
    with pytest.raises(SqeError, match="Cannot set role root"):
        header_of(SetRole("root", None), HELD, CATALOGS)


def test_roles_are_shown_by_three_statements() -> None:
    assert read("SHOW CURRENT ROLES") == ShowRoles("Role", current=True)
    assert read("show roles") == ShowRoles("Role")
    assert read("SHOW ROLE GRANTS") == ShowRoles("Role Grants")
    assert read("SHOW ROLES FROM lake") is None
    assert read("SHOW TABLES") is None
