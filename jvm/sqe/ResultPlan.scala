package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, NamedExpression}
import org.apache.spark.sql.execution._

/** How the rows of a physical plan leave it. */
sealed abstract class ResultPlan(val shape: String)

/** They are here already: no job. */
final case class LocalRows(rows: Iterator[InternalRow]) extends ResultPlan("local")

/** A small LIMIT: Spark's own take, which reads as few partitions as it can. */
final case class FewRows(plan: SparkPlan) extends ResultPlan("few")

final case class Rows(plan: SparkPlan) extends ResultPlan("rows")

/** The last operator is columnar: its columns leave as they are, at these positions. */
final case class Columns(plan: SparkPlan, ordinals: Array[Int]) extends ResultPlan("columns")

object ResultPlan {
  /** What `executeCollect` may bring to the driver as rows. */
  private val fewRows = 10000

  /** Rows that need no job. */
  def localRows(plan: SparkPlan): Option[Array[InternalRow]] = plan match {
    case local: LocalTableScanExec => Some(local.executeCollect())
    case result: CommandResultExec => Some(result.executeCollect())
    case _: EmptyRelationExec => Some(Array.empty)
    case _ => None
  }

  def of(plan: SparkPlan): ResultPlan = localRows(plan) match {
    case Some(rows) => LocalRows(rows.iterator)
    case None => distributed(plan)
  }

  private def distributed(plan: SparkPlan): ResultPlan = plan match {
    case limit: CollectLimitExec if limit.limit >= 0 && limit.limit + limit.offset <= fewRows => FewRows(limit)
    case top: TakeOrderedAndProjectExec if top.limit <= fewRows => FewRows(top)
    case other => columnar(other).getOrElse(Rows(other))
  }

  /** Undoes what Spark adds on top of a columnar operator to make rows of it: the transition, and renaming projections. */
  private def columnar(plan: SparkPlan): Option[Columns] = plan match {
    case WholeStageCodegenExec(child) => columnar(child)
    case InputAdapter(child) => columnar(child)
    case ColumnarToRowExec(child) => Some(Columns(below(child), child.output.indices.toArray))
    case ProjectExec(list, child) =>
      for (inner <- columnar(child); positions <- ordinals(list, child)) yield Columns(inner.plan, positions.map(inner.ordinals(_)))
    case direct if direct.supportsColumnar && !direct.isInstanceOf[adaptive.AdaptiveSparkPlanExec] =>
      Some(Columns(direct, direct.output.indices.toArray))
    case _ => None
  }

  private def below(plan: SparkPlan): SparkPlan = plan match {
    case InputAdapter(child) => child
    case other => other
  }

  private def ordinals(list: Seq[NamedExpression], child: SparkPlan): Option[Array[Int]] = {
    val ids = child.output.map(_.exprId)
    val found = list.map {
      case attribute: AttributeReference => ids.indexOf(attribute.exprId)
      case Alias(attribute: AttributeReference, _) => ids.indexOf(attribute.exprId)
      case _ => -1
    }
    if (found.contains(-1)) None else Some(found.toArray)
  }
}
