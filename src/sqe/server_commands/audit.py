"""`sqe-server audit verify FILE…`: whether an audit log is as it was written."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sqe.config.values import Secret

INTACT, NOT_INTACT, WRONG_USAGE = 0, 1, 2


def run(arguments: Sequence[str]) -> int:
    from sqe.observe.audit.chain import Chain
    from sqe.observe.audit.verify import Tampered, Verified, is_keyed, verified

    options = _options(arguments)
    try:
        key = _key(options)
        if key is None and is_keyed(options.files):
            return _fail("the log is sealed with a key: give --key-env or --key-file", WRONG_USAGE)
        found: Verified = verified(options.files, Chain(key))
    except Tampered as tampered:
        return _fail(str(tampered), NOT_INTACT)
    except OSError as refused:
        return _fail(f"{refused.filename}: {refused.strerror}", WRONG_USAGE)
    assert found.first is not None
    assert found.head is not None
    if options.head and options.head != found.head.hash:
        return _fail(
            f"the last line has the hash {found.head.hash}, not the expected one: lines are missing at the end", NOT_INTACT
        )
    notes = [f"{found.repaired} cut by a crash"] * bool(found.repaired)
    notes += [f"{found.lost} entries could not be written"] * bool(found.lost)
    notes += ["the last line is not a stop of the server"] * (not found.stopped)
    print(
        f"OK: {found.lines} lines in {found.files} file{'s' if found.files > 1 else ''}, "
        f"seq {found.first.seq} to {found.head.seq}, head {found.head.hash}" + "".join(f"\nnote: {note}" for note in notes)
    )
    return INTACT


def _key(options: argparse.Namespace) -> Secret | None:
    if options.key_env is not None:
        return Secret(os.environ[options.key_env])
    if options.key_file is not None:
        # As `{ file = … }` in sqe.toml is read.
        return Secret(Path(options.key_file).read_text(encoding="utf-8").rstrip("\r\n"))
    return None


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("sqe-server audit", description="Checks an audit log.", allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="verify")
    verify = commands.add_parser("verify", help="check that no line was changed, removed, inserted or moved", allow_abbrev=False)
    verify.add_argument("files", nargs="+", type=Path, metavar="FILE", help="the log's files, in any order")
    key = verify.add_mutually_exclusive_group()
    key.add_argument("--key-env", type=_variable, metavar="NAME", help="variable that holds audit.hmac_key")
    key.add_argument("--key-file", type=Path, metavar="FILE", help="file that holds audit.hmac_key")
    verify.add_argument("--head", type=str.lower, metavar="HASH", help="hash that the last line must have")
    return parser.parse_args(arguments)


def _variable(name: str) -> str:
    if not os.environ.get(name):
        raise argparse.ArgumentTypeError(f"the variable {name} is not set")
    return name


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
