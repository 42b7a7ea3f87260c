package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.{IntegerLiteral, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical._

/** LIMIT and OFFSET as Spark's optimizer leaves them: of what, up to which row, and without how many of the first ones. */
object FirstRows {
  def unapply(plan: LogicalPlan): Option[(LogicalPlan, Long, Int)] = plan match {
    // The limit was pushed below the offset.
    case GlobalLimit(IntegerLiteral(count), Offset(IntegerLiteral(skipped), LocalLimit(IntegerLiteral(both), child))) if both >= count.toLong + skipped =>
      Some((child, count.toLong + skipped, skipped))
    case Offset(IntegerLiteral(skipped), Limit(IntegerLiteral(count), child)) => Some((child, count.toLong, skipped))
    case Limit(IntegerLiteral(count), child) => Some((child, count.toLong, 0))
    case _ => None
  }
}

/** The first rows in an order, with results that are made of them afterwards. */
final case class TopRows(most: Int, skipped: Int, order: Seq[SortOrder], results: Seq[NamedExpression], child: LogicalPlan)

object TopRows {
  /** What Spark plans as one operator (`TakeOrderedAndProject`), where it may ask for rows in any order. */
  def of(plan: LogicalPlan): Option[TopRows] = (plan match {
    case FirstRows(Project(list, Sort(order, true, child, _)), most, skipped) => Some(TopRows(most.toInt, skipped, order, list, child)).filter(_.most == most)
    case FirstRows(Sort(order, true, child, _), most, skipped) => Some(TopRows(most.toInt, skipped, order, child.output, child)).filter(_.most == most)
    case _ => None
  }).filter(top => top.most < plan.conf.topKSortFallbackThreshold && (top.results ++ top.order).forall(_.deterministic))
}
