package org.apache.spark.sql.sqe.kernel

import java.math.BigDecimal
import java.time.{LocalDate, LocalDateTime, ZoneOffset}
import java.time.format.DateTimeFormatter
import java.time.temporal.{ChronoField, Temporal}
import java.util.Locale.ROOT

import scala.jdk.CollectionConverters._

import org.apache.iceberg.types.Type
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.types.Types.{NestedField, TimestampType}

/**
 * What a column has in files that were written before it was added: `ADD COLUMN n INT DEFAULT 7`. The kernel takes it as text and casts it to the
 * column's type; each text here is one that it reads back as the same value. What is within structs, lists and maps it cannot be told.
 */
object FileDefaults {
  val reason = "column with a default value"
  private val moment = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", ROOT)

  def check(field: NestedField): Unit =
    if (field.initialDefault != null) text(field) else if (inside(field.`type`).exists(_.initialDefault != null)) Refused(reason)

  def text(field: NestedField): String = field.initialDefault match {
    case null => "NULL"
    case value => NativeLiterals.quoted(spelled(value, field.`type`))
  }

  private def spelled(value: Any, of: Type): String = (value, of.typeId) match {
    case (_, TypeID.BOOLEAN | TypeID.INTEGER | TypeID.LONG | TypeID.STRING) => value.toString
    case (_, TypeID.FLOAT | TypeID.DOUBLE) => NativeLiterals.spelled(value.toString)
    case (number: BigDecimal, TypeID.DECIMAL) => number.toPlainString
    case (days: Integer, TypeID.DATE) => usual(LocalDate.ofEpochDay(days.toLong)).toString
    case (micros: java.lang.Long, TypeID.TIMESTAMP) =>
      val second = Math.floorDiv(micros, 1000000L)
      val at = usual(LocalDateTime.ofEpochSecond(second, Math.floorMod(micros, 1000000L).toInt * 1000, ZoneOffset.UTC))
      moment.format(at) + (if (of.asInstanceOf[TimestampType].shouldAdjustToUTC) "+00" else "")
    case _ => Refused(reason)
  }

  private def usual[T <: Temporal](time: T): T = {
    val year = time.get(ChronoField.YEAR)
    if (year >= 1 && year <= 9999) time else Refused(reason)
  }

  private def inside(of: Type): Seq[NestedField] = of match {
    case nested: Type.NestedType => nested.fields.asScala.toSeq.flatMap(field => field +: inside(field.`type`))
    case _ => Nil
  }
}
