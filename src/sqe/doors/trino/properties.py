"""Trino's session properties, as far as they mean something here: from `X-Trino-Session` to the settings of a session."""

from __future__ import annotations

import difflib
import re

from sqe import errors
from sqe.doors.trino.request import ClientRequest, is_zone
from sqe.errors import SqeError
from sqe.query.session_settings import SETTINGS, checked_value

# Trino's names of settings that SQE has under its own.
_TIME_LIMITS = ("query_max_run_time", "query_max_execution_time")
_ZONE = "time_zone_id"

# Names that tools set to make Trino faster. They change no result, so a client that sends them is served and told.
WITHOUT_EFFECT = frozenset(
    """
    join_distribution_type join_reordering_strategy join_max_broadcast_table_size optimize_hash_generation task_concurrency
    task_min_writer_count task_max_writer_count writer_scaling_min_data_processed scale_writers redistribute_writes
    use_preferred_write_partitioning spill_enabled query_priority query_max_memory query_max_memory_per_node
    query_max_total_memory query_max_cpu_time query_max_planning_time query_max_scan_physical_bytes resource_overcommit
    hash_partition_count distributed_sort enable_dynamic_filtering enable_large_dynamic_filters
    push_aggregation_through_outer_join push_partial_aggregation_through_join
    optimize_metadata_queries dictionary_aggregation exchange_compression_codec
    retry_policy fault_tolerant_execution_arbitrary_input_task_target_size_min statistics_enabled prefer_partial_aggregation
    optimize_top_n_ranking max_drivers_per_task colocated_join concurrent_lifespans_per_task grouped_execution
    """.split()
)

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h|d)\s*")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def settings_of(client: ClientRequest) -> dict[str, str]:
    """The settings of a session for these headers. Raises INVALID_SESSION_PROPERTY for what is not known or wrong."""
    found = {"time_zone": client.time_zone} if client.time_zone else {}
    for name, value in client.properties.items():
        found |= setting_of(name, value)
    return found


def setting_of(name: str, value: str) -> dict[str, str]:
    """What one property means; nothing for one without effect."""
    key = name.lower()
    if key in WITHOUT_EFFECT:
        return {}
    if key == _ZONE or key == "time_zone":
        if not is_zone(value):
            raise _wrong(name, value)
        return {"time_zone": value}
    if key in _TIME_LIMITS:
        return {"query_timeout_seconds": str(_seconds(name, value))}
    if key in SETTINGS:
        return {key: checked_value(SETTINGS[key], value)}
    near = difflib.get_close_matches(key, [*SETTINGS, *_TIME_LIMITS, _ZONE], n=1)
    hint = f"did you mean {near[0]}?" if near else "SHOW SESSION lists the properties"
    raise SqeError(errors.INVALID_SESSION_PROPERTY, f"Session property '{name[:64]}' does not exist", hint=hint)


def warnings_of(client: ClientRequest) -> list[str]:
    return [
        f"Session property {name} has no effect on this server" for name in client.properties if name.lower() in WITHOUT_EFFECT
    ]


def _seconds(name: str, value: str) -> int:
    match = _DURATION.fullmatch(value)
    if match is None:
        raise _wrong(name, value)
    # A limit of less than a second is one, not none.
    return min(604_800, max(1, int(float(match[1]) * _SECONDS[match[2]])))


def _wrong(name: str, value: str) -> SqeError:
    return SqeError(errors.INVALID_SESSION_PROPERTY, f"Session property '{name}' cannot be {value[:64]!r}")
