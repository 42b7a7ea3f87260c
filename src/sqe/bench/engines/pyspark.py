"""Plain PySpark in a process of its own: Iceberg's jar, the same catalog, nothing tuned."""

from __future__ import annotations

import json
import sys
from typing import ClassVar

from sqe.bench.engines.serving import ProcessEngine
from sqe.bench.lake import Loaded
from sqe.bench.peer import settings
from sqe.bench.processes import Child
from sqe.bench.workspace import CATALOG


class PySpark(ProcessEngine):
    dialect: ClassVar[str] = "spark"

    def child(self, loaded: Loaded) -> Child:
        from sqe.engine.install import find_java

        # As much memory as the others get is no tuning; without it neither side's peak would mean anything.
        wanted = settings(loaded.folder, "") | {"spark.driver.memory": self.setting.memory, "spark.sql.session.timeZone": "UTC"}
        request = json.dumps({"settings": wanted, "schema": f"{CATALOG}.{loaded.schema}"})
        environment = {"JAVA_HOME": str(find_java().home)}
        return Child([sys.executable, "-m", "sqe.bench.engines.pyspark_process", request], environment)


ENGINE = PySpark
