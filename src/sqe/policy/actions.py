"""What can be allowed on a table. The names are those of SQL's privileges, in lower case."""

from __future__ import annotations

SELECT = "select"
OWNERSHIP = "ownership"

# privilege → what it lets a person do
ACTIONS: dict[str, str] = {
    SELECT: "read rows; also what UPDATE, DELETE and MERGE read",
    "insert": "add rows: INSERT, COPY, bulk loads, MERGE's inserts",
    "update": "change rows: UPDATE, MERGE's updates",
    "delete": "remove rows: DELETE, TRUNCATE, INSERT OVERWRITE, MERGE's deletes",
    "create": "on a schema: make tables and views in it; on a catalog: make schemas too",
    "alter": "change columns, properties, partitioning, branches and tags",
    "drop": "drop the table, view or schema",
    "maintain": "run table procedures: compaction, expiry, ANALYZE",
}
ALL = frozenset(ACTIONS)
# What writes rows: allowed only for the rows that the person sees, because a policy has one filter.
WRITES = ("insert", "update", "delete")
