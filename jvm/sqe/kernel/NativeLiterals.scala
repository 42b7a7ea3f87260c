package org.apache.spark.sql.sqe.kernel

import java.time.LocalDate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Constants, each with its type: the kernel never guesses one. */
object NativeLiterals {
  def apply(value: Any, dataType: DataType): String = if (value == null) NativeTypes.cast("NULL", dataType) else dataType match {
    case BooleanType => value.toString.toUpperCase(java.util.Locale.ROOT)
    case _: IntegralType => NativeTypes.cast(s"'$value'", dataType)
    case decimal: DecimalType => NativeTypes.cast(s"'${value.asInstanceOf[Decimal].toJavaBigDecimal.toPlainString}'", decimal)
    case text: StringType => NativeTypes.check(text); quoted(value.asInstanceOf[UTF8String])
    // Java prints the shortest digits that read back as the same number, and both sides read exactly.
    case DoubleType => NativeTypes.cast(s"'${spelled(value.toString)}'", DoubleType)
    case FloatType => NativeTypes.cast(s"'${spelled(value.toString)}'", FloatType)
    case DateType => date(value.asInstanceOf[Int])
    case TimestampType => s"make_timestamptz(${NativeTypes.cast(s"'$value'", LongType)})"
    case TimestampNTZType => s"make_timestamp(${NativeTypes.cast(s"'$value'", LongType)})"
    case ArrayType(element, _) => NativeTypes.cast(each(value.asInstanceOf[ArrayData], element).mkString("[", ", ", "]"), dataType)
    case MapType(key, of, _) =>
      val map = value.asInstanceOf[MapData]
      NativeTypes.cast(s"MAP([${each(map.keyArray, key).mkString(", ")}], [${each(map.valueArray, of).mkString(", ")}])", dataType)
    case struct: StructType =>
      val row = value.asInstanceOf[InternalRow]
      NativeTypes.cast(struct.fields.zipWithIndex.map { case (field, i) => s"${NativeTypes.quoted(field.name)} := ${apply(row.get(i, field.dataType), field.dataType)}" }
        .mkString("struct_pack(", ", ", ")"), dataType)
    case other => Refused(s"constant of type ${other.typeName.takeWhile(_ != '(')}")
  }

  private def each(values: ArrayData, of: DataType): Seq[String] = {
    if (values.numElements() > manyValues) Refused("constant of many values")
    (0 until values.numElements()).map(i => apply(if (values.isNullAt(i)) null else values.get(i, of), of))
  }

  private val manyValues = 1000

  def quoted(text: UTF8String): String = {
    if (!text.isValid) Refused("text that is not UTF-8")
    quoted(text.toString)
  }

  def quoted(text: String): String = {
    if (text.indexOf(0) >= 0) Refused("text with a zero byte")
    "'" + text.replace("'", "''") + "'"
  }

  /** A float or double, as Java prints it. */
  def spelled(number: String): String = number match {
    case "NaN" => "nan"
    case "Infinity" => "inf"
    case "-Infinity" => "-inf"
    case other => other
  }

  private def date(days: Int): String = {
    val day = LocalDate.ofEpochDay(days.toLong)
    if (day.getYear < 1 || day.getYear > 9999) Refused("date outside the years 1 to 9999")
    s"DATE '$day'"
  }
}
