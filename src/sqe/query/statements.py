"""What class a statement is, decided by Spark's parsed plan: the nodes below are allowed, everything else is refused.

Never by text: comments, CTEs, hints and EXPLAIN would fool it. And by allow-list: CALL, EXECUTE IMMEDIATE and scripts run
during analysis, TRANSFORM runs programs, CACHE TABLE shares rows between users. A node that a new Spark brings is refused
until somebody has thought about it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum

from sqe import errors
from sqe.errors import SqeError


class StatementClass(Enum):
    QUERY = "query"
    SHOW = "show"
    DESCRIBE = "describe"
    EXPLAIN = "explain"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    MERGE = "merge"
    DDL = "ddl"
    SET = "set"
    USE = "use"
    CALL = "call"
    KILL = "kill"
    INGEST = "ingest"
    COPY = "copy"
    UNKNOWN = "unknown"

    @property
    def is_dml(self) -> bool:
        return self in (
            StatementClass.INSERT,
            StatementClass.UPDATE,
            StatementClass.DELETE,
            StatementClass.MERGE,
            StatementClass.INGEST,
        )

    @property
    def returns_rows(self) -> bool:
        return self in _WITH_ROWS


_WITH_ROWS = {StatementClass.QUERY, StatementClass.SHOW, StatementClass.DESCRIBE, StatementClass.EXPLAIN, StatementClass.CALL}


def _table(**classes: str) -> dict[str, StatementClass]:
    return {node: StatementClass[name] for name, nodes in classes.items() for node in nodes.split()}


# Roots of commands, by the class of the parsed node.
COMMANDS: Mapping[str, StatementClass] = _table(
    SHOW="""
        ShowTables ShowTablesExtended ShowTablePartition ShowViews ShowIcebergViews ShowNamespaces ShowNamespacesCommand
        ShowColumns ShowCreateTable ShowFunctions ShowPartitions ShowTableProperties ShowCatalogsCommand
        ShowCurrentNamespaceCommand ShowProceduresCommand ShowTablesCommand ShowViewsCommand
    """,
    DESCRIBE="""
        DescribeRelation DescribeColumn DescribeNamespace DescribeFunction DescribeQueryCommand DescribeProcedureCommand
    """,
    EXPLAIN="ExplainCommand",
    INSERT="InsertIntoStatement OverwriteByExpression AppendData OverwritePartitionsDynamic",
    UPDATE="UpdateTable",
    DELETE="DeleteFromTable TruncateTable TruncatePartition",
    MERGE="MergeIntoTable",
    DDL="""
        CreateTable CreateTableAsSelect ReplaceTable ReplaceTableAsSelect CreateTableLikeCommand CreateTableLike
        CreateView CreateIcebergView CreateViewCommand CreateNamespace DropTable DropView DropIcebergView DropNamespace
        RenameTable AddColumns AlterColumns AlterViewAs DropColumns RenameColumn ReplaceColumns SetTableProperties
        UnsetTableProperties SetTableLocation SetViewProperties UnsetViewProperties SetNamespaceProperties
        UnsetNamespacePropertiesCommand CommentOnTable CommentOnNamespace AddCheckConstraint AddConstraint
        DropConstraint AlterTableClusterBy RefreshTable AddPartitionField DropPartitionField ReplacePartitionField
        SetIdentifierFields DropIdentifierFields SetWriteDistributionAndOrdering CreateOrReplaceBranch
        CreateOrReplaceTag DropBranch DropTag
    """,
    USE="SetCatalogAndNamespace SetNamespaceCommand SetCatalogCommand",
    SET="SetCommand ResetCommand CreateVariable SetVariable DropVariable",
    CALL="Call",
)

# Nodes of a query, and those that hang below a command.
INNER: frozenset[str] = frozenset(
    """
    Project Aggregate Sort Filter Distinct Union Except Intersect Join LateralJoin AsOfJoin GlobalLimit LocalLimit Limit
    LimitAll Offset Tail SubqueryAlias LocalRelation OneRowRelation Generate Pivot Unpivot Sample Window
    WithWindowDefinition RepartitionByExpression Repartition RebalancePartitions UnresolvedWith UnresolvedHint
    UnresolvedRelation UnresolvedInlineTable UnresolvedTableValuedFunction UnresolvedTVFAliases
    UnresolvedSubqueryColumnAliases UnresolvedHaving UnresolvedIdentifier ResolvedIdentifier UnresolvedTable UnresolvedView
    UnresolvedTableOrView UnresolvedNamespace ResolvedNamespace CurrentNamespace UnresolvedFunctionName UnresolvedFunction
    UnresolvedProcedure RelationTimeTravel PlanWithUnresolvedIdentifier UnresolvedPartitionSpec UnresolvedOptionsRelation
    Deduplicate UnionLoop Range CTERelationDef CTERelationRef WithCTE UnresolvedTranspose Transpose PipeOperator
    ResolvedV2View DefaultValueExpression
    """.split()
)

# Analysing these runs nothing; the others' schema is known only once they ran.
ANALYSABLE = {
    StatementClass.QUERY,
    StatementClass.SHOW,
    StatementClass.DESCRIBE,
    StatementClass.EXPLAIN,
    StatementClass.INSERT,
    StatementClass.UPDATE,
    StatementClass.DELETE,
    StatementClass.MERGE,
}


def classify(root: str, nodes: Sequence[str]) -> StatementClass:
    """The class of a parsed statement: of its root, and if all `nodes` below it are on the lists."""
    unknown = [node for node in (root, *nodes) if node not in INNER and node not in COMMANDS]
    if unknown:
        raise SqeError(errors.NOT_SUPPORTED, f"This kind of statement is not available ({_words(unknown[0])})")
    inside = [node for node in nodes if node in COMMANDS]
    if inside:
        raise SqeError(errors.NOT_SUPPORTED, f"A statement inside another one is not available ({_words(inside[0])})")
    return COMMANDS.get(root, StatementClass.QUERY)


def _words(node: str) -> str:
    """`CacheTableAsSelect` → `cache table as select`: readable, and not a Spark class name."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", node)
    spaced = " ".join(word if len(word) > 1 and word.isupper() else word.lower() for word in words)
    return spaced.removeprefix("unresolved ").removesuffix(" command").removesuffix(" statement")
