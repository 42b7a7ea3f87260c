package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, OneRowRelation}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * `SELECT 1` without a job. Spark computes a projection over local rows while it optimizes, but leaves the relation of a
 * SELECT without FROM to a task; as the one local row that it is, it is computed in place too. It runs after Spark's rules
 * that look for `OneRowRelation` and before the batch that evaluates local rows.
 */
object OneRowIsLocal extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case _: OneRowRelation => LocalRelation(Nil, Seq(InternalRow.empty))
  }
}
