"""Bringing services up and down. One command at a time in a state folder; a second one waits for the first."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from dev.services import process
from dev.services.catalogue import SERVICES, resolve
from dev.services.service import Address, Place, Service
from dev.services.state import Entry, State, default_folder
from sqe.engine.install.cache import Progress, quiet, workshop
from sqe.errors import CONFIGURATION_INVALID, SqeError

LOOK_SECONDS = 0.1


class Stack:
    """The services of one state folder."""

    def __init__(self, folder: Path | None = None, progress: Progress = quiet) -> None:
        self._state = State(folder or default_folder())
        self._progress = progress

    def up(self, names: Iterable[str]) -> dict[str, Address]:
        """Start what is not running, wait until all of it serves. What this call started is stopped again when it fails."""
        services = resolve(names)
        with workshop(self._state.lock_name, self._progress):
            for service in services:
                service.prepare(self._progress)
            started: list[str] = []
            try:
                self._start(services, started)
            except BaseException:
                for name in reversed(started):
                    self._stop(name)
                raise
        return {service.name: self._state.read()[service.name].address for service in services}

    def stop(self, names: Iterable[str]) -> None:
        """Stop these, and keep their data and ports for the next `up`: an outage, for tests."""
        with workshop(self._state.lock_name, self._progress):
            for name in names:
                self._stop(name)

    def down(self) -> None:
        """Stop everything and forget it."""
        with workshop(self._state.lock_name, self._progress):
            # The last started first: nobody loses what it needs while it still serves.
            for name in reversed(list(self._state.read())):
                self._progress(f"stopping {name}")
                self._stop(name)
            shutil.rmtree(self._state.folder, ignore_errors=True)

    @property
    def folder(self) -> Path:
        return self._state.folder

    def status(self) -> dict[str, Entry]:
        return self._state.read()

    def log(self, name: str) -> Path:
        return self._state.folder / name / "log"

    def _start(self, services: list[Service], started: list[str]) -> None:
        serving: dict[str, Address] = {}
        launched: dict[str, float] = {}
        waiting = {service.name: service for service in services}
        while waiting:
            for name, service in list(waiting.items()):
                if name not in launched and all(need in serving for need in service.needs):
                    self._launch(service, serving, started)
                    launched[name] = time.monotonic()
                if name in launched and self._serves(service, launched[name]):
                    serving[name] = self._state.read()[name].address
                    if name in started:
                        self._progress(f"{name} serves after {time.monotonic() - launched[name]:.1f} s")
                    del waiting[name]
            if waiting:
                time.sleep(LOOK_SECONDS)

    def _launch(self, service: Service, peers: dict[str, Address], started: list[str]) -> None:
        known = self._state.read().get(service.name)
        if known is not None and known.alive:
            return
        folder = self._state.folder / service.name
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        ports = known.ports if known is not None else process.free_ports(service.ports)
        place = Place(folder, ports, peers)
        launch = service.launch(place)
        running = process.start(launch, folder)
        started.append(service.name)
        self._state.put(service.name, Entry(ports, service.address(place), running))

    def _serves(self, service: Service, since: float) -> bool:
        entry = self._state.read()[service.name]
        if service.ready(entry.address):
            return True
        if not entry.alive:
            raise SqeError(CONFIGURATION_INVALID, f"{service.name} ended while it started: {self._last_words(service.name)}")
        if time.monotonic() - since > service.start_seconds:
            raise SqeError(
                CONFIGURATION_INVALID,
                f"{service.name} did not serve within {service.start_seconds:.0f} s: {self._last_words(service.name)}",
            )
        return False

    def _stop(self, name: str) -> None:
        entry = self._state.read().get(name)
        if entry is None:
            return
        if entry.running is not None:
            process.stop(entry.running, SERVICES[name].stop_seconds)
        self._state.put(name, Entry(entry.ports, entry.address, None))

    def _last_words(self, name: str) -> str:
        lines = self.log(name).read_text(errors="replace").strip().splitlines()
        return "\n".join(lines[-15:]) if lines else "its log is empty"
