"""Sessions of somebody whose files are their own: an embedded warehouse with what is attached to it."""

from __future__ import annotations

from pathlib import Path

from sqe.attached import Attachments
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.identity import Identity
from sqe.sessions import Sessions

OWNER = Identity("owner", roles=frozenset({"admin"}))


def own_sessions(driver: Driver, folder: Path) -> Sessions:
    """Whoever makes them closes them. Made again in the same folder, they are those after a restart."""
    attachments = Attachments(folder / "w", folder / "secrets.key")
    lake = {"lake": {"type": "sqlite", "path": str(folder / "w")}}
    return Sessions(driver, lake, "lake", files=FileRights(own=True), attachments=lambda _: attachments)
