package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Functions of text.
 *
 * | function | why it is exact |
 * |---|---|
 * | LIKE with a constant pattern | `%` and `_` mean any text and one code point, also over line ends; an escape stands before one of these or itself, else it is refused |
 * | starts_with, ends_with, contains | bytes compared, in both |
 * | substring (left, right) | code points, in both; Spark's rules for positions below 1 are spelled out |
 * | replace, instr and locate of a constant that is not empty | the same occurrences, from the left; code points |
 * | length, octet_length, concat | code points, bytes; NULL if any part is |
 * | concat_ws with a constant | NULLs are left out, in both |
 * | lpad, rpad to a constant length with a constant that is not empty | code points, cut at the end |
 * | split by plain text, split_part, substring_index by one sign | the same pieces, empty ones too |
 * | reverse, initcap, repeat | of ASCII, where a sign is a byte; words end at blanks alone; so many times |
 * | translate by constants | each sign by the one at its place, or none; a sign that is there twice is refused |
 * | md5, sha1, sha2 of 256 bits | of the same bytes, in small hexadecimal digits |
 * | upper, lower | of ASCII, where both agree; other text is an error here and Spark's rules there |
 * | trim, ltrim, rtrim | of spaces only, as Spark does |
 */
object Texts {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case Like(text, Literal(pattern: UTF8String, _), escape) if isText(text) =>
      if (!isEscapedRight(pattern.toString, escape)) Refused("LIKE with an escape of another sign")
      s"(${sql(text)} LIKE ${NativeLiterals.quoted(pattern)} ESCAPE ${NativeLiterals.quoted(escape.toString)})"
    case StartsWith(text, part) if isText(text) && isText(part) => s"starts_with(${sql(text)}, ${sql(part)})"
    case EndsWith(text, part) if isText(text) && isText(part) => s"suffix(${sql(text)}, ${sql(part)})"
    case Contains(text, part) if isText(text) && isText(part) => s"contains(${sql(text)}, ${sql(part)})"
    case Substring(text, Literal(from: Int, _), Literal(length: Int, _)) if isText(text) => part(sql(text), from, length)
    case Substring(text, from, length) if isText(text) => anyPart(sql(text), NativeTypes.cast(sql(from), LongType), NativeTypes.cast(sql(length), LongType))
    case StringReplace(text, Literal(old: UTF8String, _), Literal(by: UTF8String, _)) if isText(text) && old.numBytes > 0 =>
      s"replace(${sql(text)}, ${NativeLiterals.quoted(old)}, ${NativeLiterals.quoted(by)})"
    case StringInstr(text, Literal(part: UTF8String, _)) if isText(text) && part.numBytes > 0 =>
      NativeTypes.cast(s"instr(${sql(text)}, ${NativeLiterals.quoted(part)})", IntegerType)
    case StringLocate(Literal(part: UTF8String, _), text, Literal(1, _)) if isText(text) && part.numBytes > 0 =>
      NativeTypes.cast(s"instr(${sql(text)}, ${NativeLiterals.quoted(part)})", IntegerType)
    case ConcatWs(Literal(separator: UTF8String, _) +: parts) if parts.nonEmpty && parts.forall(isText) =>
      s"concat_ws(${(NativeLiterals.quoted(separator) +: parts.map(sql)).mkString(", ")})"
    case StringLPad(text, Literal(length: Int, _), Literal(by: UTF8String, _)) if isText(text) && isShort(length) && by.numBytes > 0 =>
      s"lpad(${sql(text)}, $length, ${NativeLiterals.quoted(by)})"
    case StringRPad(text, Literal(length: Int, _), Literal(by: UTF8String, _)) if isText(text) && isShort(length) && by.numBytes > 0 =>
      s"rpad(${sql(text)}, $length, ${NativeLiterals.quoted(by)})"
    case StringSplit(text, Literal(by: UTF8String, _), Literal(-1, _)) if isText(text) => s"string_split(${sql(text)}, ${NativeLiterals.quoted(plain(by.toString))})"
    case ElementAt(StringSplitSQL(text, Literal(by: UTF8String, _)), Literal(at: Int, _), Some(Literal(nothing: UTF8String, _)), _)
        if isText(text) && by.numBytes > 0 && at != 0 && at != Int.MinValue && nothing.numBytes == 0 => s"split_part(${sql(text)}, ${NativeLiterals.quoted(by)}, $at)"
    case SubstringIndex(text, Literal(by: UTF8String, _), Literal(count: Int, _)) if isText(text) && by.numBytes == 1 && count != 0 && isShort(math.abs(count)) =>
      val pieces = s"string_split(${sql(text)}, ${NativeLiterals.quoted(by)})"
      s"array_to_string(list_slice($pieces, ${if (count > 0) s"1, $count" else s"$count, -1"}), ${NativeLiterals.quoted(by)})"
    case StringRepeat(text, Literal(count: Int, _)) if isText(text) && isShort(count) => s"repeat(${sql(text)}, $count)"
    case InitCap(text) if isText(text) =>
      ofAscii(sql(text), (of: String) => s"array_to_string(list_transform(string_split(lower($of), ' '), lambda word: upper(substring(word, 1, 1)) || substring(word, 2)), ' ')")
    case StringTranslate(text, Literal(from: UTF8String, _), Literal(to: UTF8String, _)) if isText(text) && hasEachOnce(from) =>
      s"translate(${sql(text)}, ${NativeLiterals.quoted(from)}, ${NativeLiterals.quoted(to)})"
    case Reverse(text) if isText(text) => ofAscii(sql(text), "reverse")
    case Md5(Cast(text, BinaryType, _, _)) if isText(text) => s"md5(${sql(text)})"
    case Sha1(Cast(text, BinaryType, _, _)) if isText(text) => s"sha1(${sql(text)})"
    case Sha2(Cast(text, BinaryType, _, _), Literal(256 | 0, _)) if isText(text) => s"sha256(${sql(text)})"
    case OctetLength(text) if isText(text) => NativeTypes.cast(s"strlen(${sql(text)})", IntegerType)
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
    else taken(text, s"(length($text) + CAST('$from' AS BIGINT))", s"CAST('$length' AS BIGINT)")

  private def anyPart(text: String, from: String, length: String): String =
    taken(text, s"(CASE WHEN $from > 0 THEN $from - 1 WHEN $from < 0 THEN length($text) + $from WHEN $from = 0 THEN 0 END)", length)

  /** From a position that may lie before the start. */
  private def taken(text: String, start: String, length: String): String =
    s"(CASE WHEN $start IS NULL OR $length IS NULL THEN NULL ELSE " +
      s"substring($text, greatest($start, 0) + 1, greatest(greatest($start + $length, 0) - greatest($start, 0), 0)) END)"

  private def isEscapedRight(pattern: String, escape: Char): Boolean = {
    val rest = pattern.replaceAll(s"\\Q$escape\\E[%_\\Q$escape\\E]", "")
    escape != '%' && escape != '_' && rest.indexOf(escape.toInt) < 0
  }

  /** A regular expression that is but text; signs that mean something there are escaped. */
  private def plain(pattern: String): String = {
    if (!pattern.matches("(?:[A-Za-z0-9 ,;:/_=&#@!%<>~\"'\u0080-\ud7ff-]|\\\\[^A-Za-z0-9])+")) Refused("split by a regular expression")
    pattern.replaceAll("(?s)\\\\(.)", "$1")
  }

  private def isShort(length: Int): Boolean = length <= 10000

  private def isText(expression: Expression): Boolean = expression.dataType match {
    case text: StringType => NativeTypes.isBinary(text)
    case _ => false
  }

  /** As many bytes as characters: ASCII. */
  private def ofAscii(text: String, function: String): String = ofAscii(text, (of: String) => s"$function($of)")

  private def ofAscii(text: String, call: String => String): String =
    s"(CASE WHEN strlen($text) <> length($text) THEN error('letters') ELSE ${call(text)} END)"

  private def hasEachOnce(signs: UTF8String): Boolean = {
    val points = signs.toString.codePoints.toArray
    points.nonEmpty && points.distinct.length == points.length
  }
}
