"""The driver JVM as a process: how it is started, how it says that it is there, how it ends."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqe import errors
from sqe.engine import install, kernel, seal
from sqe.engine.spark_settings import driver_settings
from sqe.errors import SqeError

log = logging.getLogger("sqe.driver")

MAIN_CLASS = "org.apache.spark.sql.sqe.Boot"

# Spark reaches into these packages (its launcher sets the same list); Arrow needs java.nio.
_OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent "
    "java.util.concurrent.atomic jdk.internal.ref sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar"
)

_FLAGS = (
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED.split()),
    "-Djdk.reflect.useDirectMethodHandle=false",
    "-Dio.netty.tryReflectionSetAccessible=true",
    # Arrow's bounds checks cost a third of the stream's CPU; the code that writes vectors is ours and Spark's.
    "-Darrow.enable_unsafe_memory_access=true",
    "-Darrow.enable_null_check_for_get=false",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:-UsePerfData",
    "-XX:-CreateCoredumpOnCrash",  # gigabytes of what everybody asked, should native code ever crash
    # Else the first socket looks through all jars for another implementation, at the busiest moment of a start.
    *(["-Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.EPollSelectorProvider"] if sys.platform == "linux" else []),
    # Warnings to stderr by our own few lines (jvm: DriverLog.scala), without a word about that.
    "-Dslf4j.provider=org.apache.spark.sql.sqe.DriverLog",
    "-Dslf4j.internal.verbosity=WARN",
    # Without keys from a catalog or from [storage], the AWS library would go on to look for the machine's own: a service
    # account. (The variables that it also reads are not passed on, see below.)
    "-Daws.disableEc2Metadata=true",
    "-Daws.sharedCredentialsFile=/dev/null",
    "-Daws.configFile=/dev/null",
    # XML in a statement or a table names files and addresses (`<!DOCTYPE … SYSTEM "http://…">`); nothing may be fetched for it.
    "-Djavax.xml.accessExternalDTD=",
    "-Djavax.xml.accessExternalSchema=",
    "-Djavax.xml.accessExternalStylesheet=",
    # Iceberg reads manifests of all statements with these threads: as many as cores would be held by one store that hangs.
    "-Diceberg.worker.num-threads=16",
    "-Xss4m",
    # Compile later: a start runs most code a few times only. CPU-seconds to the first Iceberg rows, and of an aggregation
    # over 6 million rows once warm: C1 alone 3.3 and 11.6, all tiers by default 5.8 and 3.8, all ten times later 4.5 and 3.8.
    # The first compiler not so much later: where the native kernel runs most queries, Spark's code is young for long. A count by
    # groups of a metadata table, at its 60th run: 197 ms (ten times later), 131 (these), 111 (by default); a server is ready in
    # 0.129, 0.129 and 0.138 of plain pyspark's time to its first rows.
    "-XX:Tier3InvocationThreshold=300",
    "-XX:Tier3MinInvocationThreshold=150",
    "-XX:Tier3CompileThreshold=3000",
    "-XX:Tier4InvocationThreshold=40000",
    "-XX:Tier4MinInvocationThreshold=8000",
    "-XX:Tier4CompileThreshold=80000",
    "-XX:Tier4BackEdgeThreshold=400000",
)


@dataclass(frozen=True)
class LaunchOptions:
    """What an operator can say about the driver (`[engine]` and `[cluster]` of sqe.toml)."""

    memory: str = "2g"
    master: str = "local[*]"
    java: str | None = None
    spark: Mapping[str, str] = field(default_factory=dict)
    extra_flags: tuple[str, ...] = ()
    native: str = kernel.DEFAULT_MODE
    native_memory: str | None = None  # the driver looks at its machine
    native_cache: str = kernel.DEFAULT_CACHE
    statement_waits: bool = True  # else the driver is ready first, and then loads what a first statement needs
    warm_up_seconds: float = 0.0  # of statements of its own, while nobody asks anything; only where no statement waits


class DriverProcess:
    """One JVM, from `Popen` to its end. Everything it writes lives under one temporary folder that goes with it."""

    def __init__(self, options: LaunchOptions) -> None:
        self._secret = secrets.token_hex(32)
        self._folder = Path(tempfile.mkdtemp(prefix="sqe-"))  # mode 0700
        self.stream_socket = str(self._folder / "rows.sock")
        try:
            installation = install.ensure(java_setting=options.java)
            self._process = self._launch(options, installation)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._port: int | None = None
        threading.Thread(target=self._drain_log, name="sqe-driver-log", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def secret(self) -> str:
        return self._secret

    def gateway_port(self) -> int:
        """Waits for the boot class's first line: the gateway answers from then on, Spark a second later."""
        if self._port is None:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if not line:
                code = self._process.wait()
                raise SqeError(
                    errors.CONFIGURATION_INVALID,
                    f"Java could not start the query engine (exit code {code})",
                    hint="engine.driver_memory may be larger than this machine's memory; the log has Java's own words",
                )
            self._port = int(line)
        return self._port

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def wait(self) -> int:
        return self._process.wait()

    def stop(self, patience_seconds: float = 5) -> None:
        """Closing stdin is the request to leave; killing is for a JVM that does not answer."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except OSError:
                log.debug("the driver was gone before its stdin was closed")
        try:
            self._process.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.remove_folder()

    def remove_folder(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _launch(self, options: LaunchOptions, installation: install.Installation) -> subprocess.Popen[bytes]:
        class_path = list(installation.class_path)
        if options.master.startswith("k8s://"):
            class_path += install.kubernetes_class_path()
        command = [
            str(installation.java.executable),
            *_heap(options.memory),
            *_FLAGS,
            *installation.jvm_flags(),
            *options.extra_flags,
            f"-Djava.io.tmpdir={self._folder}",
            "-cp",
            os.pathsep.join(map(str, class_path)),
            MAIN_CLASS,
        ]
        # The server's own environment may hold secrets (`{ env = … }`): the driver gets what Java needs.
        environment = {
            key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "LANG", "TZ", "LD_LIBRARY_PATH")
        }
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
        environment["SPARK_USER"] = "sqe"  # else Hadoop starts processes to find out
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=self._folder,
            start_new_session=True,  # Ctrl-C in a terminal is for the shell, not for the driver
        )
        request = {
            "secret": self._secret,
            "folder": str(self._folder),
            "stream_socket": self.stream_socket,
            "preload": "beside" if options.statement_waits else "after",
            "warm_up_millis": str(round(options.warm_up_seconds * 1000)),
            **driver_settings(options.master, str(self._folder), options.spark),
            "spark.sqe.native.server": options.native,
            **({"spark.sqe.native.memory": options.native_memory} if options.native_memory else {}),
            "spark.sqe.native.cache": options.native_cache,
            seal.SETTING: seal.KEY,
        }
        assert process.stdin is not None
        process.stdin.write("".join(f"{_property(key)}={_property(value)}\n" for key, value in request.items()).encode() + b"\n")
        process.stdin.flush()
        return process

    def _drain_log(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            log.warning("%s", line.decode(errors="replace").rstrip())


def _property(text: str) -> str:
    """In the notation of Java's properties, which Java reads a tenth of a second earlier than its first JSON."""
    units = text.encode("utf-16-be")
    codes = [int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2)]
    return "".join(chr(code) if code < 0x7F and chr(code).isalnum() else f"\\u{code:04x}" for code in codes)


def _heap(memory: str) -> list[str]:
    """The serial collector starts fastest and keeps the heap small; its pauses grow with the heap, so a large one gets G1."""
    unit = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}.get(memory[-1].lower())
    size = int(memory[:-1]) * unit if unit else int(memory)
    if size > 8 << 30:
        return [f"-Xmx{memory}", "-XX:+UseG1GC"]
    # Java begins with a 64th of the machine's memory and never gives back any of that. This is a young generation as large as on
    # a machine with 24 GB, and twice what a warm driver holds beside it: what has died there is collected when that is full.
    young, old = min(128 << 20, size // 3), 96 << 20
    return [f"-Xmx{memory}", "-XX:+UseSerialGC", f"-XX:NewSize={young}", f"-XX:InitialHeapSize={min(size, young + old)}"]
