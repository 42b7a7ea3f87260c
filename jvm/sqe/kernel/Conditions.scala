package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.types.StringType

/**
 * Columns, constants, comparisons and what chooses by them.
 *
 * | expression | why it is exact |
 * |---|---|
 * | `= <> < <= > >= <=>` | same types on both sides (Spark casts before); text by bytes; NaN = NaN and greatest, -0.0 = 0.0, in both |
 * | what can fail, compared | computed for every row, as on Spark (`whole`) |
 * | AND OR NOT, IS [NOT] NULL, IN | three-valued logic is SQL's own; an IN list's NULL means the same |
 * | CASE, IF, COALESCE, NVL | branches are evaluated for their own rows only, in both; the result is cast to Spark's type |
 * | GREATEST, LEAST | NULLs are left out, in both; not of floats |
 * | dynamic and Bloom filters | Spark's own shortcuts: they leave out rows that a join leaves out anyway, so TRUE |
 */
object Conditions {
  def table(sql: Expression => String): PartialFunction[Expression, String] = {
    case Alias(child, _) => sql(child)
    case column: AttributeReference => NativeTypes.check(column.dataType); NativeTypes.column(column)
    case Literal(value, dataType) => NativeLiterals(value, dataType)
    case EqualNullSafe(left, right) if comparable(left) => s"(${whole(left, sql)} IS NOT DISTINCT FROM ${whole(right, sql)})"
    case comparison: BinaryComparison if comparable(comparison.left) => s"(${whole(comparison.left, sql)} ${symbol(comparison)} ${whole(comparison.right, sql)})"
    case And(left, right) => s"(${sql(left)} AND ${sql(right)})"
    case Or(left, right) => s"(${sql(left)} OR ${sql(right)})"
    case Not(child) => s"(NOT ${sql(child)})"
    case IsNull(child) => s"(${whole(child, sql)} IS NULL)"
    case IsNotNull(child) => s"(${whole(child, sql)} IS NOT NULL)"
    case In(value, list) if list.nonEmpty && comparable(value) => s"(${whole(value, sql)} IN (${list.map(sql).mkString(", ")}))"
    case InSet(value, set) if set.nonEmpty && comparable(value) => s"(${whole(value, sql)} IN (${set.map(NativeLiterals(_, value.dataType)).mkString(", ")}))"
    case choice: CaseWhen =>
      val branches = choice.branches.map { case (when, value) => s"WHEN ${sql(when)} THEN ${one(value, choice, sql)}" }
      NativeTypes.cast(s"CASE ${branches.mkString(" ")}${choice.elseValue.fold("")(value => s" ELSE ${one(value, choice, sql)}")} END", choice.dataType)
    case choice @ If(when, yes, no) => NativeTypes.cast(s"CASE WHEN ${sql(when)} THEN ${one(yes, choice, sql)} ELSE ${one(no, choice, sql)} END", yes.dataType)
    case coalesce: Coalesce => NativeTypes.cast(coalesce.children.map(one(_, coalesce, sql)).mkString("COALESCE(", ", ", ")"), coalesce.dataType)
    case greatest: Greatest if NativeTypes.hasExtremes(greatest.dataType) => NativeTypes.cast(greatest.children.map(sql).mkString("greatest(", ", ", ")"), greatest.dataType)
    case least: Least if NativeTypes.hasExtremes(least.dataType) => NativeTypes.cast(least.children.map(sql).mkString("least(", ", ", ")"), least.dataType)
    case KnownNotNull(child) => sql(child)
    case KnownNullable(child) => sql(child)
    case KnownFloatingPointNormalized(child) => sql(child)
    // Spark makes equal floats the same before it groups by them.
    case NormalizeNaNAndZero(child) => s"(CASE WHEN ${sql(child)} = 0 THEN ${NativeTypes.cast("0", child.dataType)} ELSE ${sql(child)} END)"
    case IsNaN(child) => s"COALESCE(isnan(${sql(child)}), FALSE)"
    case _: DynamicPruning | _: BloomFilterMightContain => "TRUE"
  }

  /**
   * What can fail, so that it is computed: the kernel's optimizer would make `i <> 0` of `i - 6 <> -6` and `l = 1` of
   * `CAST(l AS INT) = 1`, which never fail, and `count(*)` of `count(i - 6)`. It does not look into CASE.
   */
  def whole(side: Expression, sql: Expression => String): String = {
    val text = sql(side)
    if (side.references.isEmpty || !MayFail.forRow(side)) text
    else side.collectFirst { case column: AttributeReference => column } match {
      case Some(column) if !side.exists(part => part.children.nonEmpty && !part.nullIntolerant) =>
        s"(CASE WHEN ${NativeTypes.column(column)} IS NULL THEN NULL ELSE $text END)"
      case _ => s"(CASE WHEN $text IS NULL THEN NULL ELSE $text END)"
    }
  }

  /** Of several that a choice is made of. */
  private def one(value: Expression, choice: Expression, sql: Expression => String): String =
    if (NativeTypes.isFlat(choice.dataType)) sql(value) else NativeTypes.same(sql(value), value.dataType, choice.dataType)

  private def symbol(comparison: BinaryComparison): String = comparison match {
    case _: EqualTo => "="
    case other => other.symbol
  }

  private def comparable(side: Expression): Boolean = side.dataType match {
    case text: StringType => NativeTypes.isBinary(text)
    case other => NativeTypes.checkFlat(other); true
  }
}
