package org.apache.spark.sql.sqe

import java.nio.ByteBuffer

import scala.util.Try

import org.apache.iceberg.{DataFile, FileContent, FileScanTask}
import org.apache.iceberg.types.{Comparators, Conversions, Type, Types}

/** What the manifests say of one column, over the files that were added. */
final class ColumnTotals(val field: Types.NestedField) {
  private var bytes, empty = 0L
  private var sized, counted, bounded = true
  private var lowest, highest: Any = _
  private val primitive = Some(field.`type`).collect { case kind: Type.PrimitiveType => kind }
  private val order = primitive.flatMap(kind => Try(Comparators.forType[Any](kind)).toOption)

  def add(file: DataFile): Unit = {
    count(file.columnSizes).fold { sized = false }(bytes += _)
    val none = count(file.nullValueCounts)
    none.fold { counted = false }(empty += _)
    if (!none.contains(file.recordCount)) primitive.foreach { kind =>
      def bound(bounds: java.util.Map[Integer, ByteBuffer]): Option[Any] =
        Option(bounds).flatMap(all => Option(all.get(field.fieldId))).map(Conversions.fromByteBuffer[Any](kind, _))
      (bound(file.lowerBounds), bound(file.upperBounds), order) match {
        case (Some(low), Some(high), Some(compare)) =>
          if (lowest == null || compare.compare(low, lowest) < 0) lowest = low
          if (highest == null || compare.compare(high, highest) > 0) highest = high
        case _ => bounded = false
      }
    }
  }

  private def count(counts: java.util.Map[Integer, java.lang.Long]): Option[Long] =
    Option(counts).flatMap(all => Option(all.get(field.fieldId))).map(_.longValue)

  /** Compressed, in the files. */
  def size: Option[Long] = Option.when(sized)(bytes)

  def nulls: Option[Long] = Option.when(counted)(empty)

  /** None also when there are nulls only. */
  def bounds: Option[(Any, Any)] = Option.when(bounded && lowest != null)((lowest, highest))
}

/** The rows of a table's files, and those that delete files hide. */
final class RowTotals {
  private var rows, deleted = 0L
  private var countable = true
  private val seen = new java.util.HashSet[String]

  def add(task: FileScanTask): Unit = {
    rows += task.file.recordCount
    task.deletes.forEach { delete =>
      // A vector and a delete file of one data file are met with it; one of many files more than once.
      if (delete.content == FileContent.EQUALITY_DELETES) countable = false
      else if (seen.add(s"${delete.location}#${delete.contentOffset}")) deleted += delete.recordCount
    }
  }

  def inFiles: Long = rows

  /** None when nobody can tell without reading them. */
  def visible: Option[Long] = Option.when(countable)(math.max(0, rows - deleted))
}
