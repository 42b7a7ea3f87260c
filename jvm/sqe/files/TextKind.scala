package org.apache.spark.sql.sqe.files

import java.time.format.{DateTimeFormatter, ResolverStyle}

import scala.util.Try

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** What texts of a column all are. `format` is for dates that are not written ISO's way. */
final case class TextKind(dataType: DataType, format: Option[String] = None)

object TextKind {
  val none: TextKind = TextKind(NullType)
  val text: TextKind = TextKind(StringType)

  private val whole = "[+-]?[0-9]{1,18}".r.pattern
  private val number = "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?".r.pattern
  private val isoDate = "[0-9]{4}-[0-9]{2}-[0-9]{2}".r.pattern
  private val isoMoment = "[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?( ?(Z|UTC|[+-][0-9]{2}:?([0-9]{2})?))?".r.pattern

  private val dates = Seq("dd/MM/yyyy", "MM/dd/yyyy", "dd.MM.yyyy", "dd-MM-yyyy", "MM-dd-yyyy", "yyyy/MM/dd", "yyyyMMdd")
  private val moments = Seq("dd/MM/yyyy HH:mm:ss", "MM/dd/yyyy HH:mm:ss", "dd.MM.yyyy HH:mm:ss", "yyyy/MM/dd HH:mm:ss", "MM/dd/yyyy hh:mm:ss a")
  private val candidates: Seq[TextKind] =
    Seq(TextKind(BooleanType), TextKind(LongType), TextKind(DoubleType), TextKind(DateType)) ++
      dates.filter(_ != "yyyyMMdd").map(format => TextKind(DateType, Some(format))) ++ Seq(TextKind(TimestampType)) ++
      moments.map(format => TextKind(TimestampType, Some(format)))

  /** The first kind that all values are of. */
  def of(values: Iterator[String], hints: CsvHints): TextKind = {
    val given = hints.dateFormat.map(format => TextKind(DateType, Some(format))).toSeq ++
      hints.timestampFormat.map(format => TextKind(TimestampType, Some(format)))
    var left = (given ++ candidates).map(kind => kind -> test(kind))
    var any = false
    while (values.hasNext && left.nonEmpty) {
      val value = values.next()
      any = true
      left = left.filter { case (_, fits) => fits(value) }
    }
    if (!any) none else left.headOption.map(_._1).getOrElse(text)
  }

  /** Of a text in JSON, where numbers are no texts. */
  def ofJson(value: String): DataType =
    if (isoDate.matcher(value).matches && isDate(value)) DateType
    else if (isoMoment.matcher(value).matches && isMoment(value)) TimestampType
    else StringType

  private def test(kind: TextKind): String => Boolean = kind match {
    case TextKind(NullType, _) => _ => false
    case TextKind(BooleanType, _) => value => value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")
    case TextKind(LongType, _) => value => whole.matcher(value).matches || Try(value.toLong).isSuccess
    case TextKind(DoubleType, _) => value => number.matcher(value).matches
    case TextKind(DateType, None) => value => isoDate.matcher(value).matches && isDate(value)
    case TextKind(TimestampType, None) => value => isoMoment.matcher(value).matches && isMoment(value)
    case TextKind(_, Some(format)) =>
      val parser = Try(DateTimeFormatter.ofPattern(format.replace("yyyy", "uuuu"), java.util.Locale.US).withResolverStyle(ResolverStyle.STRICT))
        .getOrElse(throw new WrongOption(s"$format is no pattern of a date"))
      value => value.length >= 8 && Try(parser.parse(value)).isSuccess
    case _ => _ => true
  }

  private def isDate(value: String): Boolean = DateTimeUtils.stringToDate(UTF8String.fromString(value)).isDefined

  private def isMoment(value: String): Boolean =
    DateTimeUtils.stringToTimestamp(UTF8String.fromString(value), java.time.ZoneOffset.UTC).isDefined
}
