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
    val columns = files.names.map(_.toString).sorted.mkString(" ")
    val unknown = files.paths.filterNot(path => known.contains((path, columns)))
    if (unknown.nonEmpty) {
      val odd = instance.first(s"SELECT file_name FROM parquet_schema(${unknown.map(NativeLiterals.quoted).mkString("[", ", ", "]")}) " +
        s"WHERE type IS NOT NULL AND (field_id IS NULL${unmarked(files.texts)})${renamed(files.names)} LIMIT 1")
      if (odd.isDefined || changed(instance, unknown, files.names)) Refused("file that Iceberg did not write")
      unknown.foreach(path => known.add((path, columns)))
    }
  }

  /** A copy that was made again. */
  def forget(path: String): Unit = known.removeIf(_._1 == path)

  private def renamed(columns: Seq[FileColumn]): String =
    columns.collect { case FileColumn(id, Some(name), _) => s" OR (field_id = $id) <> (name = ${NativeLiterals.quoted(name)})" }.mkString

  /** Whether a nested column lies otherwise in a file. */
  private def changed(instance: NativeInstance, paths: Seq[String], columns: Seq[FileColumn]): Boolean = {
    val unlike = columns.collect { case FileColumn(id, _, Some(layout)) => s"bool_or(field_id = $id) AND NOT contains($schema, ${NativeLiterals.quoted(layout)})" }
    unlike.nonEmpty && instance.first(s"SELECT file_name FROM parquet_schema(${paths.map(NativeLiterals.quoted).mkString("[", ", ", "]")}) " +
      s"GROUP BY file_name HAVING ${unlike.mkString(" OR ")} LIMIT 1").isDefined
  }

  private val schema = "string_agg(concat(name, '/', field_id, '/', num_children, ';'), '' ORDER BY column_id)"

  private def unmarked(texts: Seq[Int]): String =
    if (texts.isEmpty) "" else s" OR (field_id IN (${texts.mkString(", ")}) AND converted_type IS NULL AND logical_type IS NULL)"
}
