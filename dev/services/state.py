"""What runs, remembered in a folder: for every service its process, its ports, its address."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from dev.services.process import Running, alive
from dev.services.service import ROOT, Address
from sqe.errors import CONFIGURATION_INVALID, SqeError


@dataclass(frozen=True)
class Entry:
    """`running` is None for a service that was stopped and will come back on the same ports, with its data."""

    ports: Mapping[str, int]
    address: Address
    running: Running | None

    @property
    def alive(self) -> bool:
        return self.running is not None and alive(self.running)


class State:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "state.json"

    @property
    def lock_name(self) -> str:
        """One lock a folder; it lives in the cache because the folder goes away."""
        return "services-" + hashlib.sha256(str(self.folder.resolve()).encode()).hexdigest()[:12]

    def read(self) -> dict[str, Entry]:
        try:
            content = json.loads(self._file.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as failure:
            raise SqeError(CONFIGURATION_INVALID, f"{self._file} cannot be read: stop what it names and remove it") from failure
        return {name: _entry(fields) for name, fields in content.items()}

    def put(self, name: str, entry: Entry) -> None:
        """Written at once after every start, so that a killed `up` leaves nothing that `down` does not know."""
        entries = self.read() | {name: entry}
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # addresses carry keys
        draft = self._file.with_suffix(".draft")
        draft.write_text(json.dumps({name: asdict(entry) for name, entry in entries.items()}, indent=1))
        os.replace(draft, self._file)


def default_folder() -> Path:
    """`$SQE_SERVICES_DIR`, else `.services` in the working copy: two working copies do not meet."""
    own = os.environ.get("SQE_SERVICES_DIR")
    return Path(own).expanduser().absolute() if own else ROOT / ".services"


def _entry(fields: dict[str, object]) -> Entry:
    running = fields["running"]
    assert isinstance(fields["ports"], dict)
    assert isinstance(fields["address"], dict)
    return Entry(fields["ports"], fields["address"], Running(**running) if isinstance(running, dict) else None)
