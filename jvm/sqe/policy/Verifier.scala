package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, LookupCatalog}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.sqe.{Failure, LakeCatalog}
import org.apache.spark.sql.sqe.files.FileReader

/**
 * The last look at an analyzed plan, before anything of it runs. Trusts no rule that came before: every node is on a list,
 * every table is secured or unrestricted, every change is guarded. What is not known is refused.
 */
final case class Verifier(spark: SparkSession) extends (LogicalPlan => Unit) with LookupCatalog {
  override protected lazy val catalogManager: CatalogManager = spark.sessionState.catalogManager

  override def apply(plan: LogicalPlan): Unit = SessionPolicy.binding(spark).foreach { policy =>
    val restricted = plan.collectWithSubqueries { case secured: SecuredRelation => secured }.nonEmpty
    new Check(policy, restricted).node(plan, None)
  }

  private final class Check(policy: SessionPolicy, restricted: Boolean) {
    /** `changed`: the table of an enclosing change whose guard was found; it reads that table itself. */
    def node(plan: LogicalPlan, changed: Option[String]): Unit = {
      val inside = plan match {
        case SecuredRelation(rows, table, _) => secured(rows, table); return
        case _: ServerRows => return
        case LogicalRelation(files: HadoopFsRelation, _, _, _, _) if FileReader.made(files) => return // [[files.readers]] decides
        case change: RowLevelWrite => Some(guarded(change, TableName.of(change.originalTable.asInstanceOf[DataSourceV2Relation])))
        case delete @ DeleteFromTable(relation, _) => Some(guarded(delete, tableOf(relation)))
        case write: V2WriteCommand => Some(writes(write)).filter(guards(write).contains).orElse(changed) // a MERGE that only inserts
        case relation: DataSourceV2Relation if relation.catalog.exists(_.isInstanceOf[DefinerCatalog]) => return
        case relation: DataSourceV2Relation => reads(relation, changed); changed
        case scan: DataSourceV2ScanRelation => node(scan.relation, changed); return // a recursive query comes again, optimized
        case TruncateTable(table: ResolvedTable) =>
          policy.decision(TableName.of(table.catalog, table.identifier, table.table)).requireWhole("delete"); changed
        case other if Verifier.namedTable(other).isDefined => altered(Verifier.namedTable(other).get); changed
        case other if Verifier.isKnown(other) => changed
        case other => refuse(other)
      }
      plan.expressions.foreach(_.foreach(expression(_, inside)))
      plan.children.foreach(node(_, inside))
    }

    private def refuse(plan: LogicalPlan): Nothing =
      throw new Failure.Refused(s"This is not available to users with a policy (${plan.nodeName})")

    private def expression(part: Expression, changed: Option[String]): Unit = part match {
      case sub: SubqueryExpression => node(sub.plan, changed)
      case function if Functions.isRefused(function) || (restricted && Functions.tellsOfFiles(function)) =>
        throw new Failure.Refused(s"The function ${function.prettyName} is not available")
      case _ =>
    }

    /** The table itself below its filter and masks; a view's body is looked through. */
    private def secured(rows: LogicalPlan, table: String): Unit = rows match {
      case Filter(_, child) => secured(child, table)
      case Project(_, child) => secured(child, table)
      case SecuredRelation(child, same, _) if same == table => secured(child, table)
      case relation: DataSourceV2Relation if TableName.of(relation) == table =>
      case scan: DataSourceV2ScanRelation => secured(scan.relation, table)
      case body => node(body, None)
    }

    private def reads(relation: DataSourceV2Relation, changed: Option[String]): Unit = if (!TableName.isServers(relation.table)) {
      val decision = policy.decision(TableName.of(relation))
      decision.require("select")
      if (decision.restricted && !changed.contains(decision.table)) refuse(relation)
    }

    private def guarded(change: LogicalPlan, table: String): String = {
      if (policy.decision(table).restricted && !guards(change).contains(table)) refuse(change)
      table
    }

    private def guards(change: LogicalPlan): Seq[String] =
      change.collect { case part => part.expressions.flatMap(_.collect { case guard: PolicyGuard => guard.table }) }.flatten

    private def tableOf(plan: LogicalPlan): String = plan match {
      case alias: SubqueryAlias => tableOf(alias.child)
      case relation: DataSourceV2Relation => TableName.of(relation)
      case other => refuse(other)
    }

    private def writes(write: V2WriteCommand): String = {
      val decision = policy.decision(tableOf(write.table))
      write match {
        case append: AppendData =>
          if (!decision.allows("create")) decision.require("insert") // CREATE TABLE AS fills its table by one
          if (decision.rowFilter.isDefined && !Inserts.isChecked(append.query)) refuse(write)
        case _ =>
          decision.requireWhole("insert")
          decision.require("delete")
      }
      decision.table
    }

    private def altered(name: Seq[String]): Unit = name match {
      case CatalogAndIdentifier(catalog: LakeCatalog, identifier) =>
        policy.decision(TableName.of(catalog, identifier, catalog.loadTable(identifier))).requireWhole("alter")
      case _ => throw new Failure.Refused("Tables outside the configured catalogs are not available")
    }
  }
}

object Verifier {
  def isKnown(plan: LogicalPlan): Boolean = known(plan.nodeName)

  /** Iceberg's statements that change a table without Spark's catalog: the name is all they have. */
  def namedTable(plan: LogicalPlan): Option[Seq[String]] = plan match {
    case add: AddPartitionField => Some(add.table)
    case drop: DropPartitionField => Some(drop.table)
    case replace: ReplacePartitionField => Some(replace.table)
    case set: SetIdentifierFields => Some(set.table)
    case drop: DropIdentifierFields => Some(drop.table)
    case order: SetWriteDistributionAndOrdering => Some(order.table)
    case branch: CreateOrReplaceBranch => Some(branch.table)
    case tag: CreateOrReplaceTag => Some(tag.table)
    case branch: DropBranch => Some(branch.table)
    case tag: DropTag => Some(tag.table)
    case _ => None
  }

  private def words(text: String): Set[String] = text.split("\\s+").filter(_.nonEmpty).toSet

  // What they show or change is guarded by the catalog (CatalogGuard) or above.
  private val commands = words("""
    InsertIntoStatement AppendData OverwriteByExpression OverwritePartitionsDynamic DeleteFromTable UpdateTable MergeIntoTable
    ReplaceData WriteDelta TruncateTable SecuredExplain DescribeQueryCommand CommandResult Call NoopCommand
    ShowTables ShowViews ShowIcebergViews ShowNamespaces ShowNamespacesCommand ShowColumns ShowCreateTable ShowFunctions ShowPartitions
    ShowTableProperties ShowCurrentNamespaceCommand ShowProceduresCommand ShowCatalogsCommand ShowFunctionsCommand
    DescribeRelation DescribeColumn DescribeNamespace DescribeFunction DescribeFunctionCommand DescribeProcedureCommand
    DescribeTableCommand
    CreateTable CreateTableAsSelect ReplaceTable ReplaceTableAsSelect CreateTableLikeCommand CreateView CreateIcebergView
    CreateViewCommand CreateNamespace DropTable DropView DropIcebergView DropTempViewCommand DropNamespace RenameTable
    AddColumns AlterColumns DropColumns RenameColumn ReplaceColumns SetTableProperties UnsetTableProperties SetTableLocation
    SetViewProperties UnsetViewProperties SetNamespaceProperties UnsetNamespacePropertiesCommand CommentOnTable
    CommentOnNamespace AddCheckConstraint AddConstraint DropConstraint AlterTableClusterBy RefreshTable
    SetCatalogAndNamespace SetNamespaceCommand SetCatalogCommand CreateVariable SetVariable DropVariable
    AddPartitionField DropPartitionField ReplacePartitionField SetIdentifierFields DropIdentifierFields
    SetWriteDistributionAndOrdering CreateOrReplaceBranch CreateOrReplaceTag DropBranch DropTag
  """)

  private val nodes = words("""
    Project Filter Join LateralJoin Aggregate Sort Union Except Intersect Distinct GlobalLimit LocalLimit LimitAll Offset Tail Window
    WithWindowDefinition Generate Expand SubqueryAlias View WithCTE CTERelationDef Sample Pivot Unpivot Repartition
    RepartitionByExpression RebalancePartitions ResolvedHint DeserializeToObject SerializeFromObject MapPartitions MergeRows
    UnionLoop PipeOperator AsOfJoin Deduplicate Subquery Transpose
    SecuredRelation ServerRows
  """)

  private val leaves = words("""
    OneRowRelation LocalRelation ResolvedInlineTable Range CTERelationRef UnionLoopRef ExplainedTable ResolvedIdentifier
    ResolvedNamespace ResolvedTable ResolvedV2View ResolvedTempView ResolvedProcedure ResolvedNonPersistentFunc ResolvedPersistentFunc VariableReference
  """)

  private val known = commands ++ nodes ++ leaves
}
