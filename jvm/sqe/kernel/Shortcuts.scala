package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Shortcuts of the kernel's optimizer that may compute an expression for fewer rows than Spark does. Where it can fail, that row's
 * error would be missing; so a fragment with something that can fail does without those of its place.
 *
 * | shortcut | what would be missing |
 * |---|---|
 * | `sum(i + 1)` as `sum(i) + count(i)`; casts moved into the scan; `ORDER BY i, i - 6` as `ORDER BY i` | an overflow of `i + 1`, of the cast, or of `i - 6` |
 * | joins that leave out rows of a scan, or compute after the join, or do nothing where one side is known to be empty | what fails for rows without a partner |
 * | ORDER BY with LIMIT or OFFSET that leaves out rows of a scan, or computes afterwards | what fails for the other rows |
 */
object Shortcuts {
  private val everywhere = Seq("aggregate_function_rewriter", "scalar_fn_pushdown", "type_pushdown", "redundant_order_keys")
  private val belowJoins = Seq("join_filter_pushdown", "join_elimination", "projection_pullup", "projection_placement", "partial_aggregate_pushdown", "empty_result_pullup")
  private val belowLimits = Seq("top_n", "late_materialization", "limit_pushdown", "row_group_pruner", "projection_pullup", "projection_placement")

  def closed(plan: LogicalPlan): Seq[String] = if (!fails(plan)) Nil else {
    // The keys of a join are computed below it, too.
    val joins = failsInJoins(plan)
    val limits = plan.collectWithSubqueries { case limit @ (_: GlobalLimit | _: LocalLimit | _: Offset) => limit }.exists(_.children.exists(fails))
    (everywhere ++ (if (joins) belowJoins else Nil) ++ (if (limits) belowLimits else Nil)).distinct
  }

  def failsInJoins(plan: LogicalPlan): Boolean = plan.collectWithSubqueries { case join: Join => join }.exists(fails)

  def fails(plan: LogicalPlan): Boolean =
    plan.collectWithSubqueries { case node => node }.exists(_.expressions.exists(_.exists(MayFail.onSpark)))
}
