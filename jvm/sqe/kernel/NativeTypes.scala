package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.types._

/**
 * Spark's types and the kernel's, where both hold exactly the same values.
 *
 * | Spark | kernel | why it is the same |
 * |---|---|---|
 * | BOOLEAN, TINYINT, SMALLINT, INT, BIGINT | the same names | two's complement; overflow is an error in both |
 * | FLOAT, DOUBLE | FLOAT, DOUBLE | IEEE 754; NaN equals NaN and is the greatest, -0.0 equals 0.0, in both |
 * | DECIMAL(p,s), p <= 38 | DECIMAL(p,s) | exact in both |
 * | STRING (binary collation) | VARCHAR | both compare bytes of UTF-8; other collations are refused |
 * | DATE | DATE | days since 1970, proleptic Gregorian |
 * | TIMESTAMP | TIMESTAMPTZ | microseconds since 1970 UTC |
 * | TIMESTAMP_NTZ | TIMESTAMP | microseconds of a local calendar |
 * | ARRAY, MAP, STRUCT of these | `T[]`, MAP, STRUCT | NULL, empty and full of NULLs are three things in both; a struct's names must differ in more than case |
 */
object NativeTypes {
  def name(dataType: DataType): String = dataType match {
    case BooleanType => "BOOLEAN"
    case ByteType => "TINYINT"
    case ShortType => "SMALLINT"
    case IntegerType => "INTEGER"
    case LongType => "BIGINT"
    case FloatType => "FLOAT"
    case DoubleType => "DOUBLE"
    case DateType => "DATE"
    case TimestampType => "TIMESTAMPTZ"
    case TimestampNTZType => "TIMESTAMP"
    case decimal: DecimalType if decimal.scale >= 0 => s"DECIMAL(${decimal.precision},${decimal.scale})"
    case text: StringType if isBinary(text) => "VARCHAR"
    case ArrayType(element, _) => s"${name(element)}[]"
    case MapType(key, value, _) => s"MAP(${name(key)}, ${name(value)})"
    case struct: StructType if hasOwnNames(struct) => struct.fields.map(field => s"${quoted(field.name)} ${name(field.dataType)}").mkString("STRUCT(", ", ", ")")
    case other => Refused(s"type ${other.typeName.takeWhile(_ != '(')}")
  }

  /** The kernel knows them by their letters, whatever their case. */
  private def hasOwnNames(struct: StructType): Boolean =
    struct.nonEmpty && struct.fieldNames.forall(_.nonEmpty) && struct.fieldNames.map(_.toLowerCase(java.util.Locale.ROOT)).distinct.length == struct.length

  def quoted(name: String): String = {
    if (name.indexOf(0) >= 0) Refused("name with a zero byte")
    "\"" + name.replace("\"", "\"\"") + "\""
  }

  def isFlat(dataType: DataType): Boolean = dataType match {
    case _: ArrayType | _: MapType | _: StructType => false
    case _ => true
  }

  /** Where values are compared. */
  def checkFlat(dataType: DataType): Unit = {
    if (!isFlat(dataType)) Refused("comparing nested values")
    check(dataType)
  }

  def isBinary(text: StringType): Boolean = text == StringType

  def check(dataType: DataType): Unit = name(dataType)

  def isFloat(dataType: DataType): Boolean = dataType == FloatType || dataType == DoubleType

  /** Of which the kernel finds the same smallest and largest value, whatever there is. Not floats: 0.0 and -0.0 are equal, and either may be the answer. */
  def hasExtremes(dataType: DataType): Boolean = dataType match {
    case _: IntegralType | _: DecimalType | DateType | TimestampType | TimestampNTZType | BooleanType => true
    case text: StringType => isBinary(text)
    case _ => false
  }

  def cast(sql: String, to: DataType): String = s"CAST($sql AS ${name(to)})"

  /** Of a type that is the same to Spark: which takes structs of other names for the same, and goes by the place, where the kernel goes by the name. */
  def same(sql: String, from: DataType, to: DataType): String = {
    if (!isFlat(to) && name(from) != name(to)) Refused("nested values of other names")
    cast(sql, to)
  }

  /** A column by Spark's number for it, which is unique in a plan; names are not. */
  def column(expression: NamedExpression): String = s"c${expression.exprId.id}"
}
