"""Rights as rows, for SHOW GRANTS and SHOW EFFECTIVE POLICY."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import pyarrow as pa

from sqe.policy.contract import TablePolicy
from sqe.policy.grants.model import Grant, Scope, Terms
from sqe.policy.names import shown

# What somebody reads instead of a filter or a mask that binds them.
NOT_SHOWN = "(not shown)"


class Seen(Enum):
    """Texts of filters and masks, and the names of hidden columns, are for those who govern the object."""

    WHOLE = "whole"
    WITHOUT_TEXTS = "without texts"


def _texts(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, pa.string()) for name in names]


GRANTS_SCHEMA = pa.schema(
    [
        *_texts("effect", "privilege", "object_type", "object", "grantee_type", "grantee"),
        *_texts("columns", "row_filter", "masks", "hiding"),
        ("grant_option", pa.bool_()),
        *_texts("granted_by", "granted_at"),
    ]
)
POLICY_SCHEMA = pa.schema(_texts("kind", "name", "expression"))

_OBJECT_TYPES = {
    Scope.FUTURE_IN_CATALOG: "FUTURE TABLES IN CATALOG",
    Scope.FUTURE_IN_SCHEMA: "FUTURE TABLES IN SCHEMA",
}


def grants_table(grants: Sequence[Grant], seen: Seen) -> pa.Table:
    rows = [
        (
            grant.effect.value.upper(),
            grant.privilege.upper(),
            _OBJECT_TYPES.get(grant.target.scope, grant.target.scope.value.upper()),
            shown(grant.target.parts),
            grant.principal.kind.upper(),
            grant.principal.name,
            *_terms(grant.terms, seen),
            grant.grant_option,
            grant.granted_by or None,
            grant.granted_at,
        )
        for grant in grants
    ]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(GRANTS_SCHEMA.names)
    return pa.table([list(column) for column in columns], schema=GRANTS_SCHEMA)


def _terms(terms: Terms, seen: Seen) -> tuple[str | None, str | None, str | None, str | None]:
    columns = ", ".join(terms.columns) if terms.columns is not None else None
    masks = [f"{name} = {text}" for name, text in terms.masks.items()] + [f"{tag} = {text}" for tag, text in terms.tag_masks]
    hiding = [*terms.hidden, *map(str, terms.hidden_tags), *(["UNTAGGED COLUMNS"] if terms.hide_untagged else [])]
    if seen is Seen.WHOLE:
        return columns, terms.row_filter, ", ".join(masks) or None, ", ".join(hiding) or None
    return columns, NOT_SHOWN if terms.row_filter else None, NOT_SHOWN if masks else None, None


def policy_table(policy: TablePolicy, seen: Seen) -> pa.Table:
    """A row for each action, the filter, each mask and each hidden column; one `denied` when nothing is allowed."""
    whole = seen is Seen.WHOLE
    rows: list[tuple[str, str | None, str | None]] = [("action", action.upper(), None) for action in sorted(policy.actions)]
    if not rows:
        rows.append(("denied", None, policy.reason if whole else None))
    if policy.row_filter is not None:
        rows.append(("row filter", None, policy.row_filter if whole else NOT_SHOWN))
    rows += [("mask", name, mask if whole else NOT_SHOWN) for name, mask in sorted(policy.masks.items())]
    if whole:
        rows += [("hidden", name, None) for name in sorted(policy.hidden)]
    return pa.table([[row[index] for row in rows] for index in range(3)], schema=POLICY_SCHEMA)
