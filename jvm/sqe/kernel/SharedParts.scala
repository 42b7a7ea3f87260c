package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable

/**
 * Parts that stand several times in the text of a fragment, and are made once. Spark's optimizer puts a semi join on both sides of a join
 * if it can (TPC-H's query 18), and counts on one exchange for the two; and it plans a WITH once for each place that asks it (query 15), with other
 * numbers of its columns and only those that the place needs. The kernel would aggregate the same table again. Only
 * parts that cost much: a scan that is made before its rows are wanted has no filter of a join any more.
 */
final class SharedParts {
  private val parts = mutable.LinkedHashSet[Groups]()

  def note(part: Groups): String = {
    parts += part
    part.text
  }

  /**
   * Of parts in parts the largest; columns have numbers of their own, so that the same text is the same rows. Only parts with a quote, such as those
   * around a file's name: in a user's constant it would be written twice, so that nobody can write a constant that looks like a part.
   */
  def apply(sql: String): String = {
    val ours = parts.toSeq.filter(_.text.contains('\''))
    val (alone, joined) = SharedParts.alike(ours).foldLeft((sql, Vector[String]())) { case ((text, made), alike) =>
      SharedParts.joined(text, alike, s"shared_${made.length}_").fold((text, made)) { case (rest, part) => (rest, made :+ part) }
    }
    val (rest, made) = ours.map(_.text).sortBy(-_.length).foldLeft((alone, joined)) { case ((text, made), part) =>
      val name = s"shared_${made.length}_"
      if (text.indexOf(part) == text.lastIndexOf(part)) (text, made)
      else (text.replace(part, s"SELECT * FROM $name"), made :+ s"$name AS MATERIALIZED ($part)")
    }
    if (made.isEmpty) rest else made.mkString("WITH ", ", ", s" $rest")
  }
}

/** An aggregate: values under names, of groups of rows (`FROM … GROUP BY …`). */
final case class Groups(items: Seq[(String, String)], source: String) {
  val text: String = s"SELECT ${Select.list(items.map { case (value, name) => s"$value AS $name" })} $source"
}

object SharedParts {
  /** Those of the same groups of the same rows: their sources differ in the numbers of columns alone. The largest first. */
  private def alike(parts: Seq[Groups]): Seq[Seq[Groups]] = parts.groupBy(part => ColumnNumbers.inOrder(part.source)).toSeq
    .collect { case (source, several) if several.length > 1 => (source, several) }.sortBy { case (source, _) => (-source.length, source) }.map(_._2)

  /** The text with all that these parts ask for made once, if it still has two of them. */
  private def joined(text: String, alike: Seq[Groups], name: String): Option[(String, String)] = {
    val asked = alike.filter(part => text.contains(part.text))
    val items = asked.flatMap { part =>
      val first = ColumnNumbers.in(part.source).zip(ColumnNumbers.in(asked.head.source)).toMap
      part.items.map { case (value, column) => if (ColumnNumbers.in(value).forall(first.contains)) Some((ColumnNumbers.renamed(value, first), column)) else None }
    }
    val known = items.flatten.distinct
    if (asked.length < 2 || items.contains(None) || known.map(_._2).distinct.length < known.length) None
    else {
      val rest = asked.foldLeft(text)((before, part) => before.replace(part.text, s"SELECT ${Select.list(part.items.map(_._2))} FROM $name"))
      Some((rest, s"$name AS MATERIALIZED (${Groups(known, asked.head.source).text})"))
    }
  }
}
