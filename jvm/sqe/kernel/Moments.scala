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
 * | weekday, dayofweek_iso, yearofweek | Monday is 0; of ISO weeks |
 * | date_format of a constant pattern of `yyyy MM dd HH hh mm ss a`, `MMM MMMM EEE EEEE` and signs; dayname, monthname | English names in both; years 1 to 9999, else an error here |
 * | from_unixtime; to_date and to_timestamp with such a pattern of numbers | the same way back; other spellings are an error here |
 * | make_date, date_from_unix_date | within the years 1 to 9999, else an error here |
 * | timestamp + INTERVAL, timestampadd, timestampdiff | microseconds, in UTC; months as add_months, and as Java counts them |
 * | EXTRACT(SECOND), unix_timestamp, unix_seconds, timestamp_seconds and its kind | microseconds of a minute; whole seconds, cut towards the past, by unix_timestamp towards 1970 |
 * | year … second of a TIMESTAMP | only where the session's zone is UTC; of a TIMESTAMP_NTZ always |
 */
object Moments {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case year: Year => ofAnyDay(year, sql)(day => s"year($day)")
    case quarter: Quarter => ofAnyDay(quarter, sql)(day => s"quarter($day)")
    case month: Month => ofAnyDay(month, sql)(day => s"month($day)")
    case number: DayOfMonth => ofAnyDay(number, sql)(day => s"day($day)")
    case number: DayOfYear => ofAnyDay(number, sql)(day => s"dayofyear($day)")
    case number: DayOfWeek => ofAnyDay(number, sql)(day => s"dayofweek($day) + 1")
    case number: WeekDay => ofAnyDay(number, sql)(day => s"isodow($day) - 1")
    case Hour(moment, _) => field("hour", moment, sql, setting)
    case Minute(moment, _) => field("minute", moment, sql, setting)
    case Second(moment, _) => field("second", moment, sql, setting)
    case DateAdd(day, days) if whole(days) => s"(${finite(sql(day))} + ${NativeTypes.cast(sql(days), IntegerType)})"
    case DateSub(day, days) if whole(days) => s"(${finite(sql(day))} - ${NativeTypes.cast(sql(days), IntegerType)})"
    case AddMonths(day, months) if whole(months) => s"CAST(${finite(sql(day))} + to_months(${sql(months)}) AS DATE)"
    case DateAddYMInterval(day, Literal(months: Int, _)) => s"CAST(${finite(sql(day))} + to_months(CAST('$months' AS INTEGER)) AS DATE)"
    case LastDay(day) => s"CAST(last_day(${finite(sql(day))}) AS DATE)"
    case WeekOfYear(day) => field("week", day, sql, setting)
    case TruncDate(day, Literal(unit: UTF8String, _)) => s"CAST(date_trunc('${Moments.dateUnit(unit)}', ${finite(sql(day))}) AS DATE)"
    case TruncTimestamp(Literal(unit: UTF8String, _), moment, _) =>
      val start = s"date_trunc('${Moments.timeUnit(unit)}', ${calendar(moment, sql, setting)})"
      if (moment.dataType == TimestampType) s"make_timestamptz(epoch_us($start))" else s"CAST($start AS TIMESTAMP)"
    case YearOfWeek(day) => field("isoyear", day, sql, setting)
    case DayName(day) => s"strftime(${finite(sql(day))}, '%a')"
    case MonthName(day) => s"strftime(${finite(sql(day))}, '%b')"
    case UnixDate(day) => s"CAST(${sql(day)} - DATE '1970-01-01' AS INTEGER)"
    case DateFormatClass(moment, Literal(pattern: UTF8String, _), _) =>
      val of = calendar(moment, sql, setting)
      inKnownYears(of, s"strftime($of, ${NativeLiterals.quoted(shown(pattern.toString))})")
    case FromUnixTime(count, Literal(pattern: UTF8String, _), _) if isUtc(setting.timeZone) =>
      val of = s"make_timestamp(CAST(${sql(count)} AS BIGINT) * ${micros("SECOND")})"
      inKnownYears(of, s"strftime($of, ${NativeLiterals.quoted(shown(pattern.toString))})")
    case GetTimestamp(text, Literal(pattern: UTF8String, _), to, _, _, _) if text.dataType == StringType && (to == TimestampNTZType || isUtc(setting.timeZone)) =>
      val found = read(sql(text), pattern.toString)
      if (to == TimestampType) s"make_timestamptz(epoch_us($found))" else found
    case MakeDate(year, month, day, _) =>
      val found = s"make_date(${Seq(year, month, day).map(part => NativeTypes.cast(sql(part), LongType)).mkString(", ")})"
      s"(CASE WHEN ${sql(year)} NOT BETWEEN 1 AND 9999 THEN error('year') ELSE $found END)"
    case DateFromUnixDate(days) => s"(DATE '1970-01-01' + ${sql(days)})"
    case SecondWithFraction(moment, _) =>
      Arithmetic.scaled(s"CAST(date_part('microsecond', ${calendar(moment, sql, setting)}) AS HUGEINT)", DecimalType(8, 6))
    case TimestampAddInterval(moment, Literal(micros: Long, _: DayTimeIntervalType), _) => moved(moment, s"CAST('$micros' AS BIGINT)", sql, setting)
    case TimestampAddYMInterval(moment, Literal(months: Int, _), _) => monthsLater(moment, s"CAST('$months' AS INTEGER)", sql, setting)
    case TimestampAdd(unit, count, moment, _) => unit.toUpperCase(ROOT) match {
      case "MONTH" => monthsLater(moment, NativeTypes.cast(sql(count), IntegerType), sql, setting)
      case "QUARTER" => monthsLater(moment, s"CAST(${sql(count)} * 3 AS INTEGER)", sql, setting)
      case "YEAR" => monthsLater(moment, s"CAST(${sql(count)} * 12 AS INTEGER)", sql, setting)
      case other => moved(moment, s"CAST(${sql(count)} AS BIGINT) * ${micros(other)}", sql, setting)
    }
    case TimestampDiff(unit @ ("MONTH" | "QUARTER" | "YEAR"), start, end, _) =>
      s"(${months(calendar(start, sql, setting), calendar(end, sql, setting))} // ${Map("MONTH" -> 1, "QUARTER" -> 3, "YEAR" -> 12)(unit)})"
    case TimestampDiff(unit, start, end, _) =>
      s"((${micros(end, sql, setting)} - ${micros(start, sql, setting)}) // ${micros(unit.toUpperCase(ROOT))})"
    // Cut towards 1970, unlike the other ones.
    case UnixTimestamp(moment, _, _, _) if moment.dataType == TimestampType => s"(epoch_us(${finite(sql(moment))}) // ${micros("SECOND")})"
    case ToUnixTimestamp(moment, _, _, _) if moment.dataType == TimestampType => s"(epoch_us(${finite(sql(moment))}) // ${micros("SECOND")})"
    case UnixSeconds(moment) => seconds(sql(moment))
    case UnixMicros(moment) => s"epoch_us(${finite(sql(moment))})"
    case SecondsToTimestamp(count) if count.dataType.isInstanceOf[IntegralType] => s"make_timestamptz(CAST(${sql(count)} AS BIGINT) * ${micros("SECOND")})"
    case MillisToTimestamp(count) => s"make_timestamptz(CAST(${sql(count)} AS BIGINT) * ${micros("MILLISECOND")})"
    case MicrosToTimestamp(count) => s"make_timestamptz(CAST(${sql(count)} AS BIGINT))"
    case DateDiff(end, start) => s"CAST(${finite(sql(end))} - ${finite(sql(start))} AS INTEGER)"
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

  /** Whole ones since 1970, cut towards the past. */
  def seconds(moment: String): String = s"((epoch_us(${finite(moment)}) - (epoch_us($moment) % 1000000 + 1000000) % 1000000) // 1000000)"

  private def micros(unit: String): String = s"CAST('${unit match {
    case "MICROSECOND" => 1L
    case "MILLISECOND" => 1000L
    case "SECOND" => 1000000L
    case "MINUTE" => 60000000L
    case "HOUR" => 3600000000L
    case "DAY" | "DAYOFYEAR" => 86400000000L
    case "WEEK" => 7 * 86400000000L
    case _ => Refused("time in another unit")
  }}' AS BIGINT)"

  private def micros(moment: Expression, sql: Expression => String, setting: Setting): String = s"epoch_us(${calendar(moment, sql, setting)})"

  /** Whole months between two times, as Java counts them: by days of the month, of which the last one is over at the same time of day. */
  private def months(start: String, end: String): String = {
    def packed(day: String): String = s"((year($day) * 12 + month($day)) * 32 + day($day))"
    val (first, last) = (s"CAST($start AS DATE)", s"CAST($end AS DATE)")
    val over = s"($last + CASE WHEN $last > $first AND CAST($end AS TIME) < CAST($start AS TIME) THEN -1 " +
      s"WHEN $last < $first AND CAST($end AS TIME) > CAST($start AS TIME) THEN 1 ELSE 0 END)"
    s"((${packed(over)} - ${packed(first)}) // 32)"
  }

  /** In UTC each day has as many microseconds as the next. */
  private def moved(moment: Expression, by: String, sql: Expression => String, setting: Setting): String =
    s"make_timestamp${if (moment.dataType == TimestampType) "tz" else ""}(${micros(moment, sql, setting)} + $by)"

  private def monthsLater(moment: Expression, months: String, sql: Expression => String, setting: Setting): String = {
    val later = s"(${calendar(moment, sql, setting)} + to_months($months))"
    if (moment.dataType == TimestampType) s"make_timestamptz(epoch_us($later))" else later
  }

  /** Beyond them the two write years differently. */
  def inKnownYears(moment: String, text: String): String =
    s"(CASE WHEN $moment < TIMESTAMP '0001-01-01' OR $moment >= TIMESTAMP '9999-12-31 23:59:59.999999' THEN error('year') ELSE $text END)"

  private val signs = Seq("yyyy" -> "%Y", "MMMM" -> "%B", "MMM" -> "%b", "MM" -> "%m", "dd" -> "%d", "EEEE" -> "%A", "EEE" -> "%a", "E" -> "%a",
    "HH" -> "%H", "hh" -> "%I", "mm" -> "%M", "ss" -> "%S", "a" -> "%p")

  /** A pattern of Spark's in the kernel's letters. */
  private def shown(pattern: String): String = if (pattern.isEmpty) "" else if ("-/:., ".contains(pattern.head)) s"${pattern.head}${shown(pattern.tail)}"
  else {
    val run = pattern.takeWhile(_ == pattern.head)
    signs.collectFirst { case (letters, sign) if letters == run => sign + shown(pattern.drop(run.length)) }.getOrElse(Refused("date_format with another pattern"))
  }

  private val digits = Map("%Y" -> "[0-9]{4}", "%m" -> "(0[1-9]|1[0-2])", "%d" -> "(0[1-9]|[12][0-9]|3[01])", "%H" -> "([01][0-9]|2[0-3])", "%M" -> "[0-5][0-9]",
    "%S" -> "[0-5][0-9]")

  /** Text of exactly these digits and signs. */
  private def read(text: String, pattern: String): String = {
    val signs = shown(pattern)
    def count(sign: String): Int = signs.split(sign, -1).length - 1
    if (!Seq("%Y", "%m", "%d").forall(count(_) == 1)) Refused("time without a day in another pattern")
    if (digits.keys.exists(count(_) > 1)) Refused("time with something twice")
    val spelled = "%.|.".r.findAllIn(signs).map(sign => if (sign.startsWith("%")) digits.getOrElse(sign, Refused("time in another pattern")) else s"[$sign]").mkString
    val found = s"strptime($text, ${NativeLiterals.quoted(signs)})"
    s"(CASE WHEN regexp_full_match($text, '$spelled') THEN ${inKnownYears(found, found)} WHEN $text IS NOT NULL THEN error('spelling') END)"
  }

  private def field(name: String, of: Expression, sql: Expression => String, setting: Setting): String =
    s"CAST($name(${calendar(of, sql, setting)}) AS INTEGER)"

  /** The last day and moment that Spark counts, and their opposites, are infinity to the kernel, which counts on from there otherwise: an error here. */
  def finite(moment: String): String = s"(CASE WHEN isinf($moment) THEN error('infinity') ELSE $moment END)"

  /** What must not fail for any day: the two are told what Spark says of them. */
  private def ofAnyDay(number: UnaryExpression, sql: Expression => String)(of: String => String): String = {
    val day = sql(number.child)
    def at(days: Int): Any = number.withNewChildren(Seq(Literal(days, DateType))).eval()
    s"(CASE WHEN isinf($day) THEN CASE WHEN $day > DATE '1970-01-01' THEN ${at(Int.MaxValue)} ELSE ${at(-Int.MaxValue)} END ELSE CAST(${of(day)} AS INTEGER) END)"
  }

  private def whole(days: Expression): Boolean = days.dataType == IntegerType

  /** As a date or a time of no zone. */
  def calendar(of: Expression, sql: Expression => String, setting: Setting): String = of.dataType match {
    case DateType | TimestampNTZType => finite(sql(of))
    case TimestampType if isUtc(setting.timeZone) => s"make_timestamp(epoch_us(${finite(sql(of))}))"
    case TimestampType => Refused("time zone other than UTC")
    case other => Refused(s"date function of type ${other.typeName}")
  }

  def isUtc(zone: String): Boolean = Set("UTC", "Etc/UTC", "Z", "+00:00").contains(zone)
}
