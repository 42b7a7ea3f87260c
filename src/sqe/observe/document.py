"""Writes docs/metrics.md from the declared metrics: `python -m sqe.observe.document docs/metrics.md`."""

from __future__ import annotations

import sys
from pathlib import Path

from sqe.observe.metrics import DECLARED

INTRODUCTION = """\
# Metrics

<!-- Made by `python -m sqe.observe.document docs/metrics.md`; a test compares it with the code. -->

`http://HOST:METRICS_PORT/metrics` (port 9090 by default) answers in Prometheus' text format. Besides these there are the
usual `process_*` metrics of the server's own process.

| metric | type | labels | meaning |
|---|---|---|---|
"""


def document() -> str:
    rows = (
        f"| `{each.name}` | {each.kind} | {', '.join(f'`{label}`' for label in each.labels) or '–'} | {each.help} |"
        for each in DECLARED
    )
    return INTRODUCTION + "".join(f"{row}\n" for row in rows)


def main() -> None:
    Path(sys.argv[1]).write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
