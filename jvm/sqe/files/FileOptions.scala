package org.apache.spark.sql.sqe.files

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The arguments of a `read_…` function: paths first, options by name, under the names that DuckDB has for them. */
final class FileOptions(function: String, arguments: Seq[Expression], known: Set[String]) {
  private val (named, positional) = arguments.partition(_.isInstanceOf[NamedArgumentExpression])

  private val values: Map[String, Any] = named.map { case NamedArgumentExpression(name, value) =>
    val lower = name.toLowerCase(Locale.ROOT)
    if (!known(lower)) throw new WrongOption(s"$function has no option $name${FileOptions.nearest(lower, known)}")
    lower -> constant(value, name)
  }.toMap

  val paths: Seq[String] = positional.map(constant(_, "path")).flatMap {
    case text: String => Seq(text)
    case many: Seq[_] => many.map(String.valueOf)
    case _ => throw new WrongOption(s"$function takes a path or an array of paths")
  }

  if (paths.isEmpty) throw new WrongOption(s"$function needs the path of a file")

  def text(names: String*): Option[String] = one(names) { case text: String => text }

  def boolean(name: String): Option[Boolean] = one(Seq(name)) { case truth: Boolean => truth }

  def number(name: String): Option[Long] = one(Seq(name)) { case number: Number => number.longValue }

  def char(name: String): Option[Char] = text(name).map { text =>
    if (text.length > 1) throw new WrongOption(s"$name takes one character") else text.headOption.getOrElse('\u0000')
  }

  /** `columns => 'a INT, b DATE'` or `columns => map('a', 'INT')`. */
  def columns: Option[StructType] = values.get("columns").map {
    case text: String => StructType.fromDDL(text)
    case pairs: Map[_, _] => StructType(pairs.toSeq.map { case (name, kind) => StructField(name.toString, DataType.fromDDL(kind.toString)) })
    case _ => throw new WrongOption("columns takes text such as 'a INT, b DATE'")
  }

  def any(name: String): Option[Any] = values.get(name)

  private def one[T](names: Seq[String])(read: PartialFunction[Any, T]): Option[T] =
    names.find(values.contains).map(name => read.applyOrElse(values(name), (_: Any) => throw new WrongOption(s"$name has a value of the wrong type")))

  private def constant(value: Expression, name: String): Any = {
    if (!value.foldable) throw new WrongOption(s"$name of $function must be a constant")
    plain(value.eval(), value.dataType)
  }

  private def plain(value: Any, kind: DataType): Any = (value, kind) match {
    case (text: UTF8String, _) => text.toString
    case (many: ArrayData, ArrayType(inner, _)) => many.toSeq[Any](inner).map(plain(_, inner))
    case (pairs: MapData, MapType(key, item, _)) =>
      scala.collection.immutable.ListMap(pairs.keyArray.toSeq[Any](key).map(plain(_, key)).zip(pairs.valueArray.toSeq[Any](item).map(plain(_, item))): _*)
    case (null, _) => throw new WrongOption(s"An argument of $function is NULL")
    case (other, _) => other
  }
}

object FileOptions {
  private def nearest(name: String, known: Set[String]): String = known.toSeq.sorted.minByOption(distance(name, _)) match {
    case Some(found) if distance(name, found) <= 3 => s": did you mean $found?"
    case _ => s": it has ${known.toSeq.sorted.mkString(", ")}"
  }

  private def distance(one: String, other: String): Int = UTF8String.fromString(one).levenshteinDistance(UTF8String.fromString(other))

  private val codes = Map('Y' -> "yyyy", 'm' -> "MM", 'd' -> "dd", 'H' -> "HH", 'M' -> "mm", 'S' -> "ss", 'f' -> "SSSSSS", 'y' -> "yy",
    'I' -> "hh", 'p' -> "a", 'b' -> "MMM", 'B' -> "MMMM", 'j' -> "DDD", 'z' -> "XX", 'Z' -> "zzz", 'g' -> "SSS", '-' -> "", '%' -> "%")

  /** `%d/%m/%Y`, which DuckDB takes, in Java's letters; Java's as they are. */
  def pattern(format: String): String =
    if (!format.contains('%')) format
    else "%(.)".r.replaceAllIn(format, found => java.util.regex.Matcher.quoteReplacement(codes.getOrElse(found.group(1).head,
      throw new WrongOption(s"%${found.group(1)} is no part of a date"))))
}
