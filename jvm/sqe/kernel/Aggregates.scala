package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

/**
 * Aggregate functions, with DISTINCT and FILTER.
 *
 * | function | why it is exact |
 * |---|---|
 * | count | counts |
 * | sum of integers and decimals | summed in 128 bits and cast to Spark's type; a sum that does not fit fails in both |
 * | min, max | of types with one order and no two spellings of a value; floats are refused |
 * | avg of decimals | sum and count exact, divided with HALF_UP as Spark does |
 * | avg of BYTE, SHORT, INT | Spark adds doubles: exact, and so independent of order, below 2^53; beyond that an error here, Spark's sum there |
 * | sum and avg of doubles | refused: each order of rows gives another sum |
 */
object Aggregates {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case AggregateExpression(function, Complete, distinct, filter, _) =>
      val where = filter.fold("")(condition => s" FILTER (WHERE ${sql(condition)})")
      called(function, if (distinct) "DISTINCT " else "", where, sql)
  }

  /** The same over a window. */
  def over(aggregate: AggregateExpression, window: String, sql: Expression => String): String = {
    val where = aggregate.filter.fold("")(condition => s" FILTER (WHERE ${sql(condition)})")
    called(aggregate.aggregateFunction, "", where + window, sql)
  }

  private[kernel] def called(function: AggregateFunction, distinct: String, where: String, sql: Expression => String): String = function match {
    case Count(Seq(Literal(value, _))) if value != null && distinct.isEmpty => s"count(*)$where"
    case Count(Seq(one)) => s"count($distinct${Conditions.whole(one, sql)})$where"
    // A row counts where nothing of it is NULL.
    case Count(several) if several.size > 1 && !several.exists(part => NativeTypes.isFloat(part.dataType)) =>
      val parts = several.map(sql)
      s"count(${distinct}CASE WHEN ${parts.map(part => s"$part IS NOT NULL").mkString(" AND ")} THEN ${parts.mkString("row(", ", ", ")")} END)$where"
    case sum: Sum if sum.dataType == LongType || sum.dataType.isInstanceOf[DecimalType] =>
      NativeTypes.cast(s"sum($distinct${sql(sum.child)})$where", sum.dataType)
    case min: Min if NativeTypes.hasExtremes(min.dataType) => s"min(${sql(min.child)})$where"
    case max: Max if NativeTypes.hasExtremes(max.dataType) => s"max(${sql(max.child)})$where"
    // Spark's own, for several DISTINCT: there is one such row a group.
    case First(child, true) if where.contains("FILTER") && madeForDistinct(child) => s"any_value(${sql(child)})$where"
    case average: Average => averaged(average, distinct, where, sql)
    case other => Refused(s"aggregate ${other.prettyName} of type ${other.children.headOption.fold("")(_.dataType.typeName.takeWhile(_ != '('))}")
  }

  private def madeForDistinct(child: Expression): Boolean = child match {
    case column: AttributeReference => column.qualifier.isEmpty && column.name.contains("(")
    case _ => false
  }

  private def averaged(average: Average, distinct: String, where: String, sql: Expression => String): String = {
    val value = sql(average.child)
    val count = s"count($distinct$value)$where"
    (average.child.dataType, average.dataType) match {
      case (of: DecimalType, result: DecimalType) =>
        val sum = DecimalType(math.min(38, of.precision + 10), of.scale)
        // Of fewer digits than its usual four Spark has a reason of its own; 19 are those of a count (see Arithmetic on rounding twice).
        if (result.scale != of.scale + 4 || result.scale + 19 > 38) Refused("average of many digits")
        val total = Arithmetic.unscaled(NativeTypes.cast(s"sum($distinct$value)$where", sum), sum)
        Arithmetic.scaled(s"${Arithmetic.halfUp}($total * ${Arithmetic.huge(4)}, CAST($count AS HUGEINT))", result)
      case (ByteType | ShortType | IntegerType, DoubleType) =>
        val size = s"sum(${distinct}abs(CAST($value AS BIGINT)))$where"
        s"(CASE WHEN $size > CAST('9007199254740992' AS HUGEINT) THEN error('sum') ELSE CAST(sum($distinct$value)$where AS DOUBLE) / " +
          s"CAST(NULLIF($count, 0) AS DOUBLE) END)"
      case _ => Refused(s"average of type ${average.child.dataType.typeName.takeWhile(_ != '(')}")
    }
  }
}
