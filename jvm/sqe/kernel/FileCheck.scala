package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.sqe.Recent

/**
 * Whether a file is as Iceberg writes it. One without field ids, which another tool made, would read as NULLs, and one whose text
 * is not marked as text as escaped bytes; Iceberg's own reader has rules for both. Each file is looked at once in a driver's life: files of
 * a table never change.
 */
object FileCheck {
  private val known = Recent.setOf[(String, String)](100000)

  def apply(instance: NativeInstance, files: NativeFiles): Unit = {
    val names = files.names.map(_.toString).sorted.mkString(" ")
    val unknown = files.paths.filterNot(path => known.contains((path, names)))
    if (unknown.nonEmpty) {
      val odd = instance.first(s"SELECT file_name FROM parquet_schema(${unknown.map(NativeLiterals.quoted).mkString("[", ", ", "]")}) " +
        s"WHERE type IS NOT NULL AND (field_id IS NULL${unmarked(files.texts)}${renamed(files.names)}) LIMIT 1")
      if (odd.isDefined || changed(instance, unknown, files.names)) Refused("file that Iceberg did not write")
      unknown.foreach(path => known.add((path, names)))
    }
  }

  /** A copy that was made again. */
  def forget(path: String): Unit = known.removeIf(_._1 == path)

  private def renamed(names: Seq[FieldName]): String = names.collect { case FieldName(id, name, None) => s" OR (field_id = $id) <> (name = ${NativeLiterals.quoted(name)})" }.mkString

  /** Whether a file has a nested column without one of the fields that are read of it. */
  private def changed(instance: NativeInstance, paths: Seq[String], names: Seq[FieldName]): Boolean = {
    val missing = names.collect { case FieldName(id, name, Some(column)) =>
      s"bool_or(field_id = $column) AND NOT bool_or(field_id = $id AND name = ${NativeLiterals.quoted(name)})"
    }
    missing.nonEmpty && instance.first(s"SELECT file_name FROM parquet_schema(${paths.map(NativeLiterals.quoted).mkString("[", ", ", "]")}) " +
      s"GROUP BY file_name HAVING ${missing.mkString(" OR ")} LIMIT 1").isDefined
  }

  private def unmarked(texts: Seq[Int]): String =
    if (texts.isEmpty) "" else s" OR (field_id IN (${texts.mkString(", ")}) AND converted_type IS NULL AND logical_type IS NULL)"
}
