package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.{Add, AttributeReference, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Aggregate functions, with DISTINCT and FILTER.
 *
 * | function | why it is exact |
 * |---|---|
 * | count | counts |
 * | sum of integers and decimals | summed in 128 bits and cast to Spark's type; a sum that does not fit fails in both. Spark fails, too, where one in between does not: an error here where that is possible in any order |
 * | several sums of one integer and a constant each | the integer's own sum, and the constant as often as it was counted; an error here where its largest or smallest and the constant do not fit |
 * | min, max | of types with one order and no two spellings of a value; of floats, where not both zeros could be the answer, else an error here |
 * | avg of decimals | sum and count exact, divided with HALF_UP as Spark does |
 * | avg of integers | Spark adds doubles: exact, and so independent of order, below 2^53; beyond that an error here, Spark's sum there |
 * | bit_and, bit_or, bit_xor | of integers: in any order the same |
 * | listagg WITHIN GROUP (ORDER BY what it lists) | equal texts may change places |
 * | median, percentile of integers and decimals | Spark's own interpolation of the two doubles beside the place |
 * | sum and avg of doubles | refused: each order of rows gives another sum |
 */
object Aggregates {
  private val alike = TreeNodeTag[Unit]("sqe.native.alike")

  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case AggregateExpression(sum @ Sum(PlusConstant(value, constant), _), Complete, false, filter, _) if !setting.neverFails && sum.getTagValue(alike).isDefined =>
      plusConstant(sql(value), constant, filter.fold("")(condition => s" FILTER (WHERE ${sql(condition)})"))
    case AggregateExpression(function, Complete, distinct, filter, _) =>
      val where = filter.fold("")(condition => s" FILTER (WHERE ${sql(condition)})")
      called(function, if (distinct) "DISTINCT " else "", where, sql)
  }

  /** Marks sums of one integer and some constant each, if they are several: 90 of them took 290 ms of a million rows, and take 50. */
  def mark(functions: Seq[Expression]): Unit = functions.flatMap(_.collect {
    case AggregateExpression(sum @ Sum(PlusConstant(value, _), _), Complete, false, filter, _) => (value.canonicalized, filter.map(_.canonicalized)) -> sum
  }).groupMap(_._1)(_._2).values.filter(_.size > 1).flatten.foreach(_.setTagValue(alike, ()))

  /** What the kernel would make of it, too, if `value + constant` could not fail. */
  private def plusConstant(value: String, constant: Int, where: String): String = {
    val fails = if (constant < 0) s"min($value)$where < ${Int.MinValue - constant}" else s"max($value)$where > ${Int.MaxValue - constant}"
    val sum = s"sum($value)$where + CAST($constant AS HUGEINT) * count($value)$where"
    s"(CASE WHEN $fails THEN error('sum') ELSE ${NativeTypes.cast(sum, LongType)} END)"
  }

  private object PlusConstant {
    def unapply(expression: Expression): Option[(Expression, Int)] = expression match {
      case Add(value, Literal(constant: Int, IntegerType), _) => Some((value, constant))
      case _ => None
    }
  }

  /** The same over a window. */
  def over(aggregate: AggregateExpression, window: String, sql: Expression => String): String = {
    val where = aggregate.filter.fold("")(condition => s" FILTER (WHERE ${sql(condition)})")
    called(aggregate.aggregateFunction, "", where + window, sql)
  }

  private[kernel] def called(function: AggregateFunction, distinct: String, where: String, sql: Expression => String): String = function match {
    case Count(Seq(Literal(value, _))) if value != null && distinct.isEmpty => s"count(*)$where"
    case Count(parts) if distinct.nonEmpty && !parts.forall(part => NativeTypes.isFlat(part.dataType)) => Refused("comparing nested values")
    case Count(Seq(one)) => s"count($distinct${Conditions.whole(one, sql)})$where"
    // A row counts where nothing of it is NULL.
    case Count(several) if several.size > 1 && !several.exists(part => NativeTypes.isFloat(part.dataType)) =>
      val parts = several.map(sql)
      s"count(${distinct}CASE WHEN ${parts.map(part => s"$part IS NOT NULL").mkString(" AND ")} THEN ${parts.mkString("row(", ", ", ")")} END)$where"
    case sum: Sum if sum.dataType == LongType || sum.dataType.isInstanceOf[DecimalType] =>
      inAnyOrder(sum.child.dataType, sql(sum.child), where)(NativeTypes.cast(s"sum($distinct${sql(sum.child)})$where", sum.dataType))
    case min: Min if NativeTypes.hasExtremes(min.dataType) => s"min(${sql(min.child)})$where"
    case max: Max if NativeTypes.hasExtremes(max.dataType) => s"max(${sql(max.child)})$where"
    case min: Min if NativeTypes.isFloat(min.dataType) => oneZero("min", sql(min.child), where)
    case max: Max if NativeTypes.isFloat(max.dataType) => oneZero("max", sql(max.child), where)
    // Spark's own, for several DISTINCT: there is one such row a group.
    case First(child, true) if where.contains("FILTER") && madeForDistinct(child) => s"any_value(${sql(child)})$where"
    case bits: BitAggregate => s"${bits.prettyName}($distinct${sql(bits.child)})$where"
    case ListAgg(text, Literal(separator, _), Seq(order), _, _) if order.child.semanticEquals(text) && NativeTypes.hasExtremes(text.dataType) && text.dataType.isInstanceOf[StringType] =>
      val by = NativeLiterals(if (separator == null) UTF8String.EMPTY_UTF8 else separator, StringType)
      s"string_agg($distinct${sql(text)}, $by ORDER BY ${Windows.key(order, sql)})$where"
    case Percentile(value, Literal(share: Double, _), Literal(1L, _), _, _, false) if distinct.isEmpty && share >= 0 && share <= 1 => percentile(value, share, where, sql)
    case average: Average => averaged(average, distinct, where, sql)
    case other => Refused(s"aggregate ${other.prettyName} of type ${other.children.headOption.fold("")(_.dataType.typeName.takeWhile(_ != '('))}")
  }

  /** `sum`, unless the largest number, taken as often as there are rows, does not fit the type in which Spark adds up. */
  private[kernel] def inAnyOrder(of: DataType, value: String, where: String)(sum: String): String = (of match {
    case LongType => Some("9.2e18")
    case decimal: DecimalType if decimal.precision + 10 > DecimalType.MAX_PRECISION => Some(s"9.9e${37 - decimal.scale}")
    case _ => None
  }).fold(sum) { most =>
    val largest = Seq("max", "min").map(end => s"abs(CAST($end($value)$where AS DOUBLE))").mkString("greatest(", ", ", ")")
    s"(CASE WHEN $largest * count($value)$where > CAST('$most' AS DOUBLE) THEN error('sum') ELSE $sum END)"
  }

  /** Up to it each whole number is a double. */
  private val exactDouble = "9007199254740992"

  /** -0.0 and 0.0 are equal. Where rows have both, either may be Spark's answer. */
  private def oneZero(name: String, value: String, where: String): String = {
    def has(sign: String): String = s"bool_or($value = 0 AND ${sign}signbit($value))$where"
    s"(CASE WHEN $name($value)$where = 0 AND ${has("")} AND ${has("NOT ")} THEN error('zero') ELSE $name($value)$where END)"
  }

  /** The middle is what is half way from both ends. Other places are looked up in all values. */
  private def percentile(of: Expression, share: Double, where: String, sql: Expression => String): String = {
    val double = of.dataType match {
      case decimal: DecimalType => Casts.nearest(_: String, decimal)
      case _: IntegralType => NativeTypes.cast(_: String, DoubleType)
      case other => Refused(s"percentile of type ${other.typeName}")
    }
    val value = sql(of)
    if (share == 0.5) {
      val (low, high) = (s"quantile_disc($value, 0.5)$where", s"quantile_disc($value, -0.5)$where")
      s"(CASE WHEN $low = $high THEN ${double(low)} ELSE CAST('0.5' AS DOUBLE) * ${double(low)} + CAST('0.5' AS DOUBLE) * ${double(high)} END)"
    } else {
      if (where.contains(" OVER ")) Refused("percentile over a window")
      val all = s"list_sort(list($value)${if (where.isEmpty) s" FILTER (WHERE $value IS NOT NULL)" else s"${where.dropRight(1)} AND $value IS NOT NULL)"})"
      val place = s"(CAST(len($all) - 1 AS DOUBLE) * ${NativeLiterals(share, DoubleType)})"
      val (low, high) = (s"list_extract($all, CAST(floor($place) AS BIGINT) + 1)", s"list_extract($all, CAST(ceil($place) AS BIGINT) + 1)")
      s"(CASE WHEN $low = $high THEN ${double(low)} ELSE (ceil($place) - $place) * ${double(low)} + ($place - floor($place)) * ${double(high)} END)"
    }
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
        inAnyOrder(of, value, where)(Arithmetic.scaled(s"${Arithmetic.halfUp}($total * ${Arithmetic.huge(4)}, CAST($count AS HUGEINT))", result))
      case (_: IntegralType, DoubleType) =>
        // Of large ones the first row tells. DISTINCT takes -1 and 1 for one here.
        val counted = if (average.child.dataType == LongType) s"CASE WHEN $value NOT BETWEEN -$exactDouble AND $exactDouble THEN error('sum') ELSE $value END" else value
        val size = s"sum(${distinct}abs(CAST($counted AS BIGINT)))$where"
        s"(CASE WHEN $size${if (distinct.isEmpty) "" else " * 2"} > $exactDouble THEN error('sum') ELSE CAST(sum($distinct$value)$where AS DOUBLE) / " +
          s"CAST(NULLIF($count, 0) AS DOUBLE) END)"
      case _ => Refused(s"average of type ${average.child.dataType.typeName.takeWhile(_ != '(')}")
    }
  }
}
