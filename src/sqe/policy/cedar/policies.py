"""Cedar policies as they are evaluated: those without a say in rows and values, and those that soften a forbid."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe import errors
from sqe.errors import SqeError
from sqe.policy.expressions import plain

ROW_FILTER = "row_filter"
MASK = "mask"
_EVERYTHING = "everything"


@dataclass(frozen=True)
class CedarPolicies:
    """`plain` decides what is allowed at all. `softened` holds the forbids with @row_filter or @mask, which take only a part:
    they are asked apart, because Cedar answers a forbid without saying what it forbade."""

    plain: Any
    softened: Any
    annotations: Mapping[str, Mapping[str, str]]  # by the policies' ids, which are the same in both sets


def read(paths: Sequence[Path], schema: str) -> CedarPolicies:
    """Parsed and checked against the schema: a policy about a table that cannot exist is a mistake, not a no."""
    try:
        import cedarpy
    except ImportError:
        raise SqeError(
            errors.CONFIGURATION_INVALID,
            "policy.cedar_policies needs cedarpy, which is not installed",
            hint="pip install 'sqe[cedar]'",
        ) from None
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    if not text.strip():
        raise unusable("there are no policies")
    try:
        checked = cedarpy.validate_policies(text, schema)
        if not checked.validation_passed:
            raise unusable("; ".join(str(each) for each in checked.errors[:3]))
        found = json.loads(cedarpy.policies_to_json_str(text))["staticPolicies"]
    except ValueError as error:
        raise unusable(str(error).splitlines()[0]) from None
    annotations = {name: _checked(name, policy) for name, policy in found.items()}
    soft = {name for name, policy in found.items() if policy["effect"] == "forbid" and annotations[name]}
    everything = {
        "effect": "permit",
        "principal": {"op": "All"},
        "action": {"op": "All"},
        "resource": {"op": "All"},
        "conditions": [],
    }
    return CedarPolicies(
        _set(cedarpy, {name: policy for name, policy in found.items() if name not in soft}),
        _set(cedarpy, {_EVERYTHING: everything, **{name: found[name] for name in soft}}) if soft else None,
        annotations,
    )


def _set(cedarpy: Any, policies: Mapping[str, Any]) -> Any:
    return cedarpy.PolicySet.from_json_str(json.dumps({"templates": {}, "staticPolicies": policies, "templateLinks": []}))


def _checked(name: str, policy: Mapping[str, Any]) -> dict[str, str]:
    """The annotations that mean something here. A misspelt one would leave a table open."""
    title = policy.get("annotations", {}).get("id", name)
    found: dict[str, str] = {}
    for key, text in policy.get("annotations", {}).items():
        if key in ("id", "description"):
            continue
        if key not in (ROW_FILTER, MASK):
            raise unusable(f"policy {title} has an unknown annotation @{key}")
        if key == MASK and policy["effect"] != "forbid":
            raise unusable(f"policy {title} has @mask on a permit; a mask belongs to the forbid of a column")
        try:
            found[key] = plain(text or "")
        except SqeError as error:
            raise unusable(f"@{key} of policy {title}: {error.message}") from None
    if len(found) > 1:
        raise unusable(f"policy {title} has both @{ROW_FILTER} and @{MASK}")
    return found


def unusable(why: str) -> SqeError:
    return SqeError(errors.CONFIGURATION_INVALID, f"policy.cedar_policies cannot be used: {why}")
