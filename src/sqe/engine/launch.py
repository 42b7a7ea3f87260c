"""What a process that serves does first, once it knows its settings: start the driver, and import the rest while that boots."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.engine.driver import Driver
from sqe.engine.process import LaunchOptions

if TYPE_CHECKING:
    from sqe.config import Settings


def driver_of(settings: Settings, *, statement_waits: bool = True) -> Driver:
    """Not started yet. `statement_waits`: somebody wants rows already, and the engine gets ready for them first."""
    return Driver(
        LaunchOptions(
            memory=str(settings.engine.driver_memory),
            master=settings.cluster.master,
            java=str(settings.engine.java) if settings.engine.java else None,
            spark=settings.engine.spark,
            native=settings.engine.native,
            native_memory=str(settings.engine.native_memory) if settings.engine.native_memory else None,
            native_cache=str(settings.engine.native_cache),
            statement_waits=statement_waits,
            warm_up_seconds=settings.engine.warm_up,
        )
    )


def set_up(settings: Settings, tell: Callable[[str], None]) -> None:
    """Fetches, compiles and trains what this machine does not have yet: minutes the first time, milliseconds later.

    `Driver.start` would do so too, but without the class archive and without telling anybody what takes so long.
    """
    from sqe.engine import install
    from sqe.engine.catalogs import jars
    from sqe.engine.training import trainer

    java = str(settings.engine.java) if settings.engine.java else None
    installed = install.ensure(tell, java_setting=java, trainer=trainer(java))
    install.ensure_jars(jars(settings.catalog_options().values()), installed.java, tell)


def import_arrow_alone() -> None:
    """Imports pyarrow without numpy, which it takes along wherever it is installed: 0.05 s of CPU instead of 0.18 s while
    the JVM needs both cores. For processes that serve and never hand an array to numpy; the library can be imported later."""
    if "numpy" in sys.modules or "pyarrow" in sys.modules:
        return
    sys.modules["numpy"] = None  # type: ignore[assignment]  # an import of it fails, as on a machine without it
    try:
        import pyarrow.compute  # noqa: F401  (imports it too, a second time)
    finally:
        del sys.modules["numpy"]
