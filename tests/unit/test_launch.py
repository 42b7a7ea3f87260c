"""What a start leaves out, because a start is measured: each of these cost a tenth of a second or more."""

from __future__ import annotations

import subprocess
import sys

from sqe.engine import install
from sqe.engine.install.classpath import FOR_KUBERNETES
from sqe.engine.spark_settings import driver_settings


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_a_server_imports_arrow_without_numpy() -> None:
    code = """
import sys
from sqe.engine.launch import import_arrow_alone
import_arrow_alone()
import sqe.server, sqe.query.handler, sqe.doors.flight.door, sqe.doors.trino.door
print("numpy" in sys.modules)
import numpy, pyarrow
print(pyarrow.array([1, 2]).to_pylist(), numpy.ones(1))
"""
    assert python(code).splitlines() == ["False", "[1, 2] [1.]"]


def test_a_program_that_has_numpy_keeps_it_in_arrow() -> None:
    code = """
import numpy
from sqe.engine.launch import import_arrow_alone
import_arrow_alone()
import pyarrow
print(pyarrow.array([1]).to_numpy())
"""
    assert python(code) == "[1]"


def test_jars_for_pods_are_not_on_the_class_path() -> None:
    assert not [jar.name for jar in install.ensure().class_path if jar.name.startswith(FOR_KUBERNETES)]
    assert any(jar.name.startswith("spark-kubernetes_") for jar in install.kubernetes_class_path())


def test_no_setting_makes_spark_start_log4j() -> None:
    assert "spark.log.level" not in driver_settings("local[*]", "folder", {})
