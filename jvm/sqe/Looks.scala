package org.apache.spark.sql.sqe

import scala.collection.mutable

import org.apache.iceberg.spark.source.MetadataRows
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, ResolvedNamespace}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogV2Implicits._
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.unsafe.types.UTF8String

/**
 * Statements that only look at what a catalog has, the short way: analysed (where the policy decides) and then asked. As a command
 * they would be optimized, explained for the UI and told to listeners first, which takes longer than what they ask for.
 */
object Looks {
  /** None: the statement is none of them. */
  def rows(spark: SparkSession, analyzed: LogicalPlan): Option[Seq[InternalRow]] = analyzed match {
    case ShowTables(ResolvedNamespace(lake: LakeCatalog, namespace, _), pattern, _) => Some(tables(lake.listTables(namespace.toArray), pattern))
    case _: ShowTables | _: ShowColumns | _: ShowTableProperties | _: ShowCreateTable => Some(asked(spark, analyzed))
    case Project(columns, source) => EliminateSubqueryAliases(source) match {
        case relation: DataSourceV2Relation if columns == relation.output => MetadataRows.of(relation) // SELECT * FROM t.snapshots
        case _ => None
      }
    case describe: DescribeRelation if describe.partitionSpec.isEmpty => Some(asked(spark, analyzed))
    case _ => None
  }

  private def asked(spark: SparkSession, look: LogicalPlan): Seq[InternalRow] =
    QueryExecution.createSparkPlan(spark.sessionState.planner, look.clone()).executeCollect().toSeq

  /** What Spark makes of them one by one: it looks at the pattern anew for each, and takes its rows through an encoder. */
  private def tables(found: Array[Identifier], pattern: Option[String]): Seq[InternalRow] = {
    val wanted = pattern.map(StringUtils.filterPattern(found.toSeq.map(_.name), _).toSet)
    val schemas = mutable.Map.empty[Seq[String], UTF8String]
    found.toSeq.filter(table => wanted.forall(_(table.name))).map { table =>
      val schema = schemas.getOrElseUpdate(table.namespace.toSeq, UTF8String.fromString(table.namespace.quoted))
      InternalRow(schema, UTF8String.fromString(table.name), false)
    }
  }
}
