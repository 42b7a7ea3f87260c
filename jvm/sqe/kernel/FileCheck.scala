package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.sqe.Recent

/**
 * Whether a file is as Iceberg writes it. One without field ids, which another tool made, would read as NULLs, and one whose text
 * is not marked as text as escaped bytes; Iceberg's own reader has rules for both. Each file is looked at once in a driver's life: files of
 * a table never change.
 */
object FileCheck {
  private val known = Recent.setOf[(String, String)](100000)

  /** Of a row's file and number. A column of a file that has one of these names hides it. */
  val virtualNames: Seq[String] = Seq("filename", "file_row_number")

  def apply(instance: NativeInstance, files: NativeFiles): Unit = {
    val columns = (files.texts.mkString(",") +: files.names.map(_.toString).sorted :++ (if (files.numbered) virtualNames else Nil)).mkString(" ")
    val unknown = files.paths.filterNot(path => known.contains((path, columns)))
    if (unknown.nonEmpty) {
      val odd = instance.first(s"SELECT file_name FROM parquet_schema(${unknown.map(NativeLiterals.quoted).mkString("[", ", ", "]")}) " +
        s"WHERE type IS NOT NULL AND (field_id IS NULL${unmarked(files.texts)})${renamed(files.names)}${if (files.numbered) hiding else ""} LIMIT 1")
      if (odd.isDefined || changed(instance, unknown, files.names)) Refused("file that Iceberg did not write")
      unknown.foreach(path => known.add((path, columns)))
    }
  }

  /** A copy that was made again. */
  def forget(path: String): Unit = known.removeIf(_._1 == path)

  private def renamed(columns: Seq[FileColumn]): String =
    columns.collect { case FileColumn(id, Some(name), _) => s" OR (field_id = $id) <> (name = ${NativeLiterals.quoted(name)})" }.mkString

  private val hiding = s" OR lower(name) IN (${virtualNames.map(NativeLiterals.quoted).mkString(", ")})"

  /** Whether a nested column lies otherwise in a file. */
  private def changed(instance: NativeInstance, paths: Seq[String], columns: Seq[FileColumn]): Boolean = {
    val unlike = columns.flatMap(_.unlike).distinct
    unlike.nonEmpty && instance.first(s"SELECT file_name FROM parquet_schema(${paths.map(NativeLiterals.quoted).mkString("[", ", ", "]")}) " +
      s"GROUP BY file_name HAVING ${unlike.mkString(" OR ")} LIMIT 1").isDefined
  }

  /** Of a file that has the column: what follows it in the schema is something else. */
  def otherLayout(id: Int, layout: String): String =
    s"bool_or(field_id = $id) AND NOT contains(string_agg(concat(name, '/', field_id, '/', num_children, CASE type WHEN 'DOUBLE' THEN type END, ';'), '' ORDER BY column_id), ${NativeLiterals.quoted(layout)})"

  /** Of fields by id and name, and all ids of that name: a file has the id under another name, or the name under an id that nobody knows. */
  def otherNames(fields: Seq[(Int, String, Seq[Int])]): String = fields.map { case (id, name, ids) =>
    val quoted = NativeLiterals.quoted(name)
    s"field_id = $id AND lower(name) <> $quoted OR lower(name) = $quoted AND field_id NOT IN (${(id +: ids).distinct.mkString(", ")})"
  }.mkString("bool_or(", " OR ", ")")

  /** Of a column that a file has under a name that it never had; with `always`, also of one that a file does not have. */
  def otherName(id: Int, names: Seq[String], always: Boolean): String =
    s"bool_or(field_id = $id AND name NOT IN (${names.map(NativeLiterals.quoted).mkString(", ")}))${if (always) s" OR NOT coalesce(bool_or(field_id = $id), FALSE)" else ""}"

  /** Of a column that is not of this type in a file. */
  def otherType(id: Int, physical: String): String = s"bool_or(field_id = $id AND type <> ${NativeLiterals.quoted(physical)})"

  private def unmarked(texts: Seq[Int]): String =
    if (texts.isEmpty) "" else s" OR (field_id IN (${texts.mkString(", ")}) AND converted_type IS NULL AND logical_type IS NULL)"
}
