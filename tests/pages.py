"""Plays pages of the documentation: what their blocks show is run, and what they say must come out.

docs/development.md says what each kind of block means. Ports are replaced by free ones in commands and in what they should say.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil

from sqe.errors import CODES

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 120

PROMPTS = ("sqe> ", "  -> ")
SERVES = re.compile(r"sqe-server --config \S+$")
FAILS = re.compile(rf"^(sqe|--set \S+|{'|'.join(CODES)}): ", re.MULTILINE)

JDBC = """
import os, sys
import jpype
from sqe.engine.install.jars import TEST_JARS, ensure_jars

jpype.startJVM("--add-opens=java.base/java.nio=ALL-UNNAMED", "-Xmx256m", classpath=[str(jar) for jar in ensure_jars(TEST_JARS)])
jpype.JClass("java.util.logging.LogManager").getLogManager().reset()
driver = jpype.JClass("org.apache.arrow.driver.jdbc.ArrowFlightJdbcDriver")()
connection = driver.connect(sys.argv[1], jpype.JClass("java.util.Properties")())
rows = connection.createStatement().executeQuery("SELECT current_user() AS me")
rows.next()
print(rows.getString("me"), flush=True)
os._exit(0)  # the driver's threads would keep the JVM
"""


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def blocks(document: Path) -> Iterator[Block]:
    language, lines, start = None, list[str](), 0
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif language is None:
            language, lines, start = line[3:].strip(), [], number
        else:
            yield Block(language, "\n".join(lines), start)
            language = None


def commands(block: Block) -> Iterator[tuple[str, list[str], str]]:
    """Each command of a console block, what is typed into it, and what it should say."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *rest = part.splitlines()
        typed = [line[5:] for line in rest if line.startswith(PROMPTS)]
        said = [line for line in rest if not line.startswith((*PROMPTS, "SQE 0."))]
        yield command, typed, "\n".join(said)


def matches(expected: str, said: str) -> bool:
    lines = [line.rstrip() for line in expected.splitlines()]
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*?") + r"\n" for line in lines
    )
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in said.splitlines())) is not None


class Pipe:
    """A program that is written to and answers up to a mark; one that does not answer in time is ended."""

    def __init__(self, command: Sequence[str], stage: Stage) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=stage.folder,
            env=stage.env,
            text=True,
        )

    def ask(self, text: str, mark: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        watchdog = threading.Timer(PATIENCE_SECONDS, self._process.kill)
        watchdog.start()
        try:
            self._process.stdin.write(text)
            self._process.stdin.flush()
            lines = []
            for line in self._process.stdout:
                lines.append(line)
                if mark in line:
                    return "".join(lines)
        except BrokenPipeError:
            return "it has ended"
        finally:
            watchdog.cancel()
        return "".join(lines) + "it has ended"

    def close(self) -> None:
        self._process.communicate(timeout=PATIENCE_SECONDS)


class Shell(Pipe):
    """A bash that runs one command after another, so that `export` lasts."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(["bash", "--norc"], stage)
        port = stage.ports["50051"]
        self.run(f'sqe() {{ [[ "$*" != *--host* ]] || set -- --port {port} "$@"; command sqe "$@"; }}', [])

    def run(self, command: str, typed: list[str]) -> tuple[str, int]:
        given = "".join(f"{line}\n" for line in typed)
        said = self.ask(f"{{ {command}\n}} <<'TYPED'\n{given}TYPED\nprintf '\\n%s %s\\n' it-ended-with $?\n", "it-ended-with ")
        output, _, status = said.rpartition("\nit-ended-with ")
        return (output, int(status)) if status.strip().isdigit() else (said, -1)


class Sql(Pipe):
    """A session for the statements of a page."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(["sqe", "--stop-on-error"], stage)

    def run(self, statements: str) -> str | None:
        """What they said; None when one failed."""
        said = self.ask(f"{statements}\nSELECT 'no more' AS it_ended;\n", " no more")
        output, ended, _ = said.partition(" it_ended\n")
        self.output = output.removeprefix("(1 row)\n")  # the end of the last mark
        return self.output if ended else None


class Stage:
    """Where the documentation is played: a home, a folder, free ports, the server once a page starts it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {port: str(free) for port, free in zip(("50051", "8080", "9090", "9091"), free_ports(4), strict=True)}
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("SQE_")}
        self.env["SQE_ENGINE__WARM_UP"] = "0s"  # the cores are for the tests
        self.env["SQE_CACHE_DIR"] = os.environ.get("SQE_CACHE_DIR") or str(Path.home() / ".cache" / "sqe")
        self.env |= {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder / "run"), "NO_COLOR": "1"}
        self.env["PATH"] = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._server: tuple[str, str, subprocess.Popen[str]] | None = None
        (folder / "bin").mkdir()
        if shutil.which("curl") is None:
            get = (
                "import ssl, sys, urllib.request as u; words = sys.argv; "
                "tls = ssl.create_default_context(cafile=words[words.index('--cacert') + 1]) if '--cacert' in words else None; "
                "print(u.urlopen(words[-1], context=tls).read().decode(), end='')"
            )
            (folder / "bin" / "curl").write_text(f"#!{sys.executable}\n{get}\n")
            (folder / "bin" / "curl").chmod(0o755)

    def here(self, text: str) -> str:
        """With the ports of this stage."""
        return re.sub("|".join(self.ports), lambda port: self.ports[port[0]], text)

    def serve(self, command: str) -> str:
        """The line that the server says when it is ready. Pages that show the same server share it; another one replaces it."""
        if self._server is not None and self._server[0] != command:
            self._stop_server()
        if self._server is None:
            log = (self.folder / "server.log").open("w")
            process = subprocess.Popen(
                ["bash", "-c", f"exec env {command}"],
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.folder,
                env=self.env,
                text=True,
            )
            assert process.stdout is not None
            watchdog = threading.Timer(PATIENCE_SECONDS, process.kill)
            watchdog.start()
            said = process.stdout.readline() or (self.folder / "server.log").read_text()
            self._server = (command, said, process)
            watchdog.cancel()
        return self._server[1]

    def _stop_server(self) -> None:
        if self._server is not None:
            process, self._server = self._server[2], None
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_SECONDS) == 0

    def close(self) -> None:
        self._stop_server()
        subprocess.run(["sqe", "daemon", "stop"], env=self.env, check=True, stdout=subprocess.DEVNULL)

    def left(self) -> list[str]:
        """Processes that still run for this stage."""
        return [
            " ".join(line) for line in map(command_line, psutil.process_iter()) if any(str(self.folder) in word for word in line)
        ]


def command_line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Page:
    """One document on the stage. Problems are collected: one run shows them all."""

    def __init__(self, document: Path, stage: Stage) -> None:
        self._document = document
        self._stage = stage
        self._shell: Shell | None = None
        self._sql: Sql | None = None
        self.problems: list[str] = []

    def play(self) -> None:
        found = [*blocks(self._document), Block("", "", 0)]
        for block, following in pairwise(found):
            expected = following.text if following.language == "text" else None
            match block.language:
                case "console":
                    self._console(block)
                case "sql":
                    self._statements(block, expected)
                case "python":
                    self._program(block, [sys.executable, "-c", self._stage.here(block.text)], expected)
                case "toml" if name := re.match(r"# (\w+\.toml)\n", block.text):
                    (self._stage.folder / name[1]).write_text(self._stage.here(block.text), encoding="utf-8")
                case "text" if block.text.startswith("jdbc:"):
                    self._program(block, [sys.executable, "-c", JDBC, self._stage.here(block.text)], "ada")

    def close(self) -> None:
        for pipe in (self._shell, self._sql):
            if pipe is not None:
                pipe.close()

    def _console(self, block: Block) -> None:
        for command, typed, expected in commands(block):
            command, expected = self._stage.here(command), self._stage.here(expected)
            if SERVES.search(command):
                self._compare(block, command, expected, self._stage.serve(command))
                continue
            if command.startswith("make "):
                if Path(sys.prefix) != ROOT / ".venv":
                    continue  # it would make that environment
                command = f"make --no-print-directory -C {ROOT} {command.removeprefix('make ')}"
            self._shell = self._shell or Shell(self._stage)
            said, status = self._shell.run(command, typed)
            self._compare(block, command, expected, said)
            if (status == 0) == bool(FAILS.search(expected)) and "$?" not in command:
                self._problem(block, f"{command} ended with {status}")

    def _statements(self, block: Block, expected: str | None) -> None:
        self._sql = self._sql or Sql(self._stage)
        said = self._sql.run(block.text)
        if said is None:
            self._problem(block, f"a statement failed: {self._sql.output}")
        elif expected is not None:
            self._compare(block, "the statements", expected, said)

    def _program(self, block: Block, command: list[str], expected: str | None) -> None:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self._stage.folder, env=self._stage.env, timeout=PATIENCE_SECONDS
        )
        if done.returncode:
            self._problem(block, f"the program failed: {done.stderr}")
        elif expected is not None:
            self._compare(block, "the program", expected, done.stdout)

    def _compare(self, block: Block, what: str, expected: str, said: str) -> None:
        if not matches(expected, said):
            self._problem(block, f"{what} said\n{said}\nand not\n{expected}")

    def _problem(self, block: Block, text: str) -> None:
        self.problems.append(f"{self._document.name}:{block.line}: {text}")
