package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.execution.{InputAdapter, ProjectExec, SparkPlan, UnionExec, WholeStageCodegenExec}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanExecBase

/** How much of a query the kernel runs, as its physical plan says: for metrics and EXPLAIN. */
object NativeShare {
  sealed abstract class Share(val label: String)
  /** But for projections, and fragments that stand side by side. */
  case object Whole extends Share("whole")
  case object Part extends Share("part")
  case object Nothing extends Share("none")

  val all: Seq[Share] = Seq(Whole, Part, Nothing)

  /** Nothing of a query that reads no table. */
  def of(plan: SparkPlan): Option[Share] = {
    val scans = nodes(plan).exists(_.isInstanceOf[DataSourceV2ScanExecBase])
    if (fragments(plan).isEmpty) Option.when(scans)(Nothing) else Some(if (!scans && nodes(plan).forall(onlyPasses)) Whole else Part)
  }

  def fragments(plan: SparkPlan): Seq[NativeFragment] = nodes(plan).collect { case native: NativeFragment => native }

  private def onlyPasses(node: SparkPlan): Boolean = node match {
    case _: NativeFragment | _: AdaptiveSparkPlanExec | _: WholeStageCodegenExec | _: InputAdapter | _: ProjectExec | _: UnionExec => true
    case other => other.isInstanceOf[org.apache.spark.sql.execution.ColumnarToRowTransition]
  }

  private def nodes(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case adaptive: AdaptiveSparkPlanExec => nodes(adaptive.executedPlan)
    case other => other +: (other.children ++ other.subqueries).flatMap(nodes)
  }
}
