package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.{Expression, GetJsonObject, Literal}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Text that is JSON.
 *
 * | function | why it is exact |
 * |---|---|
 * | get_json_object with a constant path of names | text, plain numbers, truth and nothing, out of a document that both take for JSON and that has no name twice |
 * | the same, where a long number, an object or an array is found | an error here: Spark writes them in its own way |
 * | other paths, from_json, to_json, variants (the Trino dialect's JSON) | refused: other rules of what is JSON, of names that come twice, and of how numbers are written |
 */
object Jsons {
  private val names = "\\$((?:\\.[A-Za-z_][A-Za-z0-9_]*)+)".r

  def table(sql: Expression => String): PartialFunction[Expression, String] = {
    case GetJsonObject(text, Literal(path: UTF8String, _)) => path.toString match {
      case names(steps) => found(sql(text), steps.stripPrefix(".").split('.').toSeq)
      case _ => Refused("JSON path of more than names")
    }
  }

  private def found(text: String, steps: Seq[String]): String = {
    val place = path(steps)
    val kind = s"json_type($text, $place)"
    val value = s"json_extract_string($text, $place)"
    s"(CASE WHEN $text IS NULL OR $text = '' THEN NULL WHEN ${odd(text)} THEN error('json') " +
      s"WHEN $kind IS NULL OR $kind = 'NULL' THEN CASE WHEN ${twice(text, steps)} THEN error('json') END " +
      s"WHEN $kind IN ('VARCHAR', 'BOOLEAN', 'UBIGINT') OR $kind = 'BIGINT' AND $value <> '0' OR $kind = 'DOUBLE' AND ${isPlain(value)} THEN $value ELSE error('json') END)"
  }

  /** A fraction that Java writes without an exponent, of fifteen digits at most (see [[Casts]]). */
  private def isPlain(number: String): String =
    s"regexp_full_match($number, '-?[0-9]{1,7}[.][0-9]{1,8}') AND abs(CAST($number AS DOUBLE)) >= CAST('0.001' AS DOUBLE)"

  /**
   * What the kernel takes for JSON and Spark does not: commas before an end, NaN and its kind, and documents beyond Spark's bounds (a
   * thousand levels, or digits; names of 50,000 signs). No JSON is an error of the kernel's own.
   */
  private def odd(text: String): String =
    s"strlen($text) > 50000 OR regexp_matches($text, '(?i),\\s*[\\]}]|(^|[:,\\[])\\s*[-+]?(nan|inf|infinity)\\s*($$|[,\\]}])') " +
      s"OR strlen($text) > 900 AND (strlen($text) - strlen(replace(replace($text, '[', ''), '{', '')) > 900 OR regexp_matches($text, '[0-9]{300}'))"

  /** Spark looks at a second one, if there was nothing in the first. */
  private def twice(text: String, steps: Seq[String]): String = steps.indices.map { depth =>
    val keys = if (depth == 0) s"json_keys($text)" else s"json_keys($text, ${path(steps.take(depth))})"
    s"len($keys) <> len(list_distinct($keys))"
  }.mkString(" OR ")

  private def path(steps: Seq[String]): String = NativeLiterals.quoted("$" + steps.map(step => s""".\"$step\"""").mkString)
}
