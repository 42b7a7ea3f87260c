"""`sqe-server api-key NAME`: makes a key, shown once, and the entry for the file that holds its hash."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqe.config.values import Duration


def run(arguments: Sequence[str]) -> int:
    from sqe.identity.api_key_file import Entry, written
    from sqe.identity.api_keys import made_key

    options = _options(arguments)
    key, digest = made_key()
    entry = Entry(options.name, digest, frozenset(options.roles), frozenset(options.groups), options.expires)
    if sys.stdout.isatty():
        print("The key, which nobody can show again, and its entry for the file of the provider:\n", file=sys.stderr)
    print(f"{key}\n\n{written(entry)}", end="")
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("sqe-server api-key", description="Makes an API key.", allow_abbrev=False)
    parser.add_argument("name", type=_name, metavar="NAME", help="user that the key logs in")
    parser.add_argument("--roles", type=_names, default=(), metavar="A,B", help="roles of the user")
    parser.add_argument("--groups", type=_names, default=(), metavar="A,B", help="groups of the user")
    parser.add_argument(
        "--expires", type=_expiry, metavar="WHEN", help="a time such as 2027-01-31T00:00:00Z, or a duration such as 90d"
    )
    return parser.parse_args(arguments)


def _name(text: str) -> str:
    from sqe.identity.names import is_name

    if not is_name(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a name")
    return text


def _names(text: str) -> tuple[str, ...]:
    return tuple(_name(part.strip()) for part in text.split(","))


def _expiry(text: str) -> datetime:
    if re.fullmatch(r"\d+(\.\d+)?(ms|s|m|h|d)", text):
        try:
            when = datetime.now(UTC) + timedelta(seconds=Duration.parse(text))
        except OverflowError:
            raise argparse.ArgumentTypeError(f"{text!r} is too far away") from None
    else:
        try:
            when = datetime.fromisoformat(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is neither a time nor a duration") from None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    if when <= datetime.now(UTC):
        raise argparse.ArgumentTypeError(f"{text} is over")
    return when.astimezone(UTC).replace(microsecond=0)
