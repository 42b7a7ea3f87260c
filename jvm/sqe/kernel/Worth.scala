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
 * | the first rows in an order of a few pages that Iceberg's reader decodes | as above; Spark needs no shuffle for them, either |
 */
object Worth {
  /** Nothing of such a plan is worth it, either. */
  val reason = "few rows of columns that the kernel would be given, which Spark makes faster"

  /** Whether columns that somebody else makes are worth to be given to the kernel for it; of `few` pages, or of what there is. */
  def givenColumns(plan: LogicalPlan, few: Boolean): Boolean =
    plan.exists(BuildSides.asksAnother) || !isOneRow(plan) && !(few && TopRows.of(plan).exists(top => isScan(top.child)))

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
