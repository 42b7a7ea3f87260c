"""Tables in folders and nothing else: Iceberg's Hadoop catalog. Its commits are renames, which only file systems have."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.engine.catalogs import storage


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    return {"type": "hadoop", "warehouse": storage.location(catalog["warehouse"])}
