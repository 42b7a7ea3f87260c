package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.policy.SecuredRelation

/**
 * What the kernel could run and Spark keeps, because it is faster there; docs/native.md has the measurements.
 *
 * | left to Spark | because |
 * |---|---|
 * | one row of aggregates over one scan that Iceberg's reader decodes | Spark's generated loop looks at the same columns, without a copy of each |
 * | one row of aggregates over local rows that are not few | as above |
 */
object Worth {
  /** `given`: whether somebody else makes columns for it. */
  def check(plan: LogicalPlan, given: Boolean): Unit =
    if (given && isOneRow(plan)) Refused("one row of columns that the kernel would be given, which Spark makes faster")

  private def isOneRow(plan: LogicalPlan): Boolean = plan match {
    case Project(_, child) => isOneRow(child)
    case aggregate: Aggregate => aggregate.groupingExpressions.isEmpty && isScan(aggregate.child) && !aggregate.aggregateExpressions.exists(_.exists {
      case function: AggregateExpression => function.isDistinct // which Spark shuffles
      case _ => false
    })
    case _ => false
  }

  private def isScan(plan: LogicalPlan): Boolean = plan match {
    case Project(_, child) => isScan(child)
    case Filter(_, child) => isScan(child)
    case secured: SecuredRelation => isScan(secured.child)
    case _: DataSourceV2ScanRelation | _: LocalRelation => true
    case _ => false
  }
}
