"""The operators' door: health for probes, metrics for Prometheus. It sees counters and states, never a query or a session."""

from __future__ import annotations

from sqe.doors.ops.door import OpsDoor

__all__ = ["OpsDoor"]
