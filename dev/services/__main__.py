"""`python -m dev.services up NAME… | stop NAME… | down | status | config STACK`: answers go to stdout, progress to stderr."""

from __future__ import annotations

import argparse
import json
import sys
import time

from dev.services.catalogue import SERVICES, STACKS
from dev.services.example import STACKS as EXAMPLES
from dev.services.example import example
from dev.services.stack import Stack
from sqe.errors import SqeError


def main() -> int:
    arguments = _arguments().parse_args()
    stack = Stack(progress=_say)
    began = time.monotonic()
    try:
        match arguments.command:
            case "up":
                print(json.dumps(stack.up(arguments.names), indent=2))
                _say(f"up after {time.monotonic() - began:.1f} s")
            case "stop":
                stack.stop(arguments.names)
            case "down":
                stack.down()
            case "config":
                print(example(arguments.stack, stack.status()), end="")
            case "status":
                print(json.dumps({name: "running" if it.alive else "stopped" for name, it in stack.status().items()}, indent=2))
    except SqeError as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dev.services", description="Real services for tests and quick starts.")
    commands = parser.add_subparsers(dest="command", required=True)
    known = f"stacks: {', '.join(STACKS)}; services: {', '.join(SERVICES)}"
    up = commands.add_parser("up", help="start services with what they need; print their addresses when all serve")
    up.add_argument("names", nargs="+", metavar="NAME", help=known)
    stop = commands.add_parser("stop", help="stop services; the next `up` brings them back with their data and ports")
    stop.add_argument("names", nargs="+", metavar="NAME", choices=list(SERVICES))
    commands.add_parser("down", help="stop everything and remove its data")
    commands.add_parser("status", help="which services run")
    config = commands.add_parser("config", help="print a sqe.toml for a stack that runs")
    config.add_argument("stack", choices=list(EXAMPLES))
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
