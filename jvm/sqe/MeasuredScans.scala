package org.apache.spark.sql.sqe

import org.apache.iceberg.spark.source.ScanStatistics
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RowLevelWrite, Statistics}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{EXISTS_SUBQUERY, IN_SUBQUERY, JOIN}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2._

/**
 * Statistics for Spark's estimates. Iceberg's scans tell distinct values alone, while Spark's estimates of joins want nulls, too, and
 * those of filters bounds. They come with the scans, which Spark makes right after the last rules that can be added, and right before
 * it orders joins by them: so the scans are made here, by Spark's own rules, which find nothing left to do afterwards.
 *
 * Only where there is something to choose: a statement without joins does not pay for it.
 */
object MeasuredScans extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.cboEnabled || !plan.containsAnyPattern(JOIN, IN_SUBQUERY, EXISTS_SUBQUERY)) plan
    else if (plan.exists(_.isInstanceOf[RowLevelWrite])) plan // UPDATE and its like have scans of their own
    else V2ScanPartitioningAndOrdering(V2ScanRelationPushDown(plan).transformDown {
      case scan: DataSourceV2ScanRelation => ScanStatistics.of(scan).fold[LogicalPlan](scan)(MeasuredScan.of(scan, _))
    })
}

/**
 * A scan of which more is known than it tells itself. For everybody else it is the same scan, of the same name and canonical form. Not
 * equal to it, though: Spark keeps the old one of two nodes that are.
 */
final class MeasuredScan(
    relation: DataSourceV2Relation,
    scan: Scan,
    output: Seq[AttributeReference],
    keyGroupedPartitioning: Option[Seq[Expression]],
    ordering: Option[Seq[SortOrder]],
    measured: Statistics) extends DataSourceV2ScanRelation(relation, scan, output, keyGroupedPartitioning, ordering) {
  override def computeStats(): Statistics = measured

  override def canEqual(other: Any): Boolean = other.isInstanceOf[MeasuredScan]

  override def equals(other: Any): Boolean = canEqual(other) && super.equals(other)

  override def hashCode: Int = super.hashCode

  override def doCanonicalize(): DataSourceV2ScanRelation =
    DataSourceV2ScanRelation(relation, scan, output, keyGroupedPartitioning, ordering).doCanonicalize()

  override def copy(
      relation: DataSourceV2Relation,
      scan: Scan,
      output: Seq[AttributeReference],
      keyGroupedPartitioning: Option[Seq[Expression]],
      ordering: Option[Seq[SortOrder]]): DataSourceV2ScanRelation =
    if (scan ne this.scan) super.copy(relation, scan, output, keyGroupedPartitioning, ordering)
    else new MeasuredScan(relation, scan, output, keyGroupedPartitioning, ordering, measured)

  override protected def otherCopyArgs: Seq[AnyRef] = Seq(measured)
}

object MeasuredScan {
  def of(scan: DataSourceV2ScanRelation, measured: Statistics): MeasuredScan =
    new MeasuredScan(scan.relation, scan.scan, scan.output, scan.keyGroupedPartitioning, scan.ordering, measured)
}
