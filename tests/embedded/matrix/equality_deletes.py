"""A writer of equality deletes, which neither Spark nor PyIceberg has, made of PyIceberg's parts."""

from __future__ import annotations

import secrets
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.update import AddSnapshotUpdate, AssertRefSnapshotId, SetSnapshotRefUpdate
from pyiceberg.typedef import Record, TableVersion
from pyiceberg.types import IntegerType, ListType, NestedField, StructType


class DeleteManifest(ManifestWriterV2):
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}

    def _with_partition(self, format_version: TableVersion) -> Schema:
        """PyIceberg 0.12.0 writes the columns' ids as long numbers, where the specification says int."""
        entry = super()._with_partition(format_version)
        return Schema(*(_replaced(field) for field in entry.fields))


def _replaced(field: NestedField) -> NestedField:
    if field.name == "equality_ids":
        ids = ListType(element_id=136, element_type=IntegerType(), element_required=True)
        return field.model_copy(update={"field_type": ids})
    if isinstance(field.field_type, StructType):
        return field.model_copy(update={"field_type": StructType(*map(_replaced, field.field_type.fields))})
    return field


def delete_where_equal(table: Table, values: dict[str, list[Any]]) -> None:
    """Commits a snapshot with one equality delete file of these columns."""
    before = table.current_snapshot()
    assert before is not None
    fields = {name: table.schema().find_field(name).field_id for name in values}
    path = f"{table.location()}/data/equality-{secrets.token_hex(8)}.parquet"
    schema = table.schema().as_arrow()
    columns = pa.schema(
        [
            schema.field(name).with_metadata({"PARQUET:field_id": str(number)}).with_nullable(True)
            for name, number in fields.items()
        ]
    )
    with table.io.new_output(path).create() as file:
        pq.write_table(pa.table(values, columns), file)
    deletes = DataFile.from_args(
        content=DataFileContent.EQUALITY_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=len(next(iter(values.values()))),
        file_size_in_bytes=len(table.io.new_input(path)),
        equality_ids=list(fields.values()),
    )
    deletes.spec_id = table.spec().spec_id
    snapshot_id = secrets.randbits(62)
    sequence = table.metadata.last_sequence_number + 1
    manifest = table.io.new_output(f"{table.location()}/metadata/{secrets.token_hex(8)}-m0.avro")
    with DeleteManifest(table.spec(), table.schema(), manifest, snapshot_id, "deflate") as writer:
        writer.add_entry(ManifestEntry.from_args(status=ManifestEntryStatus.ADDED, snapshot_id=snapshot_id, data_file=deletes))
    every = table.io.new_output(f"{table.location()}/metadata/snap-{snapshot_id}.avro")
    with write_manifest_list(2, every, snapshot_id, before.snapshot_id, sequence, "deflate") as listed:
        listed.add_manifests([*before.manifests(table.io), writer.to_manifest_file()])
    snapshot = Snapshot(
        snapshot_id=snapshot_id,
        parent_snapshot_id=before.snapshot_id,
        sequence_number=sequence,
        timestamp_ms=before.timestamp_ms + 1,
        manifest_list=every.location,
        summary=Summary(Operation.DELETE),
        schema_id=table.schema().schema_id,
    )
    table.catalog.commit_table(
        table,
        (AssertRefSnapshotId(ref="main", snapshot_id=before.snapshot_id),),
        (
            AddSnapshotUpdate(snapshot=snapshot),
            SetSnapshotRefUpdate(ref_name="main", type="branch", snapshot_id=snapshot_id),
        ),
    )
