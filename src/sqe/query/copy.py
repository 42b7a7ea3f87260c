"""`COPY (query) TO 'file'`: the rows of a query as a file of the machine that runs the engine. Whole, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from sqe import errors
from sqe.errors import SqeError
from sqe.render.writer import Layout, render
from sqe.sql.own import CopyTo


def check_file(copy: CopyTo) -> Path:
    """Before the query runs: it may take an hour."""
    path = Path(copy.file).expanduser()
    if "://" in copy.file or not path.is_absolute():
        raise SqeError(errors.NOT_SUPPORTED, "COPY writes to a file of this machine", hint="give its full path")
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise SqeError(errors.READ_ONLY_VIOLATION, f"The file {path} {what}")
    return path


def write_file(copy: CopyTo, path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """The number of rows. They go to a file beside it first, so that a reader never sees half of them."""
    made = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}")
    try:
        with made.open("xb") as file:
            rows = render(schema, batches, Layout(copy.format), lambda data: file.write(data) and None)
        os.replace(made, path)
        return rows
    except OSError as refused:
        reason = refused.strerror or "an input or output error"
        raise SqeError(errors.READ_ONLY_VIOLATION, f"The file {path} cannot be written: {reason}") from None
    finally:
        made.unlink(missing_ok=True)
