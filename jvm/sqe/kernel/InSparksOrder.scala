package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * Conditions of which one can fail. The kernel looks at the parts of an AND in any order, and a row that one part has dropped is
 * never shown to the next: whether a statement fails would be its choice. Inside of CASE it looks at a part only for the rows that the
 * parts before it have left, as Spark does. It may look at more rows than Spark does (then it fails, and Spark answers), never at fewer.
 */
final class InSparksOrder(sql: Expression => String) {
  /** A row is dropped by the first part that is not true. */
  def ofFilter(condition: Expression): String = {
    val (safe, rest) = InSparksOrder.asLookedAt(InSparksOrder.conjuncts(condition)).span(!MayFail.forRow(_))
    if (rest.isEmpty || safe.isEmpty && rest.size == 1) sql(condition)
    else if (safe.isEmpty) oneByOne(rest)
    // The harmless ones stand outside, too, where the kernel's reader can use them to leave out row groups.
    else s"(${all(safe)} AND CASE WHEN ${all(safe)} THEN ${oneByOne(rest)} ELSE FALSE END)"
  }

  private def oneByOne(parts: Seq[Expression]): String = parts match {
    case Seq(last) => sql(last)
    case part +: rest => s"(CASE WHEN ${sql(part)} THEN ${oneByOne(rest)} ELSE FALSE END)"
  }

  /** Keys are computed for every row; pairs of equal ones are looked at for the rest, which is one expression: a part that is NULL does not end it. */
  def ofJoin(condition: Expression, left: LogicalPlan, right: LogicalPlan): String = {
    val (keys, rest) = InSparksOrder.conjuncts(condition).partition(InSparksOrder.isKey(_, left, right))
    if (!rest.exists(MayFail.forRow) || rest.size == 1) sql(condition) else (keys.map(sql) :+ notFalse(rest)).mkString("(", " AND ", ")")
  }

  private def notFalse(parts: Seq[Expression]): String = parts match {
    case Seq(last) => sql(last)
    case part +: rest => s"(CASE WHEN ${sql(part)} IS NOT DISTINCT FROM FALSE THEN FALSE ELSE ${sql(part)} AND ${notFalse(rest)} END)"
  }

  private def all(parts: Seq[Expression]): String = parts.map(sql).mkString("(", " AND ", ")")
}

object InSparksOrder {
  def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  /** Spark's filter looks at `x IS NOT NULL` right before the first part that speaks of x, wherever it stands (GeneratePredicateHelper). */
  def asLookedAt(parts: Seq[Expression]): Seq[Expression] = {
    val (notNull, others) = parts.partition { case IsNotNull(_: AttributeReference) => true; case _ => false }
    val ordered = ArrayBuffer[Expression]()
    others.foreach { part =>
      ordered ++= notNull.filter(check => part.references.contains(check.references.head) && !ordered.contains(check))
      ordered += part
    }
    (ordered ++ notNull.filterNot(ordered.contains)).toSeq
  }

  /** What the keys of one side of a join are computed from, where that can fail. */
  def failingKeys(condition: Expression, left: LogicalPlan, right: LogicalPlan, side: LogicalPlan): Seq[Expression] =
    conjuncts(condition).filter(isKey(_, left, right)).flatMap(_.children).filter(key => key.references.subsetOf(side.outputSet) && key.exists(MayFail.onSpark))

  private def isKey(part: Expression, left: LogicalPlan, right: LogicalPlan): Boolean = part match {
    case EqualTo(a, b) => between(a, b, left, right)
    case EqualNullSafe(a, b) => between(a, b, left, right)
    case _ => false
  }

  private def between(a: Expression, b: Expression, left: LogicalPlan, right: LogicalPlan): Boolean =
    a.references.nonEmpty && b.references.nonEmpty && (a.references.subsetOf(left.outputSet) && b.references.subsetOf(right.outputSet) ||
      a.references.subsetOf(right.outputSet) && b.references.subsetOf(left.outputSet))
}
