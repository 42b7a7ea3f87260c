package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Functions of text.
 *
 * | function | why it is exact |
 * |---|---|
 * | LIKE with a constant pattern | `%` and `_` mean any text and one code point, also over line ends; patterns with an escape are refused |
 * | starts_with, ends_with, contains | bytes compared, in both |
 * | substring from a constant position >= 1, length >= 0 | code points, in both |
 * | length, concat | code points; NULL if any part is |
 * | upper, lower | of ASCII, where both agree; other text is an error here and Spark's rules there |
 * | trim, ltrim, rtrim | of spaces only, as Spark does |
 */
object Texts {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case Like(text, Literal(pattern: UTF8String, _), escape) if isText(text) =>
      if (pattern.toString.indexOf(escape.toInt) >= 0) Refused("LIKE with an escape")
      s"(${sql(text)} LIKE ${NativeLiterals.quoted(pattern)} ESCAPE ${NativeLiterals.quoted(escape.toString)})"
    case StartsWith(text, Literal(part: UTF8String, _)) if isText(text) => s"starts_with(${sql(text)}, ${NativeLiterals.quoted(part)})"
    case EndsWith(text, Literal(part: UTF8String, _)) if isText(text) => s"suffix(${sql(text)}, ${NativeLiterals.quoted(part)})"
    case Contains(text, Literal(part: UTF8String, _)) if isText(text) => s"contains(${sql(text)}, ${NativeLiterals.quoted(part)})"
    case Substring(text, Literal(from: Int, _), Literal(length: Int, _)) if isText(text) && from >= 1 && length >= 0 =>
      s"substring(${sql(text)}, $from, $length)"
    case Length(text) if isText(text) => NativeTypes.cast(s"length(${sql(text)})", IntegerType)
    case Concat(parts) if parts.nonEmpty && parts.forall(isText) => parts.map(sql).mkString("(", " || ", ")")
    case Upper(text) if isText(text) => ofAscii(sql(text), "upper")
    case Lower(text) if isText(text) => ofAscii(sql(text), "lower")
    case StringTrim(text, None) if isText(text) => s"trim(${sql(text)}, ' ')"
    case StringTrimLeft(text, None) if isText(text) => s"ltrim(${sql(text)}, ' ')"
    case StringTrimRight(text, None) if isText(text) => s"rtrim(${sql(text)}, ' ')"
  }

  private def isText(expression: Expression): Boolean = expression.dataType match {
    case text: StringType => NativeTypes.isBinary(text)
    case _ => false
  }

  /** As many bytes as characters: ASCII. */
  private def ofAscii(text: String, function: String): String =
    s"(CASE WHEN strlen($text) <> length($text) THEN error('letters') ELSE $function($text) END)"
}
