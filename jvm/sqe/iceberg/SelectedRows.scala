package org.apache.iceberg.parquet

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.Schema
import org.apache.iceberg.expressions.Expression
import org.apache.iceberg.io.InputFile
import org.apache.iceberg.shaded.org.apache.parquet.filter2.compat.FilterCompat
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.ParquetFileReader
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.iceberg.shaded.org.apache.parquet.internal.filter2.columnindex.ColumnIndexFilter

/** How many rows of a Parquet file lie in pages that can hold a wanted one, as [[SelectedPages]] would read them: its footer tells. */
object SelectedRows {
  /** `None`: the statistics of its pages say nothing about it. */
  def of(file: InputFile, schema: Schema, wanted: Expression): Option[Long] = Using.resource(ParquetFileReader.open(ParquetIO.file(file))) { reader =>
    val all = reader.getFileMetaData.getSchema
    if (!ParquetSchemaUtil.hasIds(all)) None
    else {
      val read = ParquetSchemaUtil.pruneColumns(all, schema)
      val columns = read.getColumns.asScala.map(column => ColumnPath.get(column.getPath: _*)).toSet.asJava
      PagePredicate.of(read, schema, wanted, true).map { filter: FilterCompat.Filter =>
        val groups = reader.getRowGroups.asScala
        groups.indices.map(group => ColumnIndexFilter.calculateRowRanges(filter, reader.getColumnIndexStore(group), columns, groups(group).getRowCount).rowCount).sum
      }
    }
  }
}
