"""Fragments that run once for each partition: how tests ask for them."""

from __future__ import annotations

import json

from sides import Sides

from sqe.engine.driver import Driver
from sqe.session import Session

PER_PARTITION = "Native per partition"


def shaped(driver: Driver, session: Session, shape: str | None) -> None:
    """`partitions`: wherever it is possible, whatever Shape.scala thinks of it."""
    driver.call("configureSession", session.in_engine(), json.dumps({"spark.sqe.native.shape": shape}))


def once(made: set[str], name: str, sides: Sides, *statements: str) -> None:
    if name not in made:
        for statement in statements:
            sides.run(statement)
        made.add(name)


def left(driver: Driver) -> tuple[int, int]:
    """Instances that run, and fragments that kept memory."""
    health = driver.health()
    assert health is not None
    return health.native_open, health.native_leaks
