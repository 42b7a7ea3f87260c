package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.types._

/**
 * Casts (ANSI).
 *
 * | from, to | why it is exact |
 * |---|---|
 * | integer to integer | the same value, or an error in both |
 * | integer to decimal, decimal to decimal | the same value, rounded half away from zero where digits go; or an error in both |
 * | integer to double, float to double | the nearest double, in both |
 * | integer, decimal, boolean to text | decimal digits, no exponent; `true`, `false` |
 * | timestamp to date | where the session's zone is UTC, or the timestamp has none |
 * | date to text | `yyyy-MM-dd` within the years 1 to 9999, else an error here and Spark's own text there |
 */
object Casts {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case cast: Cast => (cast.child.dataType, cast.dataType) match {
      case (from, to) if from == to => sql(cast.child)
      case (_: IntegralType, _: IntegralType | _: DecimalType | DoubleType) => NativeTypes.cast(sql(cast.child), cast.dataType)
      case (_: DecimalType, to: DecimalType) => NativeTypes.cast(sql(cast.child), to)
      case (FloatType, DoubleType) => NativeTypes.cast(sql(cast.child), DoubleType)
      case (_: IntegralType | _: DecimalType | BooleanType, to: StringType) => NativeTypes.cast(sql(cast.child), to)
      case (DateType, to: StringType) =>
        val day = sql(cast.child)
        s"(CASE WHEN $day < DATE '0001-01-01' OR $day > DATE '9999-12-31' THEN error('year') ELSE ${NativeTypes.cast(day, to)} END)"
      case (TimestampType | TimestampNTZType, DateType) => s"CAST(${Moments.calendar(cast.child, sql, setting)} AS DATE)"
      case (_: StringType, to: StringType) => NativeTypes.check(to); sql(cast.child)
      case (from, to) => Refused(s"cast from ${short(from)} to ${short(to)}")
    }
  }

  private def short(dataType: DataType): String = dataType.typeName.takeWhile(_ != '(')
}
