"""Names of the contract that this version does not have yet. They are refused with that sentence, never ignored.

A server that accepted `[lineage]` and did nothing with it would leave out what its owner wants to know. Each row
leaves this file when the feature arrives, in the change that declares its keys.
"""

from __future__ import annotations

NOT_YET = "is not available in this version yet"

SECTIONS = ("lineage", "worker")

# Declared already, because their keys are fixed and catalogs to come read them; no catalog of this version does.
UNUSED_SECTIONS: tuple[str, ...] = ()

KEYS: dict[str, tuple[str, ...]] = {
    "cluster": ("executor_memory", "executor_cores", "executors", "dynamic_allocation"),
}

PROVIDERS: tuple[str, ...] = ()

CATALOG_TYPES: tuple[str, ...] = ()
