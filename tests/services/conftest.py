"""The real services, started once for the run. With SQE_SERVICES_DIR set, those of that folder are used and left running."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import Addresses, Catalog, Login

from dev.services.stack import Stack

pytest.register_assert_rewrite("catalog_capabilities")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("services")


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    if os.environ.get("SQE_SERVICES_DIR"):
        yield Stack()
        return
    stack = Stack(tmp_path_factory.mktemp("services") / "state")
    yield stack
    stack.down()


@pytest.fixture(scope="session")
def lake(stack: Stack) -> Addresses:
    return stack.up(["lake"])


@pytest.fixture(scope="session")
def own_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """For tests that stop services: never those of SQE_SERVICES_DIR, which others use."""
    stack = Stack(tmp_path_factory.mktemp("own-services") / "state")
    yield stack
    stack.down()


@pytest.fixture(scope="session")
def login(stack: Stack) -> Login:
    return Login(stack.up(["keycloak"])["keycloak"])


@pytest.fixture(scope="session")
def alice(lake: Addresses, login: Login) -> Catalog:
    return Catalog(lake["gateway"], login.password("alice"))


@pytest.fixture(scope="session")
def bob(lake: Addresses, login: Login) -> Catalog:
    return Catalog(lake["gateway"], login.password("bob"))


@pytest.fixture(scope="session")
def carol(lake: Addresses, login: Login) -> Catalog:
    return Catalog(lake["gateway"], login.password("carol"))
