package org.apache.spark.sql.sqe

import java.sql.Types
import java.time.ZoneId

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types._

/** A column's type in Trino's words, and what `system.jdbc` says of it: the numbers are those of Trino's own tables. */
final case class TrinoType(name: String, jdbc: Int, size: Option[Long] = None, digits: Option[Long] = None, radix: Option[Long] = None, octets: Option[Long] = None)

object TrinoType {
  private val unbounded = Some(Int.MaxValue.toLong)
  private val zoneLength = ZoneId.getAvailableZoneIds.asScala.map(_.length).max
  private def whole(name: String, jdbc: Int, size: Long) = TrinoType(name, jdbc, Some(size), radix = Some(10))
  private def part(digits: Int) = math.min(digits, 1) + digits // the point and the digits after it

  def of(kind: DataType): TrinoType = kind match {
    case BooleanType => TrinoType("boolean", Types.BOOLEAN)
    case ByteType => whole("tinyint", Types.TINYINT, 3)
    case ShortType => whole("smallint", Types.SMALLINT, 5)
    case IntegerType => whole("integer", Types.INTEGER, 10)
    case LongType => whole("bigint", Types.BIGINT, 19)
    case FloatType => TrinoType("real", Types.REAL, Some(24), radix = Some(2))
    case DoubleType => TrinoType("double", Types.DOUBLE, Some(53), radix = Some(2))
    case decimal: DecimalType =>
      TrinoType(s"decimal(${decimal.precision},${decimal.scale})", Types.DECIMAL, Some(decimal.precision), Some(decimal.scale), Some(10))
    case _: StringType => TrinoType("varchar", Types.VARCHAR, unbounded, octets = unbounded)
    case BinaryType => TrinoType("varbinary", Types.VARBINARY, unbounded, octets = unbounded)
    case DateType => TrinoType("date", Types.DATE, Some(14))
    case time: TimeType => TrinoType(s"time(${time.precision})", Types.TIME, Some(8L + part(time.precision)), Some(time.precision.toLong))
    case TimestampNTZType => TrinoType("timestamp(6)", Types.TIMESTAMP, Some(21L + part(6)), Some(6))
    case TimestampType => TrinoType("timestamp(6) with time zone", Types.TIMESTAMP_WITH_TIMEZONE, Some(23L + part(6) + zoneLength), Some(6))
    case array: ArrayType => TrinoType(s"array(${of(array.elementType).name})", Types.ARRAY)
    case map: MapType => other(s"map(${of(map.keyType).name}, ${of(map.valueType).name})")
    case row: StructType => other(row.map(field => s"${spelt(field.name)} ${of(field.dataType).name}").mkString("row(", ", ", ")"))
    case _: DayTimeIntervalType => other("interval day to second")
    case _: YearMonthIntervalType => other("interval year to month")
    case unknown => other(unknown.catalogString)
  }

  /** Those that a column can have, without their sizes: the rows of `system.jdbc.types`. */
  val all: Seq[TrinoType] = Seq(BooleanType, ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType, StringType, BinaryType, DateType)
    .map(of) ++ Seq(
    TrinoType("decimal", Types.DECIMAL, Some(38), radix = Some(10)), TrinoType("time", Types.TIME, Some(12)),
    TrinoType("timestamp", Types.TIMESTAMP, Some(25)), TrinoType("timestamp with time zone", Types.TIMESTAMP_WITH_TIMEZONE, Some(27L + zoneLength)),
    TrinoType("array", Types.ARRAY), other("map"), other("row"), other("json"), other("uuid"), other("variant"),
    other("interval day to second"), other("interval year to month"))

  private def other(name: String) = TrinoType(name, Types.JAVA_OBJECT)

  private def spelt(name: String): String = if (name.matches("[a-z_][a-z0-9_]*")) name else "\"" + name.replace("\"", "\"\"") + "\""
}
