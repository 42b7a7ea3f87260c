package org.apache.spark.sql.sqe.kernel

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Regular expressions, of the small language that Java and the kernel read alike: characters, `.`, classes of plain characters,
 * `\d \w` and escaped signs, groups, `|`, `^ $`, and `* + ?` (also lazy) behind anything but a group, `?` behind that, too.
 *
 * | function | why it is exact |
 * |---|---|
 * | RLIKE | both look for a match anywhere |
 * | regexp_extract | the leftmost match, alternatives from the left, in both; nothing is an empty text |
 * | regexp_replace | where the pattern begins with `^` and has no `|`, so that there is one match at most |
 *
 * They differ on line ends (`.` and `$`): a text that has one is an error here, and Spark's answer there.
 */
object Patterns {
  def table(sql: Expression => String): PartialFunction[Expression, String] = {
    case RLike(text, Literal(pattern: UTF8String, _)) if isText(text) => oneLine(sql(text), s"regexp_matches(${sql(text)}, ${spelled(pattern)})")
    case RegExpExtract(text, Literal(pattern: UTF8String, _), Literal(group: Int, _)) if isText(text) && group >= 0 && group <= groups(pattern) =>
      oneLine(sql(text), s"regexp_extract(${sql(text)}, ${spelled(pattern)}, $group)")
    case RegExpReplace(text, Literal(pattern: UTF8String, _), Literal(by: UTF8String, _), Literal(1, _)) if isText(text) =>
      if (!pattern.toString.startsWith("^") || pattern.toString.contains('|')) Refused("replacement of many matches")
      oneLine(sql(text), s"regexp_replace(${sql(text)}, ${spelled(pattern)}, ${NativeLiterals.quoted(replacement(by.toString, groups(pattern)))})")
  }

  private def isText(expression: Expression): Boolean = expression.dataType match {
    case text: StringType => NativeTypes.isBinary(text)
    case _ => false
  }

  private def oneLine(text: String, matched: String): String =
    s"(CASE WHEN regexp_matches($text, '[\\x0a\\x0d\\x{85}\\x{2028}\\x{2029}]') THEN error('lines') ELSE $matched END)"

  private val plain = "[A-Za-z0-9 _/:;,=<>@#%&!~\"'-]"
  private val escaped = "\\\\[dw.\\[\\](){}*+?^$|/-]"
  private val classOfSigns = "\\[\\^?[A-Za-z0-9 _/:;,=<>@#%!~.()*+?$|]+(?:-[A-Za-z0-9_/.]*)*\\]"
  private val one = s"(?:$plain|$escaped|$classOfSigns|\\.)"
  /** One part after the other; that the groups are closed is Java's to say. */
  private val language = s"\\^?(?:$one(?:[*+?]\\??)?|\\((?:\\?:)?|\\)\\??|\\|)*\\$$?".r

  private def spelled(pattern: UTF8String): String = {
    val text = pattern.toString
    val known = language.pattern.matcher(text).matches() && Try(java.util.regex.Pattern.compile(text)).isSuccess
    if (!known) Refused("regular expression that two engines may read differently")
    NativeLiterals.quoted(text)
  }

  private def groups(pattern: UTF8String): Int =
    Try(java.util.regex.Pattern.compile(pattern.toString).matcher("").groupCount).getOrElse(Refused("regular expression that is none"))

  /** Java says `$1`, the kernel `\1`. */
  private def replacement(text: String, groups: Int): String = {
    if (text.contains('\\') || "\\$(?![0-9](?![0-9]))".r.findFirstIn(text).isDefined) Refused("replacement with an escape")
    "\\$([0-9])".r.replaceAllIn(text, found => {
      if (found.group(1).toInt > groups) Refused("replacement by a group that is none")
      java.util.regex.Matcher.quoteReplacement("\\" + found.group(1))
    })
  }
}
