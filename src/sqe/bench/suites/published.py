"""Query texts and generators that others publish, taken at run time: pinned by content, kept in the cache, never in this tree."""

from __future__ import annotations

import zipfile

from sqe.engine.install.jars import Jar, ensure_jars

# Spark's own tests bring the texts of TPC-H and TPC-DS as resources. The newest of the 4.1 line that the public repository holds.
SPARK_TESTS = Jar(
    "org.apache.spark",
    "spark-sql_2.13",
    "4.1.1",
    "505193f5e6540a2f15613e0d386a1f1af15d6f5f1308ce6cd6a670595a93d4d0",
    classifier="tests",
)

# The generator of TPC-DS in Java, by the Trino project; its rows are those of the specification's own program.
TPCDS_GENERATOR = Jar(
    "io.trino.tpcds",
    "tpcds",
    "1.4",
    "cb68479c04339e3b838a154aa0e1e72692215825f0f3ec85bfa3579484b9ab51",
    classifier="jar-with-dependencies",
)


def texts(folder: str) -> dict[str, str]:
    """The statements of a folder of Spark's test resources, by file name without its ending, in the order of their numbers."""
    from sqe.bench.workspace import print_to_stderr

    (jar,) = ensure_jars([SPARK_TESTS], progress=print_to_stderr)
    with zipfile.ZipFile(jar) as content:
        paths = [path for path in content.namelist() if path.startswith(f"{folder}/") and path.endswith(".sql")]
        found = {path.removeprefix(f"{folder}/").removesuffix(".sql"): content.read(path).decode() for path in paths}
    return dict(sorted(found.items(), key=lambda item: _number(item[0])))


def _number(name: str) -> tuple[int, str]:
    digits = "".join(character for character in name if character.isdigit())
    return int(digits or 0), name
