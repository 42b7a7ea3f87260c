"""`python -m sqe.engine.install`: set the engine up now instead of at its first start. Silent when there is nothing to do."""

from __future__ import annotations

import logging
import sys

from sqe.engine.install import ensure
from sqe.engine.install.archive import forget_failures
from sqe.engine.install.extension import CompileError
from sqe.engine.training import trainer
from sqe.errors import SqeError


def main() -> int:
    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    try:
        forget_failures()
        ensure(_say, trainer=trainer())
    except CompileError as failure:
        print(failure.output, file=sys.stderr)
        print(failure, file=sys.stderr)
        return 1
    except SqeError as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
