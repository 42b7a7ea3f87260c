"""Rows as text and files, one module a format. Works on record batches as they come, with bounded memory.

`writer.open_writer` is the way in; the embedded daemon renders for its thin clients, `sqe --host` renders for itself.
This file stays free of pyarrow: the thin client reads the names below on its warm path.
"""

FORMATS = ("table", "csv", "tsv", "json", "jsonl", "markdown", "arrow", "parquet")

# Formats that hold one result and are no text: they go to a file or a pipe, never to a terminal.
BINARY = frozenset({"arrow", "parquet"})

# Formats for people; a statement without rows says `OK` or `INSERT: 3 rows` in the same place.
HUMAN = frozenset({"table", "markdown"})
