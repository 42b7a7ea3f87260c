package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.types.{DoubleType, FloatType}

/**
 * Keeps comparisons of floats with a zero from Iceberg. To SQL 0.0 and -0.0 are equal; Iceberg 1.12 orders one before the other when it
 * looks at the bounds and dictionaries of files, and leaves out files and row groups that have only the other one: `x = 0` then
 * misses rows. Compared is the column with one zero, which Spark computes and no scan understands.
 */
object BothZeros extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformWithPruning(_.containsPattern(TreePattern.FILTER)) {
    case filter: Filter => filter.copy(condition = filter.condition.transform {
      case comparison @ BinaryComparison(column: AttributeReference, other) if isZero(other) => comparison.withNewChildren(Seq(normal(column), other))
      case comparison @ BinaryComparison(other, column: AttributeReference) if isZero(other) => comparison.withNewChildren(Seq(other, normal(column)))
      case In(column: AttributeReference, list) if list.exists(isZero) => In(normal(column), list)
      case InSet(column: AttributeReference, set) if set.exists(isZeroValue) => InSet(normal(column), set)
    })
  }

  private def normal(column: AttributeReference): Expression = KnownFloatingPointNormalized(NormalizeNaNAndZero(column))

  private def isZero(expression: Expression): Boolean = expression match {
    case Literal(value, FloatType | DoubleType) => isZeroValue(value)
    case _ => false
  }

  private def isZeroValue(value: Any): Boolean = value match {
    case number: Double => number == 0
    case number: Float => number == 0
    case _ => false
  }
}
