"""Spark's variant: a struct of two binaries on the wire, JSON for people."""

from __future__ import annotations

import pyarrow as pa


def is_variant(kind: pa.DataType) -> bool:
    """Spark marks the field `metadata` of the struct."""
    if not pa.types.is_struct(kind) or kind.num_fields != 2 or kind.field(1).name != "metadata":
        return False
    return bool((kind.field(1).metadata or {}).get(b"variant") == b"true")


def variant_json(column: pa.StructArray) -> pa.StringArray:
    """JSON text, made a value at a time by PySpark's own reader (its import takes 0.15 s, once)."""
    from pyspark.sql.variant_utils import VariantUtils

    values, metadata = (child.to_pylist() for child in column.flatten())
    texts = [
        None if value is None else VariantUtils.to_json(value, keys, "UTC") for value, keys in zip(values, metadata, strict=True)
    ]
    return pa.array(texts, pa.string())
