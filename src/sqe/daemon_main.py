"""`python -m sqe.daemon_main`: the embedded daemon's process. Started by the client (`sqe.cli.daemon`), never by hand."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading

from sqe.embedded.daemon import Daemon
from sqe.embedded.folder import BoundedLog, RunFolder, Taken

log = logging.getLogger("sqe.daemon")


def main() -> int:
    arguments = _arguments()
    try:
        folder = RunFolder(arguments.folder)
    except Taken:
        _answer(arguments.ready_fd, "Another embedded daemon is starting or leaving; try again in a moment")
        return 1
    _log_to(folder.paths.log)
    daemon = Daemon(folder, arguments.memory_limit)
    daemon.listen()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # In a thread: a handler runs inside whatever the main thread does, even while that holds the locks it needs.
        signal.signal(number, lambda *_: threading.Thread(target=daemon.leave).start())
    _answer(arguments.ready_fd, "ready")
    if arguments.watch_fd is not None:
        threading.Thread(target=_leave_with_client, args=(arguments.watch_fd, daemon), name="sqe-watch", daemon=True).start()
    try:
        daemon.run()
    except Exception:
        log.exception("the daemon met a defect")
        return 1
    finally:
        if arguments.private:
            folder.remove()
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sqe.daemon_main")
    parser.add_argument("--folder", required=True)
    parser.add_argument("--memory-limit", default="")
    parser.add_argument("--ready-fd", type=int, required=True, help="told when the socket is bound")
    parser.add_argument("--watch-fd", type=int, help="its end is the client's end")
    parser.add_argument("--private", action="store_true", help="the folder goes with the daemon")
    return parser.parse_args()


def _answer(fd: int, text: str) -> None:
    with open(fd, "w", encoding="utf-8") as pipe:
        pipe.write(text)


def _log_to(path: str) -> None:
    from sqe.config.sections import Log
    from sqe.observe.logs import configure

    configure(Log(), BoundedLog(path))


def _leave_with_client(fd: int, daemon: Daemon) -> None:
    os.read(fd, 1)  # returns at end of file: nobody writes to it
    daemon.leave()


if __name__ == "__main__":
    sys.exit(main())
