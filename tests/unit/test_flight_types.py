"""SQL names of Arrow types, and the tables behind DatabaseMetaData."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sqe.doors.flight.sqlinfo import VALUES, sql_info
from sqe.doors.flight.types import described, type_info, type_name

NAMES = {
    "TINYINT": pa.int8(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DECIMAL(38,10)": pa.decimal128(38, 10),
    "STRING": pa.large_string(),
    "BINARY": pa.binary(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us", "UTC"),
    "TIMESTAMP_NTZ": pa.timestamp("us"),
    "INTERVAL": pa.duration("us"),
    "VOID": pa.null(),
    "ARRAY<INT>": pa.list_(pa.int32()),
    "MAP<STRING, ARRAY<DOUBLE>>": pa.map_(pa.string(), pa.list_(pa.float64())),
    "STRUCT<a: INT, b: STRUCT<c: BOOLEAN>>": pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.bool_())]))]),
}


@pytest.mark.parametrize("name", NAMES)
def test_an_arrow_type_has_its_sql_name(name: str) -> None:
    assert type_name(NAMES[name]) == name


def test_columns_keep_the_metadata_they_have() -> None:
    field = described(pa.schema([pa.field("p", pa.decimal128(9, 2), metadata={"comment": "price"})])).field("p")
    assert field.metadata == {
        b"comment": b"price",
        b"ARROW:FLIGHT:SQL:TYPE_NAME": b"DECIMAL(9,2)",
        b"ARROW:FLIGHT:SQL:PRECISION": b"9",
        b"ARROW:FLIGHT:SQL:SCALE": b"2",
    }


def test_every_sql_info_can_be_asked_alone_and_unknown_ones_have_no_row() -> None:
    assert sql_info().num_rows == len(VALUES)
    for number in VALUES:
        table = sql_info([number, 99_999])
        table.validate(full=True)
        assert table["info_name"].to_pylist() == [number]


def test_type_info_is_ordered_and_can_be_asked_for_one_type() -> None:
    rows = type_info().select(["data_type", "type_name"]).to_pylist()
    assert rows == sorted(rows, key=lambda row: (row["data_type"], row["type_name"]))
    assert type_info(12)["type_name"].to_pylist() == ["STRING", "VARCHAR"]
    assert type_info(12345).num_rows == 0
