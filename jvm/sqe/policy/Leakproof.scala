package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.expressions._

/**
 * Predicates that tell nothing of the rows they are evaluated on, except by passing them: comparisons of columns with
 * constants or columns, which cannot fail. PostgreSQL has the same idea and name.
 */
object Leakproof {
  def apply(predicate: Expression, column: Attribute => Boolean): Boolean = {
    def constant(e: Expression): Boolean = e.foldable && e.deterministic
    def value(e: Expression): Boolean = e match {
      case attribute: AttributeReference => column(attribute)
      case GetStructField(inner, _, _) => value(inner)
      case Cast(inner, wider, _, _) => Cast.canUpCast(inner.dataType, wider) && !Cast.forceNullable(inner.dataType, wider) && value(inner)
      case _ => false
    }
    def compared(left: Expression, right: Expression): Boolean =
      (value(left) && (constant(right) || value(right))) || (constant(left) && value(right))
    def safe(e: Expression): Boolean = e match {
      case literal: Literal => literal.foldable
      case attribute: AttributeReference => column(attribute)
      case comparison: BinaryComparison => compared(comparison.left, comparison.right)
      case In(item, list) => value(item) && list.forall(constant)
      case InSet(item, _) => value(item)
      case IsNull(item) => value(item)
      case IsNotNull(item) => value(item)
      case StartsWith(item, prefix) => value(item) && constant(prefix)
      case EndsWith(item, suffix) => value(item) && constant(suffix)
      case Contains(item, part) => value(item) && constant(part)
      case And(left, right) => safe(left) && safe(right)
      case Or(left, right) => safe(left) && safe(right)
      case Not(inner) => safe(inner)
      case _ => false
    }
    safe(predicate)
  }
}
