package org.apache.spark.sql.sqe.kernel

import java.util.Locale.ROOT

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Functions of dates and times. Both sides count in the proleptic Gregorian calendar.
 *
 * | function | why it is exact |
 * |---|---|
 * | year, quarter, month, day, dayofyear | fields of a date |
 * | dayofweek | Sunday is 1 in Spark and 0 in the kernel |
 * | date_add, date_sub, datediff | whole days |
 * | add_months, + INTERVAL of months, last_day | the same day of the month, or its last one |
 * | weekofyear; trunc and date_trunc to a constant unit | ISO weeks, which begin on Monday; starts of calendar units |
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
    case AddMonths(day, months) if whole(months) => s"CAST(${sql(day)} + to_months(${sql(months)}) AS DATE)"
    case DateAddYMInterval(day, Literal(months: Int, _)) => s"CAST(${sql(day)} + to_months(CAST('$months' AS INTEGER)) AS DATE)"
    case LastDay(day) => s"CAST(last_day(${sql(day)}) AS DATE)"
    case WeekOfYear(day) => field("week", day, sql, setting)
    case TruncDate(day, Literal(unit: UTF8String, _)) => s"CAST(date_trunc('${Moments.dateUnit(unit)}', ${sql(day)}) AS DATE)"
    case TruncTimestamp(Literal(unit: UTF8String, _), moment, _) =>
      val start = s"date_trunc('${Moments.timeUnit(unit)}', ${calendar(moment, sql, setting)})"
      if (moment.dataType == TimestampType) s"make_timestamptz(epoch_us($start))" else s"CAST($start AS TIMESTAMP)"
    case DateDiff(end, start) => s"CAST(${sql(end)} - ${sql(start)} AS INTEGER)"
  }

  private def dateUnit(unit: UTF8String): String = unit.toString.toUpperCase(ROOT) match {
    case "YEAR" | "YYYY" | "YY" => "year"
    case "QUARTER" => "quarter"
    case "MONTH" | "MON" | "MM" => "month"
    case "WEEK" => "week"
    case _ => Refused("truncation to another unit")
  }

  private def timeUnit(unit: UTF8String): String = unit.toString.toUpperCase(ROOT) match {
    case "DAY" | "DD" => "day"
    case "HOUR" => "hour"
    case "MINUTE" => "minute"
    case "SECOND" => "second"
    case _ => dateUnit(unit)
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

  def isUtc(zone: String): Boolean = Set("UTC", "Etc/UTC", "Z", "+00:00").contains(zone)
}
