package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.logical.views.ResolvedV2View
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.View
import org.apache.spark.sql.sqe.policy.ShownViews
import org.apache.spark.sql.types.StructField
import org.apache.spark.unsafe.types.UTF8String

/** `SHOW COLUMNS IN view` and `DESCRIBE view column`, which Spark 4.1 with Iceberg 1.12 knows for tables only. */
final case class ViewColumns(spark: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case ShowColumns(ShownByName(view), _, output) => rows(output, view.schema.fieldNames.toSeq.map(Seq(_)))
    case describe @ DescribeColumn(ShownByName(view), UnresolvedAttribute(Seq(name)), _, output) =>
      view.schema.find(column => spark.sessionState.conf.resolver(column.name, name)).fold[LogicalPlan](describe) { column =>
        rows(output, described(column))
      }
    case other => other
  }

  private def described(column: StructField): Seq[Seq[String]] = Seq(
    Seq("col_name", column.name),
    Seq("data_type", column.dataType.catalogString),
    Seq("comment", column.getComment.getOrElse("NULL")))

  private def rows(output: Seq[Attribute], values: Seq[Seq[String]]): LogicalPlan =
    LocalRelation(output, values.map(row => InternalRow.fromSeq(row.map(UTF8String.fromString))))

  /** As this session may know it: without the columns that are hidden from it. */
  private object ShownByName {
    def unapply(plan: LogicalPlan): Option[View] = plan match {
      case ResolvedV2View(lake: LakeCatalog, name) => Some(ShownViews.of(lake, spark, name))
      case ResolvedV2View(shown: ShownViews, name) => Some(shown.loadView(name))
      case _ => None
    }
  }
}
