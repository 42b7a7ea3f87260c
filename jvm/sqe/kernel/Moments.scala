package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * Functions of dates and times. Both sides count in the proleptic Gregorian calendar.
 *
 * | function | why it is exact |
 * |---|---|
 * | year, quarter, month, day, dayofyear | fields of a date |
 * | dayofweek | Sunday is 1 in Spark and 0 in the kernel |
 * | date_add, date_sub, datediff | whole days |
 * | year … second of a TIMESTAMP | only where the session's zone is UTC; of a TIMESTAMP_NTZ always |
 */
object Moments {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case Year(day) => field("year", day, sql, setting)
    case Quarter(day) => field("quarter", day, sql, setting)
    case Month(day) => field("month", day, sql, setting)
    case DayOfMonth(day) => field("day", day, sql, setting)
    case DayOfYear(day) => field("dayofyear", day, sql, setting)
    case DayOfWeek(day) => s"CAST(dayofweek(${calendar(day, sql, setting)}) + 1 AS INTEGER)"
    case Hour(moment, _) => field("hour", moment, sql, setting)
    case Minute(moment, _) => field("minute", moment, sql, setting)
    case Second(moment, _) => field("second", moment, sql, setting)
    case DateAdd(day, days) if whole(days) => s"(${sql(day)} + ${NativeTypes.cast(sql(days), IntegerType)})"
    case DateSub(day, days) if whole(days) => s"(${sql(day)} - ${NativeTypes.cast(sql(days), IntegerType)})"
    case DateDiff(end, start) => s"CAST(${sql(end)} - ${sql(start)} AS INTEGER)"
  }

  private def field(name: String, of: Expression, sql: Expression => String, setting: Setting): String =
    s"CAST($name(${calendar(of, sql, setting)}) AS INTEGER)"

  private def whole(days: Expression): Boolean = days.dataType == IntegerType

  /** As a date or a time of no zone. */
  def calendar(of: Expression, sql: Expression => String, setting: Setting): String = of.dataType match {
    case DateType | TimestampNTZType => sql(of)
    case TimestampType if isUtc(setting.timeZone) => s"make_timestamp(epoch_us(${sql(of)}))"
    case TimestampType => Refused("time zone other than UTC")
    case other => Refused(s"date function of type ${other.typeName}")
  }

  private def isUtc(zone: String): Boolean = Set("UTC", "Etc/UTC", "Z", "+00:00").contains(zone)
}
