"""The command `sqe-server`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from sqe import server_commands
from sqe.config import ConfigErrors, Loaded, load_with_origins
from sqe.errors import SERVER_STARTING_UP, SqeError
from sqe.version import __version__

if TYPE_CHECKING:
    from sqe.server import Server

log = logging.getLogger("sqe.server")

STOPPED, FAILED, WRONG_USAGE = 0, 1, 2

# The first start on a machine fetches and compiles what is missing before this time begins.
_ENGINE_SECONDS = 120.0


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in server_commands.COMMANDS:
        return server_commands.run(arguments[0], arguments[1:])
    options = _options(arguments)
    if options.mode == "worker":
        return _fail("--mode worker is not available in this version yet", WRONG_USAGE)
    try:
        loaded = load_with_origins(options.config, os.environ, dict(options.set))
    except ConfigErrors as errors:
        return _fail("\n".join(map(str, errors.problems)), WRONG_USAGE)
    if not loaded.settings.auth.providers:
        return _fail(_nobody_could_log_in(options.config), WRONG_USAGE)
    if options.check:
        from sqe.config.show import effective

        print(effective(loaded), end="")
        return STOPPED
    return _serve(loaded)


def _serve(loaded: Loaded) -> int:
    """Until a signal: 0. A server that cannot start says why in one sentence: 1."""
    from sqe.engine.launch import driver_of, import_arrow_alone, set_up
    from sqe.network import NetworkDoors
    from sqe.observe import logs

    settings = loaded.settings
    logs.configure(settings.log)
    network = NetworkDoors(settings)
    driver = driver_of(settings, statement_waits=False)
    server: Server | None = None
    signals = _Signals()
    try:
        network.check_ports()
        with signals.interrupting():
            set_up(settings, lambda line: log.info("setting up, once: %s", line))
        # From here on short, and not interrupted: what has begun would have no owner that ends it.
        driver.start()
        import_arrow_alone()
        from sqe.server import Server

        server = Server(settings, doors=network.open, driver=driver)
        server.start()
        _await_engine(server, signals)
        print(json.dumps({"event": "ready", **network.addresses()}), flush=True)
        signals.wait()
        network.drain()
        server.drain(settings.coordinator.drain_timeout, network.unread)
    except _Stopped:
        pass
    except SqeError as error:
        return _fail(str(error), FAILED)
    finally:
        (server or driver).stop()
    return STOPPED


def _await_engine(server: Server, signals: _Signals) -> None:
    """In short waits, between which a signal is noticed."""
    deadline = time.monotonic() + _ENGINE_SECONDS
    while True:
        signals.check()
        try:
            return server.await_ready(0.5)
        except SqeError as error:
            if error.code is not SERVER_STARTING_UP or time.monotonic() > deadline:
                raise


class _Stopped(BaseException):
    """A signal came before the server was up."""


class _Signals:
    """SIGTERM and SIGINT: the first one stops the server in order, a second one at once (the JVM follows its closed stdin)."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._interrupting = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._came)

    def wait(self) -> None:
        while not self._stop.wait(1.0):  # a signal that the kernel gave to another thread (a profiler held this one) wakes nobody
            pass

    def check(self) -> None:
        if self._stop.is_set():
            raise _Stopped

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Within it a signal ends what runs: the first start on a machine fetches and compiles for minutes."""
        self._interrupting = True
        try:
            yield
        finally:
            self._interrupting = False

    def _came(self, number: int, _: FrameType | None) -> None:
        if self._stop.is_set():
            os._exit(FAILED)
        self._stop.set()
        if self._interrupting:
            raise _Stopped


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "sqe-server",
        description="The SQE server.",
        epilog=server_commands.overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="sqe.toml (docs/configuration.md); without it, variables and defaults"
    )
    parser.add_argument(
        "--mode", choices=("coordinator", "worker"), default="coordinator", help="this version has the coordinator only"
    )
    parser.add_argument(
        "--set", action="append", default=[], type=_key_value, metavar="SECTION.KEY=VALUE", help="over file and environment"
    )
    parser.add_argument("--check", action="store_true", help="print the effective settings and exit")
    parser.add_argument("--version", action="version", version=f"sqe-server {__version__}")
    return parser.parse_args(arguments)


def _key_value(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is not SECTION.KEY=VALUE")
    return key, value


def _nobody_could_log_in(config: Path | None) -> str:
    where = f"{config}: " if config else ""
    return f'{where}auth.providers is empty, so nobody could log in (add [[auth.providers]] with type = "static" and users)'


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
