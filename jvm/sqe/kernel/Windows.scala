package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, First, Last}
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * Window functions.
 *
 * | function | why it is exact |
 * |---|---|
 * | row_number, rank, dense_rank, ntile | whole numbers of SQL's own; among equal rows row_number and ntile are free, as in Spark |
 * | percent_rank, cume_dist | one division of two whole numbers as doubles |
 * | lag, lead with a constant offset | NULLs are respected; the default is cast to the column's type |
 * | first_value, last_value, nth_value, also without NULLs | of a frame of rows in order; among equal rows they are free, as in Spark |
 * | count, sum, min, max, avg of [[Aggregates]] | over ROWS with constant bounds, and RANGE without offsets |
 */
final class Windows(sql: Expression => String, setting: Setting) {
  def apply(function: Expression): String = function match {
    case Alias(WindowExpression(called, spec), _) => over(called, spec)
    case other => Refused(s"window function ${other.prettyName}")
  }

  private def over(called: Expression, spec: WindowSpecDefinition): String = called match {
    case _: RowNumber => s"CAST(row_number() ${window(spec)} AS INTEGER)"
    case _: Rank => s"CAST(rank() ${window(spec)} AS INTEGER)"
    case _: DenseRank => s"CAST(dense_rank() ${window(spec)} AS INTEGER)"
    case _: PercentRank => s"percent_rank() ${window(spec)}"
    case _: CumeDist => s"cume_dist() ${window(spec)}"
    case NTile(Literal(count: Int, IntegerType)) if count > 0 => s"CAST(ntile($count) ${window(spec)} AS INTEGER)"
    case Lag(input, Literal(offset: Int, _), default, false) => shifted("lag", input, offset, default, spec)
    case Lead(input, Literal(offset: Int, _), default, false) => shifted("lead", input, offset, default, spec)
    case AggregateExpression(First(input, ignores), _, false, None, _) if spec.orderSpec.nonEmpty => placed("first_value", input, "", ignores, spec)
    case AggregateExpression(Last(input, ignores), _, false, None, _) if spec.orderSpec.nonEmpty => placed("last_value", input, "", ignores, spec)
    case NthValue(input, Literal(place: Int, _), ignores) if place > 0 && spec.orderSpec.nonEmpty => placed("nth_value", input, s", $place", ignores, spec)
    case aggregate: AggregateExpression if !aggregate.isDistinct => Aggregates.over(aggregate, s" ${window(spec, framed = true)}", sql)
    case other => Refused(s"window function ${other.prettyName}")
  }

  private def placed(name: String, input: Expression, more: String, ignoresNulls: Boolean, spec: WindowSpecDefinition): String =
    s"$name(${sql(input)}$more${if (ignoresNulls) " IGNORE NULLS" else ""}) ${window(spec, framed = true)}"

  private def shifted(name: String, input: Expression, offset: Int, default: Expression, spec: WindowSpecDefinition): String =
    NativeTypes.cast(s"$name(${sql(input)}, $offset, ${other(default, input.dataType, sql)}) ${window(spec)}", input.dataType)

  /** Where there is no such row; NULL has no type of its own. */
  private def other(default: Expression, as: DataType, sql: Expression => String): String = default match {
    case Literal(null, _) => NativeTypes.cast("NULL", as)
    case value => NativeTypes.same(sql(value), value.dataType, as)
  }

  private def window(spec: WindowSpecDefinition, framed: Boolean = false): String = {
    spec.partitionSpec.foreach(key => NativeTypes.checkFlat(key.dataType))
    val by = if (spec.partitionSpec.isEmpty) "" else spec.partitionSpec.map(sql).mkString("PARTITION BY ", ", ", " ")
    val order = if (spec.orderSpec.isEmpty) "" else spec.orderSpec.map(Windows.key(_, sql)).mkString("ORDER BY ", ", ", " ")
    s"OVER ($by$order${if (framed) frame(spec.frameSpecification) else ""})"
  }

  private def frame(of: WindowFrame): String = of match {
    case SpecifiedWindowFrame(RowFrame, from, to) => s"ROWS BETWEEN ${bound(from)} AND ${bound(to)}"
    case SpecifiedWindowFrame(RangeFrame, from: SpecialFrameBoundary, to: SpecialFrameBoundary) => s"RANGE BETWEEN ${bound(from)} AND ${bound(to)}"
    case _ => Refused("window over a range of values")
  }

  private def bound(of: Expression): String = of match {
    case UnboundedPreceding => "UNBOUNDED PRECEDING"
    case UnboundedFollowing => "UNBOUNDED FOLLOWING"
    case CurrentRow => "CURRENT ROW"
    case Literal(rows: Int, _) => if (rows < 0) s"${-rows.toLong} PRECEDING" else s"$rows FOLLOWING"
    case _ => Refused("window with a computed bound")
  }
}

object Windows {
  def key(order: SortOrder, sql: Expression => String): String = {
    NativeTypes.checkFlat(order.child.dataType)
    s"${sql(order.child)} ${if (order.direction == Ascending) "ASC" else "DESC"} ${if (order.nullOrdering == NullsFirst) "NULLS FIRST" else "NULLS LAST"}"
  }
}
