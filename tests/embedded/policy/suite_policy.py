"""The analyst's policy of `bank.analysts_policy`, as it is written for each engine. All of them must answer the suite alike."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bank import VIEWS

FILTER = "region = 'EU'"
MASK = "concat('**', right(iban, 2))"


def as_grants(schemas: Sequence[str]) -> list[str]:
    statements = []
    for schema in schemas:
        statements += [
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.accounts TO ROLE analyst "
            f"ROWS WHERE ({FILTER}) MASKED WITH (iban = {MASK}) HIDING (ssn)",
            f"GRANT ALL ON {schema}.regions TO ROLE analyst",
            *(f"GRANT SELECT ON VIEW {schema}.{view} TO ROLE analyst" for view in VIEWS),
        ]
    return statements


def as_rego(schemas: Sequence[str]) -> str:
    return f"""
package trino

import rego.v1

default allow := false

schemas := {json.dumps(list(schemas))}

views := {json.dumps(list(VIEWS))}

operation := input.action.operation

table := input.action.resource.table

reads := {{"SelectFromColumns", "FilterColumns"}}

writes := {{"InsertIntoTable", "UpdateTableColumns", "DeleteFromTable"}}

analyst if "analyst" in input.context.identity.roles

allow if input.context.identity.user == "root"

allow if {{
	analyst
	table.schemaName in schemas
	table.tableName == "accounts"
	operation in reads | writes
	not hidden
}}

hidden if "ssn" in table.columns

allow if {{
	analyst
	table.schemaName in schemas
	table.tableName == "regions"
}}

allow if {{
	analyst
	table.schemaName in schemas
	table.tableName in views
	operation in reads
}}

rowFilters contains {{"expression": {json.dumps(FILTER)}}} if {{
	analyst
	table.tableName == "accounts"
}}

batch contains i if {{
	some i
	operation != "FilterColumns"
	resource := input.action.filterResources[i]
	allow with input.action.resource as resource
}}

batch contains i if {{
	some i
	operation == "FilterColumns"
	whole := input.action.filterResources[0]
	name := whole.table.columns[i]
	allow with input.action.resource as {{"table": object.union(whole.table, {{"columns": [name]}})}}
}}

batchColumnMasks contains {{"index": i, "viewExpression": {{"expression": {json.dumps(MASK)}}}}} if {{
	some i
	analyst
	column := input.action.filterResources[i].column
	column.tableName == "accounts"
	column.columnName == "iban"
}}
"""


def as_cedar(schemas: Sequence[str]) -> str:
    policies = ['permit (principal == User::"root", action, resource);']
    for schema in schemas:
        accounts = f"lake.{schema}.accounts"
        policies += [
            f'@row_filter("{FILTER}")\npermit (principal in Role::"analyst", action in [Action::"select", Action::"insert", '
            f'Action::"update", Action::"delete"], resource in Table::"{accounts}");',
            f'forbid (principal in Role::"analyst", action == Action::"select", resource == Column::"{accounts}.ssn");',
            f'@mask("{MASK}")\n'
            f'forbid (principal in Role::"analyst", action == Action::"select", resource == Column::"{accounts}.iban");',
            f'permit (principal in Role::"analyst", action, resource in Table::"lake.{schema}.regions");',
            *(
                f'permit (principal in Role::"analyst", action == Action::"select", resource in Table::"lake.{schema}.{view}");'
                for view in VIEWS
            ),
        ]
    return "\n\n".join(policies)
