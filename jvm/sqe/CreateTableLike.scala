package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, CatalogV2Util, LookupCatalog}
import org.apache.spark.sql.connector.catalog.CatalogV2Implicits._
import org.apache.spark.sql.execution.command.CreateTableLikeCommand
import org.apache.spark.sql.sqe.policy.{SessionPolicy, TableName, VisibleTable}

/**
 * `CREATE TABLE a LIKE b`: the columns and partitions of b, without its rows, in the configured catalogs. Spark 4.1 does this
 * only in its own catalog; a Spark that does it for all of them makes this rule needless.
 */
final case class CreateTableLike(spark: SparkSession) extends Rule[LogicalPlan] with LookupCatalog {
  override protected lazy val catalogManager: CatalogManager = spark.sessionState.catalogManager

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case like: CreateTableLikeCommand =>
      val CatalogAndIdentifier(catalog, source) = parts(like.sourceTable)
      val found = catalog.asTableCatalog.loadTable(source)
      val table = SessionPolicy.binding(spark).fold(found) { policy =>
        val decision = policy.decision(TableName.of(catalog, source, found))
        decision.require("select")
        VisibleTable(found, decision)
      }
      val columns = CatalogV2Util.v2ColumnsToStructType(table.columns).map(ColumnDefinition.fromV1Column(_, spark.sessionState.sqlParser))
      CreateTable(UnresolvedIdentifier(parts(like.targetTable)), columns, table.partitioning.toSeq, spec(like), like.ifNotExists)
    case other => other
  }

  private def parts(name: TableIdentifier): Seq[String] = name.catalog.toSeq ++ name.database ++ Seq(name.table)

  private def spec(like: CreateTableLikeCommand): UnresolvedTableSpec = UnresolvedTableSpec(
    properties = like.properties,
    provider = like.provider,
    optionExpression = OptionList(Nil),
    location = like.fileFormat.locationUri.map(_.toString),
    comment = None,
    collation = None,
    serde = None,
    external = false,
    constraints = Nil)
}
