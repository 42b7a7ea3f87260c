"""The driver's class path: single jar files in a fixed order, as a class archive demands (no folder, no wildcard)."""

from __future__ import annotations

from pathlib import Path

from sqe.engine.install.cache import Progress, quiet
from sqe.engine.install.extension import ensure_extension
from sqe.engine.install.jars import (
    ARROW_C_DATA,
    AWS_BUNDLE,
    DELTA,
    DELTA_STORAGE,
    DUCKDB,
    ICEBERG,
    SPARK_AVRO,
    SQLITE,
    ensure_jars,
)
from sqe.engine.install.java import Java, find_java
from sqe.engine.install.kernel_library import kernel_jar
from sqe.engine.install.spark import find_spark

# Spark's machine-learning library registers itself with every session through Scala reflection: a third of the time from the
# start of the JVM to a session, for functions that no statement can name.
# The others only cost their being opened when Java looks for services: a tenth of all entries, and no statement comes to them
# (numerics of that library, graphs, Spark Connect, the Scala shell, the object store of a Hive metastore inside this process).
LEFT_OUT = (
    *("spark-mllib_", "breeze", "spire", "algebra_", "arpack", "blas", "lapack", "JTransforms", "JLargeArrays"),
    *("spark-graphx_", "spark-connect_", "spark-repl_", "datanucleus-"),
    *("scala-compiler-", "jline-", "cats-kernel_", "hive-beeline-", "hive-cli-", "hive-jdbc-", "spark-hive-thriftserver_"),
    *("spark-pipelines_", "netty-codec-native-quic-", "netty-codec-classes-quic-", "netty-codec-http3-"),
)

# Only a driver whose executors are pods comes to these: forty jars, which it has behind all others.
FOR_KUBERNETES = ("kubernetes-", "spark-kubernetes_", "vertx-", "zjsonpatch-", "snakeyaml-engine-", "jackson-dataformat-yaml-")


def kubernetes_class_path() -> list[Path]:
    return [jar for jar in sorted(find_spark().jars.glob("*.jar")) if jar.name.startswith(FOR_KUBERNETES)]


def driver_class_path(java: Java | None = None, progress: Progress = quiet) -> list[Path]:
    """Our own first, Spark's in the order of their names, the AWS bundle last.

    Always with the bundle, since an S3 catalog may be attached at any time: at the end it costs nothing that can be measured
    (4.22 s instead of 4.21 s to the first Iceberg rows, spread 0.3 s), and there it can shadow no class of Spark's.
    """
    java = java or find_java()
    spark = find_spark()
    ensure_jars(java=java, progress=progress)
    extension = ensure_extension(java, spark, [ICEBERG.path, AWS_BUNDLE.path, DUCKDB.path, ARROW_C_DATA.path], progress)
    spark_jars = [jar for jar in sorted(spark.jars.glob("*.jar")) if not jar.name.startswith((*LEFT_OUT, *FOR_KUBERNETES))]
    added = [SPARK_AVRO.path, DELTA.path, DELTA_STORAGE.path, ARROW_C_DATA.path, kernel_jar(), AWS_BUNDLE.path]
    return [extension, SQLITE.path, ICEBERG.path, *spark_jars, *added]
