"""Which statements choose where files lie, and whether they may.

The driver reads and writes as the server's own account: on a server, a table over any folder, a procedure that reads any file
as a table's, or one that deletes "orphans" of any folder would be a way around the catalog. So there a table lies where its
catalog puts it. Embedded, the files are the user's own, and all of this is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqe import errors
from sqe.errors import SqeError

# Properties of tables and schemas that name a folder (Iceberg's; the last is what Spark makes of LOCATION).
_PROPERTIES = frozenset(
    {
        "location",
        "path",
        "write.data.path",
        "write.metadata.path",
        "write.object-storage.path",
        "write.folder-storage.path",
        "write.location-provider.impl",
    }
)

# Procedures that keep to the files of the table they are called for; every other one is refused where places are.
_KEEPING = frozenset(
    "rollback_to_snapshot rollback_to_timestamp set_current_snapshot cherrypick_snapshot publish_changes fast_forward "
    "expire_snapshots remove_orphan_files rewrite_data_files rewrite_manifests rewrite_position_delete_files ancestors_of "
    "compute_table_stats compute_partition_stats create_changelog_view table_health refresh_catalog_cache".split()
)

# Arguments that make a procedure of the list leave the table's own files. By position they come after the first two.
_LEAVING = frozenset({"location", "file_list_view"})


def refuse_places(details: Mapping[str, Any]) -> None:
    """For a server that does not let its users choose places (`files.allow_locations = false`)."""
    chosen = [name for name in details.get("places") or () if name.lower() in _PROPERTIES]
    if chosen:
        raise _refused(f"Choosing where files lie ({chosen[0]})")
    procedure = details.get("procedure")
    if procedure is None:
        return
    if procedure.lower() not in _KEEPING:
        raise _refused(f"The procedure {procedure}")
    if procedure.lower() == "remove_orphan_files" and _leaves(details["arguments"]):
        raise _refused("Removing files of another folder")


def refuse_encryption(details: Mapping[str, Any]) -> None:
    """Iceberg 1.12 writes plain files when the property is set and the catalog has no key service: worse than refusing."""
    if any(name.lower() == "encryption.key-id" for name in details.get("places") or ()):
        raise SqeError(
            errors.NOT_SUPPORTED,
            "Encrypted tables need a key service, which the catalogs of this version do not have: the files would be plain",
        )


def refuse_files() -> SqeError:
    """For `COPY … TO 'file'`, which writes one of the server's files."""
    return _refused("Writing files")


def _leaves(arguments: list[str | None]) -> bool:
    return any((name is None and position > 1) or (name or "").lower() in _LEAVING for position, name in enumerate(arguments))


def _refused(what: str) -> SqeError:
    return SqeError(errors.PERMISSION_DENIED, f"{what} is not allowed on this server", hint="files.allow_locations")
