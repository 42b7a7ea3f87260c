package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{ExplodeBase, Expression, Generator, Inline, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Generate, LocalRelation, LogicalPlan, OneRowRelation}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.ArrayData

/**
 * `SELECT 1` without a job. Spark computes a projection over local rows while it optimizes, but leaves the relation of a
 * SELECT without FROM to a task; as the one local row that it is, it is computed in place too. So is `UNNEST` of a short
 * constant array beside local rows: as a job each such statement compiles a class of its own. It runs after Spark's rules
 * that look for `OneRowRelation` and before the batch that evaluates local rows.
 */
object OneRowIsLocal extends Rule[LogicalPlan] {
  private val fewRows = 1000

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case _: OneRowRelation => LocalRelation(Nil, Seq(InternalRow.empty))
    case generate @ Generate(Items(items), _, false, _, _, local: LocalRelation)
        if !local.isStreaming && items.length.toLong * local.data.length <= fewRows =>
      val kept = generate.requiredChildOutput.map(column => local.output.indexWhere(_.exprId == column.exprId))
      val types = local.output.map(_.dataType)
      val made = generate.generatorOutput.map(_.dataType)
      val rows = for (row <- local.data; item <- items)
        yield InternalRow.fromSeq(kept.map(at => row.get(at, types(at))) ++ item.toSeq(made))
      LocalRelation(generate.output, rows)
  }

  /** The rows that a generator makes of a constant, which Spark has computed already. */
  private object Items {
    def unapply(generator: Generator): Option[Seq[InternalRow]] = generator match {
      case each: ExplodeBase if few(each.child) => Some(each.eval(InternalRow.empty).iterator.toSeq)
      case each: Inline if few(each.child) => Some(each.eval(InternalRow.empty).iterator.toSeq)
      case _ => None
    }

    private def few(constant: Expression): Boolean = constant match {
      case Literal(array: ArrayData, _) => array.numElements <= fewRows
      case _ => false
    }
  }
}
