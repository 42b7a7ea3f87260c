"""What `sqe-server` does besides serving: `sqe-server WORD …`, one module a word.

A module has `run(arguments: Sequence[str]) -> int`, which gets what stands behind the word and returns the exit code. Modules are
imported when their word is used: none of them may slow the server's own start.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple


class Command(NamedTuple):
    """A word, the module behind it, and its line in `sqe-server --help`."""

    module: str
    help: str


COMMANDS: dict[str, Command] = {
    "api-key": Command("sqe.server_commands.api_key", "make a key for a provider of type api_key"),
    "audit": Command("sqe.server_commands.audit", "check an audit log"),
}


def run(word: str, arguments: Sequence[str]) -> int:
    command = import_module(COMMANDS[word].module)
    code: int = command.run(arguments)
    return code


def overview() -> str:
    """For the end of the server's own help."""
    return "\n".join(["commands:", *(f"  sqe-server {word:<10} {command.help}" for word, command in COMMANDS.items())])
