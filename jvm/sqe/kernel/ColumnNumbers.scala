package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable
import scala.util.matching.Regex

/**
 * The columns in a fragment's text: `c` and Spark's number, bare or as the name of one in a mapping of files. What is quoted is something else,
 * whatever it looks like: a table's own column may be called c1, and a constant may say so.
 */
object ColumnNumbers {
  /** Two quotes within quotes end one word and begin another, so that long ones need no stack. */
  private val word = """name: '(c\d+)'|'[^']*+'|"[^"]*+"|\b(c\d+)\b""".r

  /** As they come, each as often as it stands there. */
  def in(text: String): Seq[String] = word.findAllMatchIn(text).flatMap(_.subgroups.find(_ != null)).toSeq

  def renamed(text: String, names: String => String): String = word.replaceAllIn(text, found => Regex.quoteReplacement(found.subgroups match {
    case List(named: String, _) => s"name: '${names(named)}'"
    case List(_, bare: String) => names(bare)
    case _ => found.matched
  }))

  /** The text with its columns numbered as they come: Spark's numbers are new in every plan. Two such texts are the same only if they mean the same. */
  def inOrder(text: String): String = {
    val numbers = mutable.HashMap[String, Int]()
    renamed(text, column => s"c${numbers.getOrElseUpdate(column, numbers.size)}")
  }
}
