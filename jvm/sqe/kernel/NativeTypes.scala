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
    case other => Refused(s"type ${other.typeName.takeWhile(_ != '(')}")
  }

  def isBinary(text: StringType): Boolean = text == StringType

  def check(dataType: DataType): Unit = name(dataType)

  def isFloat(dataType: DataType): Boolean = dataType == FloatType || dataType == DoubleType

  /** Of which the kernel finds the same smallest and largest value. Not floats: 0.0 and -0.0 are equal, and either may be the answer. */
  def hasExtremes(dataType: DataType): Boolean = dataType match {
    case _: IntegralType | _: DecimalType | DateType | TimestampType | TimestampNTZType | BooleanType => true
    case text: StringType => isBinary(text)
    case _ => false
  }

  def cast(sql: String, to: DataType): String = s"CAST($sql AS ${name(to)})"

  /** A column by Spark's number for it, which is unique in a plan; names are not. */
  def column(expression: NamedExpression): String = s"c${expression.exprId.id}"
}
