"""The native kernel's library is unpacked once, beside a jar that has none."""

from __future__ import annotations

import platform
import zipfile

import pytest

from sqe.engine.install.jars import DUCKDB, ensure_jars
from sqe.engine.install.kernel_library import kernel_jar


@pytest.mark.skipif(platform.system() != "Linux", reason="elsewhere the pinned jar is used as it is")
def test_the_jar_loads_what_lies_beside_it() -> None:
    ensure_jars([DUCKDB])
    jar = kernel_jar()
    libraries = list(jar.parent.glob("libduckdb_java.so_*"))
    assert [library.stat().st_mode & 0o111 != 0 for library in libraries] == [True]
    with zipfile.ZipFile(jar) as ours, zipfile.ZipFile(DUCKDB.path) as pinned:
        missing = set(pinned.namelist()) - set(ours.namelist())
        assert "org/duckdb/DuckDBDriver.class" in ours.namelist()
    assert missing
    assert all(name.startswith("libduckdb_java.so_") for name in missing)
