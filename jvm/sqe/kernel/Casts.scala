package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression}
import org.apache.spark.sql.types._

/**
 * Casts (ANSI).
 *
 * | from, to | why it is exact |
 * |---|---|
 * | integer to integer | the same value, or an error in both |
 * | integer to decimal, decimal to decimal | the same value, rounded half away from zero where digits go; or an error in both |
 * | integer to double, float to double | the nearest double, in both |
 * | decimal to double | the nearest double: one division of two doubles that are whole numbers below 2^53, else by its digits |
 * | decimal to INT, BIGINT | cut towards zero; beyond fifteen digits an error here, and Spark's answer there |
 * | double to decimal | its shortest digits, rounded half away from zero; likewise only where a half has fifteen digits at most (see [[Arithmetic]]) |
 * | double to INT, BIGINT | cut towards zero; an error in both where it does not fit |
 * | integer, decimal, boolean to text | decimal digits, no exponent; `true`, `false` |
 * | boolean to and from integers | 1 and 0; all but 0 |
 * | timestamp to BIGINT, BIGINT to timestamp | whole seconds since 1970, cut towards the past |
 * | timestamp to text | without the zeros at its end, within the years 1 to 9999; likewise only in UTC |
 * | timestamp to date | where the session's zone is UTC, or the timestamp has none |
 * | date to timestamp, TIMESTAMP from and to TIMESTAMP_NTZ | midnight; the same microseconds; likewise |
 * | date to text | `yyyy-MM-dd` within the years 1 to 9999, else an error here and Spark's own text there |
 * | text to integer, decimal, double, boolean, date, timestamp | of the plain spellings that both read alike; another one is an error here, and Spark's answer there |
 */
object Casts {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case cast: Cast => (cast.child.dataType, cast.dataType) match {
      case (from, to) if from == to => sql(cast.child)
      case _ if cast.evalMode == EvalMode.TRY && MayFail.itself(cast) => Refused("try_cast") // else it would often run twice
      case (_: IntegralType, _: IntegralType | _: DecimalType | DoubleType) => NativeTypes.cast(sql(cast.child), cast.dataType)
      case (_: DecimalType, to: DecimalType) => NativeTypes.cast(sql(cast.child), to)
      case (from: DecimalType, DoubleType) => nearest(sql(cast.child), from)
      case (from: DecimalType, IntegerType | LongType) if from.scale <= 15 => NativeTypes.cast(s"trunc(${short(sql(cast.child), from)})", cast.dataType)
      case (DoubleType, to: DecimalType) if to.scale <= 12 => byItsDigits(sql(cast.child), to)
      case (FloatType, DoubleType) => NativeTypes.cast(sql(cast.child), DoubleType)
      case (DoubleType, IntegerType | LongType) => NativeTypes.cast(s"trunc(${sql(cast.child)})", cast.dataType)
      // The kernel writes `.5` where there is no digit before the point.
      case (from: DecimalType, to: StringType) if from.precision == from.scale => s"replace(${NativeTypes.cast(sql(cast.child), to)}, '.', '0.')"
      case (_: IntegralType | _: DecimalType | BooleanType, to: StringType) => NativeTypes.cast(sql(cast.child), to)
      case (DateType, to: StringType) =>
        val day = sql(cast.child)
        s"(CASE WHEN $day < DATE '0001-01-01' OR $day > DATE '9999-12-31' THEN error('year') ELSE ${NativeTypes.cast(day, to)} END)"
      case (TimestampType | TimestampNTZType, to: StringType) =>
        val moment = Moments.calendar(cast.child, sql, setting)
        Moments.inKnownYears(moment, NativeTypes.cast(moment, to))
      case (BooleanType, to: IntegralType) => NativeTypes.cast(sql(cast.child), to)
      case (_: IntegralType, BooleanType) => s"(${sql(cast.child)} <> 0)"
      case (TimestampType, LongType) => Moments.seconds(sql(cast.child))
      case (LongType, TimestampType) => s"make_timestamptz(${sql(cast.child)} * CAST('1000000' AS BIGINT))"
      case (TimestampType | TimestampNTZType, DateType) => s"CAST(${Moments.calendar(cast.child, sql, setting)} AS DATE)"
      case (TimestampType, TimestampNTZType) => Moments.calendar(cast.child, sql, setting)
      case (TimestampNTZType, TimestampType) if Moments.isUtc(setting.timeZone) => s"make_timestamptz(epoch_us(${Moments.finite(sql(cast.child))}))"
      case (DateType, TimestampNTZType) => s"CAST(${Moments.finite(sql(cast.child))} AS TIMESTAMP)"
      case (DateType, TimestampType) if Moments.isUtc(setting.timeZone) => s"make_timestamptz(epoch_us(CAST(${Moments.finite(sql(cast.child))} AS TIMESTAMP)))"
      case (_: StringType, to: StringType) => NativeTypes.check(to); sql(cast.child)
      case (from: StringType, to) if NativeTypes.isBinary(from) => read(sql(cast.child), to, setting)
      case (from, to) => Refused(s"cast from ${short(from)} to ${short(to)}")
    }
  }

  /** Spark cuts the nearest double of some decimals: of fifteen digits that is the same number. */
  private def short(text: String, from: DecimalType): String =
    if (from.precision <= 15) text
    else s"(CASE WHEN abs($text) >= CAST('1${"0" * (15 - from.scale)}' AS DECIMAL(${16 - from.scale},0)) THEN error('digits') ELSE $text END)"

  /** Both write the shortest digits that are this number, as long as fifteen are enough; Java below 19 at times more, if not. */
  def byItsDigits(number: String, to: DecimalType): String =
    s"(CASE WHEN abs($number) >= CAST('1e${14 - to.scale}' AS DOUBLE) THEN error('digits') ELSE ${NativeTypes.cast(s"CAST($number AS VARCHAR)", to)} END)"

  def nearest(text: String, from: DecimalType): String =
    if (from.precision <= 15) s"(CAST(${Arithmetic.unscaled(text, from)} AS DOUBLE) / CAST('1e${from.scale}' AS DOUBLE))"
    else s"CAST(CAST($text AS VARCHAR) AS DOUBLE)"

  private val day = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
  private val time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?"

  private def read(text: String, to: DataType, setting: Setting): String = to match {
    case ByteType | ShortType | IntegerType | LongType => plain(text, "[+-]?[0-9]{1,18}", NativeTypes.cast(s"CAST($text AS BIGINT)", to))
    case decimal: DecimalType if decimal.precision > decimal.scale =>
      val whole = s"[+-]?[0-9]{1,${decimal.precision - decimal.scale}}"
      plain(text, if (decimal.scale == 0) whole else s"$whole([.][0-9]{1,${decimal.scale}})?", NativeTypes.cast(text, decimal))
    case DoubleType => plain(text, "[+-]?[0-9]{1,17}([.][0-9]{1,17})?", NativeTypes.cast(text, DoubleType))
    case DateType => plain(text, day, NativeTypes.cast(text, DateType))
    case TimestampNTZType => plain(text, s"$day[ T]$time", NativeTypes.cast(text, TimestampNTZType))
    case TimestampType if Moments.isUtc(setting.timeZone) =>
      plain(text, s"$day[ T]$time", s"make_timestamptz(epoch_us(${NativeTypes.cast(text, TimestampNTZType)}))")
    case BooleanType => s"(CASE WHEN $text IN ('true', 't', 'yes', 'y', '1') THEN TRUE WHEN $text IN ('false', 'f', 'no', 'n', '0') THEN FALSE " +
      s"WHEN $text IS NOT NULL THEN error('spelling') END)"
    case other => Refused(s"cast from string to ${short(other)}")
  }

  /** NULL is no text of the wrong kind. A year of zeros is one: the two calendars name it differently. */
  private def plain(text: String, pattern: String, cast: String): String =
    s"(CASE WHEN regexp_full_match($text, '$pattern') AND NOT starts_with($text, '0000-') THEN $cast WHEN $text IS NOT NULL THEN error('spelling') END)"

  private def short(dataType: DataType): String = dataType.typeName.takeWhile(_ != '(')
}
