"""`sqe`: reads the command line and hands over to the one-shot client or the shell."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

from sqe.cli.arguments import Options, UsageError, help_text, parse
from sqe.cli.backend import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from sqe.cli.backend import Backend
    from sqe.cli.splitter import Statement


def main(argv: list[str] | None = None) -> int:
    try:
        return run(parse(sys.argv[1:] if argv is None else argv))
    except UsageError as error:
        sys.stderr.write(f"sqe: {error}\n")
        return 2
    except Failure as failure:
        sys.stderr.write(f"{failure}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("USER_CANCELED: Interrupted\n")
        return 1
    except BrokenPipeError:
        # The reader of our output has seen enough.
        return give_up_output()
    except OSError as error:
        code = "OUT_OF_DISK_SPACE" if error.errno == errno.ENOSPC else "GENERIC_USER_ERROR"
        sys.stderr.write(f"{code}: The output cannot be written: {error.strerror}\n")
        return give_up_output()


def give_up_output() -> int:
    # Python would complain once more when it flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def run(options: Options) -> int:
    if options.help:
        sys.stdout.write(help_text())
        return 0
    if options.version:
        from sqe.version import __version__

        sys.stdout.write(f"sqe {__version__}\n")
        return 0
    if options.daemon:
        return control_daemon(options.daemon)
    if options.login:
        from sqe.cli.login import run as log_in_or_out

        return log_in_or_out(options)
    if not options.execute and not options.file and sys.stdin is not None and sys.stdin.isatty():
        if options.output:
            raise UsageError("--output needs SQL from --execute, --file or the standard input")
        from sqe.cli.shell import interactive

        return with_backend(options, lambda backend: interactive(backend, options))
    return with_backend(options, lambda backend: one_shot(backend, options))


def control_daemon(what: str) -> int:
    from sqe.cli import daemon

    if what == "stop":
        sys.stdout.write(daemon.stop() + "\n")
        return 0
    text, running = daemon.status()
    sys.stdout.write(text + "\n")
    return 0 if running else 1


def with_backend(options: Options, use: Use) -> int:
    """Open the backend that the options ask for, and close what was opened for it."""
    if options.host:
        from sqe.cli.remote import open_remote

        backend = open_remote(options)
        try:
            return use(backend)
        finally:
            backend.close()
    from sqe.cli import daemon
    from sqe.cli.thin import ThinBackend

    if not options.no_daemon:
        limit = options.memory_limit
        embedded = ThinBackend(lambda: daemon.reach(limit), session_of(options))
        try:
            return use(embedded)
        finally:
            embedded.close()
    private = daemon.PrivateDaemon(options.memory_limit)
    embedded = ThinBackend(private.reach, session_of(options))
    try:
        return use(embedded)
    finally:
        embedded.close()
        private.close()


def session_of(options: Options) -> dict[str, object]:
    """What the daemon needs to open the session; paths are made absolute here, where the current folder is known."""
    from sqe.cli import places

    session: dict[str, object] = {
        "catalogs": {name: absolute(path) for name, path in options.catalogs.items()},
        "dialect": options.dialect,
    }
    if options.memory:
        session["memory"] = True
    else:
        session["warehouse"] = absolute(options.warehouse) if options.warehouse else places.default_warehouse()
    return session


def absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def one_shot(backend: Backend, options: Options) -> int:
    from sqe.cli.oneshot import Console, Runner, run_all
    from sqe.render import BINARY

    format = options.format or "table"
    target = open_output(options.output) if options.output else None
    try:
        console = Console(target)
        if format in BINARY and console.is_terminal:
            raise UsageError(f"{format} is not for a terminal; use --output or a pipe")
        runner = Runner(backend, console, format)
        statements, source = read_statements(options)
        return run_all(runner, statements, stop_on_error=options.stop_on_error, source=source)
    finally:
        if target is not None:
            # Flushed after every statement: what could not be written was told then.
            with suppress(OSError):
                target.close()


def open_output(path: str) -> BinaryIO:
    try:
        return open(path, "wb")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def read_statements(options: Options) -> tuple[Iterable[Statement], str]:
    """The statements, and the name of the file they come from for messages."""
    from sqe.cli import splitter

    if options.execute:
        return [statement for sql in options.execute for statement in splitter.split(sql, options.dialect)], ""
    if options.file and options.file != "-":
        try:
            with open(options.file, encoding="utf-8") as file:
                return splitter.split(file.read(), options.dialect), options.file
        except OSError as error:
            raise UsageError(f"{options.file} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise Failure("INVALID_ARGUMENTS", f"{options.file} is not valid UTF-8") from None
    return from_stdin(options.dialect), ""


def from_stdin(dialect: str) -> Iterator[Statement]:
    """Statements as they arrive: a program that writes to our standard input gets each answer before it sends the next."""
    from sqe.cli.splitter import Splitter

    if sys.stdin is None:  # closed by whoever started us
        return
    splitter = Splitter(dialect)
    rest = b""
    while block := os.read(sys.stdin.fileno(), 1 << 16):
        lines, newline, rest = (rest + block).rpartition(b"\n")
        yield from splitter.feed((lines + newline).decode(errors="surrogateescape"))
    yield from splitter.feed(rest.decode(errors="surrogateescape"))
    yield from splitter.finish()


if TYPE_CHECKING:
    from collections.abc import Callable

    Use = Callable[[Backend], int]

if __name__ == "__main__":
    sys.exit(main())
