package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable

/**
 * Parts that stand several times in the text of a fragment, and are made once. Spark's optimizer puts a semi join on both sides of a join
 * if it can (TPC-H's query 18), and counts on one exchange for the two; the kernel would aggregate the same table again. Only
 * parts that cost much: a scan that is made before its rows are wanted has no filter of a join any more.
 */
final class SharedParts {
  private val parts = mutable.LinkedHashSet[String]()

  def note(part: String): String = {
    parts += part
    part
  }

  /** Of parts in parts the largest; columns have numbers of their own, so that the same text is the same rows. */
  def apply(sql: String): String = {
    val (rest, made) = parts.toSeq.sortBy(-_.length).foldLeft((sql, Vector[String]())) { case ((text, made), part) =>
      val name = s"shared_${made.length}_"
      if (text.indexOf(part) == text.lastIndexOf(part)) (text, made)
      else (text.replace(part, s"SELECT * FROM $name"), made :+ s"$name AS MATERIALIZED ($part)")
    }
    if (made.isEmpty) rest else made.mkString("WITH ", ", ", s" $rest")
  }
}
