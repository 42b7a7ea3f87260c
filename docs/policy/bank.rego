# The policy of docs/policy.md for OPA, with Trino's contract.
package trino

import rego.v1

default allow := false

reads := {"SelectFromColumns", "FilterColumns"}

table := input.action.resource.table

role(name) if name in input.context.identity.roles

suspended if "suspended" in input.context.identity.groups

analyst_only if {
	role("analyst")
	not role("fraud")
	not role("auditor")
}

allow if {
	role("analyst")
	not suspended
	input.action.operation in reads
	table.schemaName == "bank"
	table.tableName == "accounts"
	not owner_asked
}

owner_asked if "owner" in table.columns

allow if {
	role("fraud")
	input.action.operation in reads
	table.schemaName == "bank"
	table.tableName in {"accounts", "payments"}
	not suspended
}

allow if {
	role("fraud")
	input.action.operation == "UpdateTableColumns"
	table.schemaName == "bank"
	table.tableName == "accounts"
}

allow if {
	role("auditor")
	input.action.operation in reads
	table.schemaName == "bank"
}

allow if {
	role("auditor")
	input.action.operation == "FilterSchemas"
	input.action.resource.schema.schemaName == "bank"
}

rowFilters contains {"expression": "region = 'EU'"} if {
	analyst_only
	table.tableName == "accounts"
}

columnMask := {"expression": "mask_show_last(4)"} if {
	analyst_only
	input.action.resource.column.tableName == "accounts"
	input.action.resource.column.columnName == "card"
}

batch contains i if {
	some i
	input.action.operation != "FilterColumns"
	resource := input.action.filterResources[i]
	allow with input.action.resource as resource
}

batch contains i if {
	some i
	input.action.operation == "FilterColumns"
	whole := input.action.filterResources[0]
	name := whole.table.columns[i]
	allow with input.action.resource as {"table": object.union(whole.table, {"columns": [name]})}
}

batchColumnMasks contains {"index": i, "viewExpression": {"expression": "mask_show_last(4)"}} if {
	some i
	analyst_only
	column := input.action.filterResources[i].column
	column.tableName == "accounts"
	column.columnName == "card"
}
