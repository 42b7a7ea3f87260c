"""Statements that wait for a core get it in the order in which they came (jvm: StagesInOrder)."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from sqe.engine.driver import Driver

Sql = Callable[[str], pa.Table]


def test_stages_sort_by_their_names_as_they_were_made(driver: Driver, sql: Sql) -> None:
    """Which is what Spark's fair scheduler looks at where nothing else differs."""
    assert driver._gateway is not None
    context = driver._gateway.jvm.org.apache.spark.SparkContext.getOrCreate()
    pools = context.taskScheduler().rootPool()
    assert pools.getSchedulableByName("default").schedulingMode().toString() == "FAIR"
    before = context.dagScheduler().nextStageId()
    assert sql("SELECT id % 3 AS k, count(*) FROM range(100) GROUP BY id % 3").num_rows == 3
    after = context.dagScheduler().nextStageId()
    assert 10**9 <= before < after < 2**31
