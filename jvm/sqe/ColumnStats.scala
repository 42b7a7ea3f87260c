package org.apache.spark.sql.sqe

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{Table => IcebergTable}
import org.apache.iceberg.expressions.Expressions
import org.apache.iceberg.transforms.Transforms
import org.apache.iceberg.types.Type
import org.apache.spark.sql.types.{DoubleType, StringType}

/**
 * `SHOW STATS FOR t`, with Trino's columns: what the manifests say of each column, distinct values from the Puffin files that
 * `compute_table_stats` writes. Rows that delete files hide are taken off the count; bounds and nulls still hold theirs.
 */
final class ColumnStats(name: String, table: IcebergTable) extends LocalTable(
    name,
    "column_name" -> StringType, "data_size" -> DoubleType, "distinct_values_count" -> DoubleType, "nulls_fraction" -> DoubleType,
    "row_count" -> DoubleType, "low_value" -> StringType, "high_value" -> StringType) with InsideTable.Part {
  override def whole: String = table.name

  override def wholeColumns: Seq[String] = table.schema.columns.asScala.toSeq.map(_.name)

  override protected def rows(only: LocalTable.Only): Seq[Seq[Any]] = {
    val columns = table.schema.columns.asScala.toSeq.map(new ColumnTotals(_))
    val rows = new RowTotals
    Using.resource(table.newScan.includeColumnStats.filter(Expressions.alwaysTrue).planFiles()) { files =>
      files.asScala.foreach { task =>
        rows.add(task)
        columns.foreach(_.add(task.file))
      }
    }
    val distinct = Option(table.currentSnapshot).flatMap(DistinctValues.of(table, _)).fold(Map.empty[Int, Long])(_.byField)
    columns.map(column => described(column, distinct.get(column.field.fieldId), rows.inFiles)) :+
      Seq(null, null, null, null, rows.visible.map(_.toDouble), null, null)
  }

  private def described(column: ColumnTotals, distinct: Option[Long], rows: Long): Seq[Any] = {
    def shown(bound: Any): Any = Transforms.identity[Any]().toHumanString(column.field.`type`.asInstanceOf[Type.PrimitiveType], bound)
    Seq(
      column.field.name, column.size.map(_.toDouble), distinct.map(_.toDouble), column.nulls.filter(_ => rows > 0).map(_.toDouble / rows), null,
      column.bounds.map { case (low, _) => shown(low) }, column.bounds.map { case (_, high) => shown(high) })
  }
}
