"""Answers of Spark in other words: a plan as JSON, a schema as the statement that makes it.

Made from what Spark tells the user anyway, so that nothing is told that EXPLAIN and DESCRIBE would not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sqe.sql.own import ExplainJson, ShowCreateSchema
from sqe.sql.tokens import quote_name, quote_text

PLAN = pa.schema([("plan", pa.string())])
STATEMENT = pa.schema([("createschema_stmt", pa.string())])

# What draws the tree: `+- `, `:- `, and the lines that pass by.
_BRANCH = re.compile(r"(?:[: ] {2})*(?:[:+]- )?")
_NATIVE = "== Native =="
_STEP = re.compile(r"(?:\*\(\d+\) |\* )?([A-Za-z]+(?: [A-Za-z]+(?=\b(?!=)))?)")


def retold(statement: ExplainJson | ShowCreateSchema, rows: Sequence[dict[str, Any]]) -> pa.Table:
    if isinstance(statement, ShowCreateSchema):
        return pa.table([[_create_schema({row["info_name"]: row["info_value"] for row in rows})]], schema=STATEMENT)
    lines = [line for row in rows for line in str(row["plan"]).splitlines() if line.strip()]
    made = _measured(lines) if statement.analyze else _explained(lines)
    return pa.table([[json.dumps(made, ensure_ascii=False)]], schema=PLAN)


def _explained(lines: Sequence[str]) -> dict[str, Any]:
    """The tree, and what EXPLAIN says of the native kernel."""
    end = lines.index(_NATIVE) if _NATIVE in lines else len(lines)
    native = {"native": list(lines[end + 1 :])} if end < len(lines) else {}
    return _tree([line for line in lines[:end] if not line.startswith("==")]) | native


def _tree(lines: Sequence[str]) -> dict[str, Any]:
    return _nested([(len(_BRANCH.match(line)[0]) // 3, line[len(_BRANCH.match(line)[0]) :]) for line in lines])  # type: ignore[index]


def _measured(lines: Sequence[str]) -> dict[str, Any]:
    """EXPLAIN ANALYZE indents by two, and ends with what the whole took."""
    *steps, whole = lines
    made = _nested([((len(line) - len(line.lstrip())) // 2, line.strip()) for line in steps])
    return {"total": whole} | made


def _nested(steps: Sequence[tuple[int, str]]) -> dict[str, Any]:
    root: dict[str, Any] = {"children": []}
    path = [root]
    for depth, text in steps:
        name = _STEP.match(text)
        node: dict[str, Any] = {"operator": name[1] if name else text, "details": text, "children": []}
        del path[depth + 1 :]
        path[-1]["children"].append(node)
        path.append(node)
    return {"plan": root["children"]}


def _create_schema(facts: dict[str, str]) -> str:
    name = f"{quote_name(facts['Catalog Name'])}.{facts['Namespace Name']}"
    lines = [f"CREATE SCHEMA {name}"]
    if facts.get("Comment"):
        lines.append(f"COMMENT {quote_text(facts['Comment'])}")
    if facts.get("Location"):
        lines.append(f"LOCATION {quote_text(facts['Location'])}")
    # Spark writes them as ((key,value), (key,value)).
    pairs = [each.partition(",")[::2] for each in (facts.get("Properties") or "")[2:-2].split("), (") if each]
    if pairs:
        lines.append("WITH DBPROPERTIES (" + ", ".join(f"{quote_text(key)} = {quote_text(value)}" for key, value in pairs) + ")")
    return "\n".join(lines)
