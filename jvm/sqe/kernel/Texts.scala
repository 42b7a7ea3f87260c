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
 * | substring (left, right) with constant bounds | code points, in both; Spark's rules for positions below 1 are spelled out |
 * | replace and instr of a constant that is not empty | the same occurrences, from the left; code points |
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
    case Substring(text, Literal(from: Int, _), Literal(length: Int, _)) if isText(text) => part(sql(text), from, length)
    case StringReplace(text, Literal(old: UTF8String, _), Literal(by: UTF8String, _)) if isText(text) && old.numBytes > 0 =>
      s"replace(${sql(text)}, ${NativeLiterals.quoted(old)}, ${NativeLiterals.quoted(by)})"
    case StringInstr(text, Literal(part: UTF8String, _)) if isText(text) && part.numBytes > 0 =>
      NativeTypes.cast(s"instr(${sql(text)}, ${NativeLiterals.quoted(part)})", IntegerType)
    case Length(text) if isText(text) => NativeTypes.cast(s"length(${sql(text)})", IntegerType)
    case Concat(parts) if parts.nonEmpty && parts.forall(isText) => parts.map(sql).mkString("(", " || ", ")")
    case Upper(text) if isText(text) => ofAscii(sql(text), "upper")
    case Lower(text) if isText(text) => ofAscii(sql(text), "lower")
    case StringTrim(text, None) if isText(text) => s"trim(${sql(text)}, ' ')"
    case StringTrimLeft(text, None) if isText(text) => s"ltrim(${sql(text)}, ' ')"
    case StringTrimRight(text, None) if isText(text) => s"rtrim(${sql(text)}, ' ')"
  }

  /** Spark: 0 means 1, a negative position counts from the end and may lie before the start, where nothing is taken. */
  private def part(text: String, from: Int, length: Int): String =
    if (length <= 0) s"substring($text, 1, 0)"
    else if (from >= 0) s"substring($text, ${math.max(from, 1)}, $length)"
    else {
      val start = s"(length($text) + CAST('$from' AS BIGINT))"
      s"substring($text, greatest($start, 0) + 1, greatest($start + CAST('$length' AS BIGINT), 0) - greatest($start, 0))"
    }

  private def isText(expression: Expression): Boolean = expression.dataType match {
    case text: StringType => NativeTypes.isBinary(text)
    case _ => false
  }

  /** As many bytes as characters: ASCII. */
  private def ofAscii(text: String, function: String): String =
    s"(CASE WHEN strlen($text) <> length($text) THEN error('letters') ELSE $function($text) END)"
}
