"""Several answers about one table: the most restrictive wins."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from sqe.policy.contract import TablePolicy
from sqe.policy.masks import stronger


def denied(table: str, reason: str) -> TablePolicy:
    return TablePolicy(table, frozenset(), None, {}, frozenset(), reason)


def most_restrictive(answers: Sequence[TablePolicy]) -> TablePolicy:
    """What all of them allow: common actions, rows that every filter lets through, columns that nobody hides."""
    combined = answers[0]
    for answer in answers[1:]:
        hidden = {name.lower() for name in combined.hidden | answer.hidden}
        combined = TablePolicy(
            combined.table,
            combined.actions & answer.actions,
            both(combined.row_filter, answer.row_filter),
            {name: mask for name, mask in _masks(combined, answer).items() if name.lower() not in hidden},
            combined.hidden | answer.hidden,
            "; ".join(reason for reason in (combined.reason, answer.reason) if reason),
        )
    return combined


def _masks(one: TablePolicy, other: TablePolicy) -> dict[str, str]:
    masks = dict(one.masks)
    spelled = {name.lower(): name for name in masks}
    for name, mask in other.masks.items():
        known = spelled.get(name.lower())
        masks[known or name] = stronger(masks[known], mask) if known else mask
    return masks


def both(one: str | None, other: str | None) -> str | None:
    """Rows that two filters let through."""
    if one is None or other is None or one == other:
        return one if other is None else other
    return f"({one}) AND ({other})"


def either(filters: Sequence[str]) -> str:
    """Rows that one of the filters lets through."""
    different = list(dict.fromkeys(filters))
    return different[0] if len(different) == 1 else " OR ".join(f"({each})" for each in different)


def versioned(policy: TablePolicy) -> TablePolicy:
    """With a version that is the same for the same rights, and only then."""
    content = json.dumps(replace(policy, version="", columns=None).to_json(), sort_keys=True)
    return replace(policy, version=hashlib.sha256(content.encode()).hexdigest()[:16])
