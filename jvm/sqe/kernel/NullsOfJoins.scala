package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Leaves out `key IS NOT NULL` below a join that asks for `key = …` and so has no row for NULL anyway. Spark's optimizer writes it on each side
 * of each join. The kernel takes any condition for one that a fifth of the rows fulfil: with one on every table it cannot tell
 * the small side of a join from the large one (TPC-H's query 18 put six million rows into a hash table, and asked it for 57).
 * A condition stays where something beside it can fail: it may be what keeps that from a row.
 */
object NullsOfJoins {
  def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case join @ Join(left, right, kind, Some(condition), _) if !condition.exists(MayFail.onSpark) =>
      val keys = AttributeSet(conjuncts(condition).flatMap {
        case EqualTo(a: Attribute, b: Attribute) => Seq(a, b)
        case _ => Nil
      })
      kind match {
        case Inner | LeftSemi => join.copy(left = without(left, keys), right = without(right, keys))
        case LeftOuter | LeftAnti => join.copy(right = without(right, keys))
        case RightOuter => join.copy(left = without(left, keys))
        case _ => join
      }
  }

  private def without(plan: LogicalPlan, keys: AttributeSet): LogicalPlan = plan match {
    case Filter(condition, child) if !failsForRow(condition) =>
      val left = conjuncts(condition).filter {
        case IsNotNull(column: Attribute) => !keys.contains(column)
        case _ => true
      }
      left.reduceOption(And(_, _)).fold(without(child, keys))(Filter(_, without(child, keys)))
    case Project(list, child) if list.forall(_.isInstanceOf[AttributeReference]) => Project(list, without(child, keys))
    case join @ Join(left, right, Inner, condition, _) if !condition.exists(_.exists(MayFail.onSpark)) =>
      join.copy(left = without(left, keys), right = without(right, keys))
    // The rows without a key are a group of their own. Should its sum be too large, the kernel fails alone, and Spark runs the statement.
    case aggregate: Aggregate if !aggregate.expressions.exists(_.exists(part => !part.isInstanceOf[Sum] && MayFail.onSpark(part))) =>
      val groups = aggregate.aggregateExpressions.collect {
        case column: Attribute if keys.contains(column) => column
        case alias @ Alias(column: Attribute, _) if keys.contains(alias.toAttribute) => column
      }.filter(column => aggregate.groupingExpressions.exists(_.semanticEquals(column)))
      aggregate.copy(child = without(aggregate.child, AttributeSet(groups)))
    case other => other
  }

  /** A subquery is computed once, whatever rows there are. */
  private def failsForRow(condition: Expression): Boolean = condition.exists {
    case _: ScalarSubquery => false
    case other => MayFail.onSpark(other)
  }

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }
}
