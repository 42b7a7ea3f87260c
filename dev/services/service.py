"""What a service is: how it is fetched, launched, asked whether it serves, and addressed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import httpx

from sqe.engine.install.cache import Progress

LOOPBACK = "127.0.0.1"

# Where `dev` can be imported from, for services that are Python themselves.
ROOT = Path(__file__).parents[2]

Address = Mapping[str, str]
"""What a client has to know: URLs, and the keys and secrets that were made for this run."""


@dataclass(frozen=True)
class Place:
    """Where one run of a service lives. Folder and ports outlast a stop, so that it comes back as it was."""

    folder: Path
    ports: Mapping[str, int]
    peers: Mapping[str, Address]

    def url(self, port: str = "http") -> str:
        return f"http://{LOOPBACK}:{self.ports[port]}"


@dataclass(frozen=True)
class Launch:
    """A command whose process is the service itself: the pid that is started is the pid that is stopped."""

    command: list[str | Path]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None


class Service(ABC):
    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    ports: ClassVar[tuple[str, ...]] = ("http",)
    # Bounds, not estimates: 2 loaded cores start everything several times slower than a laptop does.
    start_seconds: ClassVar[float] = 120
    stop_seconds: ClassVar[float] = 30

    @abstractmethod
    def prepare(self, progress: Progress) -> None:
        """Fetch and build what is not in the cache yet."""

    @abstractmethod
    def launch(self, place: Place) -> Launch:
        """Write the configuration into the place and say how to start."""

    @abstractmethod
    def address(self, place: Place) -> dict[str, str]:
        """Where it will serve. Known before it serves, after `launch`."""

    @abstractmethod
    def ready(self, address: Address) -> bool:
        """Does it serve now? One quick look; the stack repeats it."""


def status_of(url: str) -> int | None:
    """The status of a GET; None when nobody answers. Proxies of the environment are not for the loopback address."""
    try:
        return httpx.get(url, timeout=5, trust_env=False).status_code
    except httpx.HTTPError:
        return None
