package org.apache.spark.sql.sqe.kernel

import org.apache.iceberg.spark.source.PlannedFiles
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/**
 * Scans of Iceberg tables. Iceberg has chosen the files (partitions, statistics); the kernel reads them itself and leaves out row
 * groups by its own look at the same conditions.
 *
 * | part | why it is exact |
 * |---|---|
 * | columns by field id | renamed, dropped and added again, reordered: the id is what Iceberg goes by, too; without one: NULL |
 * | wider types | the file's value cast to the table's type; Iceberg allows only casts that lose nothing |
 * | partition columns | read from the file, which holds them; never from the file's path |
 * | rows deleted by position (delete files, deletion vectors) | read by Iceberg's own loader; taken out by file and row number |
 * | equality deletes, other formats, encryption, remote files, default values, imported files | refused |
 */
final class Scans {
  private val found = Seq.newBuilder[PlannedFiles]

  def all: Seq[PlannedFiles] = found.result()

  def apply(relation: DataSourceV2ScanRelation): String = {
    relation.output.foreach(column => NativeTypes.check(column.dataType))
    val files = PlannedFiles.of(relation.scan)
    val schema = relation.output.map(mapped(_, files))
    found += files
    val parts = Seq(
      if (files.untouched.isEmpty) None else Some(s"SELECT ${columns(relation.output)} FROM ${read(files.untouched, schema)}"),
      if (files.deleted.isEmpty) None else Some(s"SELECT ${columns(relation.output)} FROM (SELECT *, filename, file_row_number " +
        s"FROM ${read(files.deleted.map(_.path), schema)}) ANTI JOIN ${DeletedRows.table} ON ${DeletedRows.condition}")).flatten
    if (parts.isEmpty) empty(relation.output) else parts.mkString(" UNION ALL ")
  }

  private def read(paths: Seq[String], schema: Seq[String]): String = {
    val mapping = if (schema.isEmpty) "" else schema.mkString(", schema = MAP {", ", ", "}")
    s"read_parquet([${paths.map(NativeLiterals.quoted).mkString(", ")}]$mapping, hive_partitioning = false)"
  }

  private def mapped(column: Attribute, files: PlannedFiles): String = {
    val field = files.fields.getOrElse(column.name, Refused("metadata column"))
    if (!PlannedFiles.isOfTable(field)) Refused("metadata column")
    if (field.initialDefault != null) Refused("column with a default value")
    s"${field.fieldId}: {name: '${NativeTypes.column(column)}', type: '${NativeTypes.name(column.dataType)}', default_value: NULL}"
  }

  private def columns(output: Seq[Attribute]): String = Select.list(output.map(NativeTypes.column))

  private def empty(output: Seq[Attribute]): String =
    s"SELECT ${Select.list(output.map(column => s"${NativeTypes.cast("NULL", column.dataType)} AS ${NativeTypes.column(column)}"))} WHERE FALSE"
}

object Select {
  /** SQL has no empty list of columns. */
  def list(items: Seq[String]): String = if (items.isEmpty) "1 AS nothing" else items.distinct.mkString(", ")
}
