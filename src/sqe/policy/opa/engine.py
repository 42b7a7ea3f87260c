"""Trino's questions to OPA, asked for all tables of a statement at once, and what the answers mean.

Trino asks when a query touches something; here the whole of a table's rights is asked for before the query is analysed. So a
column that `FilterColumns` or `SelectFromColumns` refuses is hidden, and an action is allowed when all its operations are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqe.config.policy import Policy as PolicySettings
from sqe.identity import Identity
from sqe.policy.actions import SELECT
from sqe.policy.combination import both, denied
from sqe.policy.contract import TablePolicy
from sqe.policy.engine import Columns, Engine, NoFacts, Question
from sqe.policy.expressions import for_person, plain
from sqe.policy.masks import stronger
from sqe.policy.names import parts_of
from sqe.policy.opa.rules import (
    ALLOW,
    BATCH,
    BATCH_COLUMN_MASKS,
    COLUMN_MASK,
    ROW_FILTERS,
    UNDEFINED,
    Asked,
    Rules,
)
from sqe.version import __version__

# action → Trino's operations, all of which must be allowed. Reading a table is asked for column by column.
OPERATIONS: dict[str, tuple[str, ...]] = {
    "insert": ("InsertIntoTable",),
    "update": ("UpdateTableColumns",),
    "delete": ("DeleteFromTable",),
    "create": ("CreateTable",),
    "alter": ("AddColumn", "AlterColumn", "DropColumn", "RenameColumn", "SetTableProperties"),
    "drop": ("DropTable",),
    "maintain": ("ExecuteTableProcedure",),
}

SCHEMA_OPERATIONS: dict[str, tuple[str, ...]] = {
    SELECT: ("FilterSchemas",),
    "create": ("CreateSchema",),
    "alter": ("RenameSchema",),
    "drop": ("DropSchema",),
}

Value = Callable[[], Any]


class OpaEngine(Engine):
    name = "opa"
    most_tables = 20  # some requests for each

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    def version(self) -> str:
        return self._rules.version()

    def close(self) -> None:
        self._rules.close()

    def decide(self, question: Question) -> Sequence[TablePolicy]:
        try:
            question.need_columns(question.tables)
            columns = {table: question.columns(table) for table in question.tables}
        except NoFacts:
            return [denied(table, "the columns are not known, and OPA is asked for each of them") for table in question.tables]
        round_ = _Round(self._rules, question.identity)
        tables = [_Table(round_, table, columns[table]) for table in question.tables if len(parts_of(table)) > 2]
        schemas = [table for table in question.tables if len(parts_of(table)) == 2]
        on_tables = round_.actions(OPERATIONS, [table.resource() for table in tables])
        on_schemas = round_.actions(SCHEMA_OPERATIONS, [_schema_resource(schema) for schema in schemas])
        round_.go()
        answers = {table.table: table.answer(actions) for table, actions in zip(tables, on_tables(), strict=True)}
        for schema, actions in zip(schemas, on_schemas(), strict=True):
            answers[schema] = TablePolicy(schema, frozenset(actions), None, {}, frozenset(), "OPA")
        return [answers.get(table) or denied(table, "only schemas and tables have rights") for table in question.tables]


class _Round:
    """Collects questions, asks them together, and hands the answers back to whoever wanted them."""

    def __init__(self, rules: Rules, identity: Identity) -> None:
        self.rules = rules
        self._context = {
            "identity": {"user": identity.user, "groups": sorted(identity.groups), "roles": sorted(identity.roles)},
            "softwareStack": {"trinoVersion": f"sqe-{__version__}"},
        }
        self._asked: list[Asked] = []
        self._values: list[Any] = []

    def ask(self, rule: str, action: dict[str, Any]) -> Value:
        self._asked.append(Asked(rule, {"context": self._context, "action": action}))
        number = len(self._asked) - 1
        return lambda: self._values[number]

    def go(self) -> None:
        self._values = self.rules.ask(self._asked)

    def allowed(self, operation: str, resources: Sequence[dict[str, Any]]) -> Callable[[], list[bool]]:
        """Whether an operation is allowed on each of the resources: one question with the batched rule, else one for each."""
        if not resources:
            return list
        if self.rules.has(BATCH):
            value = self.ask(BATCH, {"operation": operation, "filterResources": list(resources)})
            return lambda: _chosen(value(), len(resources))
        values = [self.ask(ALLOW, {"operation": operation, "resource": resource}) for resource in resources]
        return lambda: [_yes(value()) for value in values]

    def actions(
        self, operations: dict[str, tuple[str, ...]], resources: Sequence[dict[str, Any]]
    ) -> Callable[[], list[set[str]]]:
        """What is allowed on each of the resources."""
        asked = {action: [self.allowed(each, resources) for each in needed] for action, needed in operations.items()}
        return lambda: [
            {action for action, values in asked.items() if all(value()[index] for value in values)}
            for index in range(len(resources))
        ]


def _schema_resource(schema: str) -> dict[str, Any]:
    catalog, name = parts_of(schema)
    return {"schema": {"catalogName": catalog, "schemaName": name}}


class _Table:
    """All questions about one table. They are asked when this is made, and answered after the round."""

    def __init__(self, round_: _Round, table: str, columns: Columns | None) -> None:
        self.table = table
        self.columns = columns or ()
        self._round = round_
        catalog, *schema, name = parts_of(table)
        self._names = {"catalogName": catalog, "schemaName": ".".join(schema), "tableName": name}
        single = [self.resource([column.name]) for column in self.columns]
        self._selectable = round_.allowed("SelectFromColumns", single or [self.resource()])
        self._visible = self._filter_columns(single)
        self._filters = round_.ask(ROW_FILTERS, self._about("GetRowFilters")) if round_.rules.has(ROW_FILTERS) else None
        self._masks = self._ask_for_masks()

    def resource(self, columns: Sequence[str] | None = None) -> dict[str, Any]:
        return {"table": {**self._names, "columns": list(columns)} if columns is not None else self._names}

    def answer(self, actions: set[str]) -> TablePolicy:
        selectable, visible = self._selectable(), self._visible()
        seen = (
            [column.name for column, *each in zip(self.columns, selectable, visible, strict=True) if all(each)]
            if self.columns
            else []
        )
        readable = bool(seen) if self.columns else selectable[0]
        hidden = frozenset(column.name for column in self.columns) - set(seen) if readable else frozenset()
        allowed = frozenset(actions | ({SELECT} if readable else set()))
        if not allowed:
            return denied(self.table, "OPA allows nothing")
        masks = {name: mask for name, mask in self._all_masks().items() if name not in hidden}
        return TablePolicy(self.table, allowed, self._row_filter(), masks, hidden, "OPA")

    def _about(self, operation: str) -> dict[str, Any]:
        return {"operation": operation, "resource": self.resource()}

    def _filter_columns(self, single: Sequence[dict[str, Any]]) -> Callable[[], list[bool]]:
        """Batched, it is one table with all its columns, and the answer counts these."""
        if not single or not self._round.rules.has(BATCH):
            return self._round.allowed("FilterColumns", single)
        every = self.resource([column.name for column in self.columns])
        value = self._round.ask(BATCH, {"operation": "FilterColumns", "filterResources": [every]})
        return lambda: _chosen(value(), len(self.columns))

    def _ask_for_masks(self) -> list[Value]:
        resources = [
            {"column": {**self._names, "columnName": column.name, "columnType": column.type.lower()}} for column in self.columns
        ]
        if not resources:
            return []
        if self._round.rules.has(BATCH_COLUMN_MASKS):
            return [self._round.ask(BATCH_COLUMN_MASKS, {"operation": "GetColumnMask", "filterResources": resources})]
        if not self._round.rules.has(COLUMN_MASK):
            return []
        return [self._round.ask(COLUMN_MASK, {"operation": "GetColumnMask", "resource": resource}) for resource in resources]

    def _all_masks(self) -> dict[str, str]:
        masks: dict[str, str] = {}
        if self._round.rules.has(BATCH_COLUMN_MASKS):
            for value in self._masks:
                for item in _list(value()):
                    name = self.columns[_index(item.get("index") if isinstance(item, dict) else None, len(self.columns))].name
                    mask = _expression(item.get("viewExpression"))
                    masks[name] = stronger(masks[name], mask) if name in masks else mask
            return masks
        for column, value in zip(self.columns, self._masks, strict=False):
            if value() is not UNDEFINED and value() is not None:
                masks[column.name] = _expression(value())
        return masks

    def _row_filter(self) -> str | None:
        found: str | None = None
        for item in _list(self._filters()) if self._filters is not None else ():
            found = both(found, _expression(item))
        return found


# Anything that is not what the contract says is no answer: everything is denied.


def _yes(value: Any) -> bool:
    if value is UNDEFINED or value is None:
        return False
    if not isinstance(value, bool):
        raise ValueError("allow is neither true nor false")
    return value


def _chosen(value: Any, count: int) -> list[bool]:
    """The batched rule lists the numbers of what is allowed; null and nothing mean none."""
    numbers = [] if value is None or value is UNDEFINED else _list(value)
    chosen = {_index(number, count) for number in numbers}
    return [index in chosen for index in range(count)]


def _index(value: Any, count: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
        raise ValueError("an answer counts resources that were not asked for")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("a rule that should answer a list does not")
    return value


def _expression(value: Any) -> str:
    """`{"expression": …}`. With an `identity` it is meant as that user would evaluate it."""
    text = value.get("expression") if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise ValueError("a filter or a mask has no expression")
    as_user = value.get("identity")
    if as_user is None:
        return plain(text)
    if not isinstance(as_user, str):
        raise ValueError("the identity of an expression is no name")
    return for_person(plain(text), Identity(as_user))


def opa_engine(settings: PolicySettings) -> OpaEngine:
    if settings.opa_bundle is not None:
        from sqe.policy.opa.rego import RegoRules

        return OpaEngine(RegoRules(settings.opa_bundle, settings.opa_package))
    from sqe.policy.opa.http import HttpRules

    urls = {
        ALLOW: settings.opa_url,
        ROW_FILTERS: settings.opa_row_filters_url,
        COLUMN_MASK: settings.opa_column_masks_url,
        BATCH: settings.opa_batch_url,
        BATCH_COLUMN_MASKS: settings.opa_batch_column_masks_url,
    }
    return OpaEngine(HttpRules({rule: url for rule, url in urls.items() if url}, settings.opa_token, settings.timeout))
