package org.apache.spark.sql.sqe

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.iceberg.{DataFile, FileContent, Table => IcebergTable}
import org.apache.iceberg.expressions.Expressions
import org.apache.iceberg.transforms.Transforms
import org.apache.iceberg.types.{Comparators, Conversions, Type, Types}
import org.apache.iceberg.util.SnapshotUtil
import org.apache.spark.sql.types.{DoubleType, LongType, StringType}

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
    val totals = table.schema.columns.asScala.toSeq.map(new Column(_))
    var rows, deleted = 0L
    var counted = true
    val seen = new java.util.HashSet[String]
    Using.resource(table.newScan.includeColumnStats.filter(Expressions.alwaysTrue).planFiles()) { files =>
      files.asScala.foreach { task =>
        rows += task.file.recordCount
        totals.foreach(_.add(task.file))
        task.deletes.asScala.foreach { delete =>
          // A vector and a delete file of one data file are met with it; one of many files more than once.
          if (delete.content == FileContent.EQUALITY_DELETES) counted = false
          else if (seen.add(s"${delete.location}#${delete.contentOffset}")) deleted += delete.recordCount
        }
      }
    }
    val distinct = distinctValues
    totals.map(column => Seq(
      column.field.name, column.size, distinct.get(column.field.fieldId), column.nullsFraction(rows), null, column.low, column.high)) :+
      Seq(null, null, null, null, Option.when(counted)((rows - deleted).toDouble), null, null)
  }

  /** Of the current snapshot, else of the youngest of its ancestors that was measured. */
  private def distinctValues: Map[Int, Double] = Option(table.currentSnapshot).fold(Map.empty[Int, Double]) { current =>
    val measured = table.statisticsFiles.asScala.map(file => file.snapshotId -> file).toMap
    SnapshotUtil.ancestorIdsBetween(current.snapshotId, null, (id: java.lang.Long) => table.snapshot(id)).asScala
      .flatMap(id => measured.get(id)).headOption.toSeq.flatMap(_.blobMetadata.asScala)
      .filter(blob => blob.fields.size == 1 && blob.properties.containsKey("ndv"))
      .flatMap(blob => Try(blob.properties.get("ndv").toDouble).toOption.map(blob.fields.get(0).intValue -> _)).toMap
  }

  private final class Column(val field: Types.NestedField) {
    private var bytes, nulls = 0L
    private var sized, nullsKnown, bounded = true
    private var lowest, highest: Any = _
    private val primitive = Some(field.`type`).collect { case kind: Type.PrimitiveType => kind }

    def add(file: DataFile): Unit = {
      def count(counts: java.util.Map[Integer, java.lang.Long]): Option[Long] = Option(counts).flatMap(all => Option(all.get(field.fieldId))).map(_.longValue)
      count(file.columnSizes).fold { sized = false }(bytes += _)
      val none = count(file.nullValueCounts)
      none.fold { nullsKnown = false }(nulls += _)
      primitive.filterNot(_ => none.contains(file.recordCount)).foreach { kind =>
        def bound(bounds: java.util.Map[Integer, ByteBuffer]): Option[Any] =
          Option(bounds).flatMap(all => Option(all.get(field.fieldId))).map(Conversions.fromByteBuffer[Any](kind, _))
        val order = Try(Comparators.forType[Any](kind)).toOption
        (bound(file.lowerBounds), bound(file.upperBounds), order) match {
          case (Some(low), Some(high), Some(compare)) =>
            if (lowest == null || compare.compare(low, lowest) < 0) lowest = low
            if (highest == null || compare.compare(high, highest) > 0) highest = high
          case _ => bounded = false
        }
      }
    }

    def size: Option[Double] = Option.when(sized)(bytes.toDouble)

    def nullsFraction(rows: Long): Option[Double] = Option.when(nullsKnown && rows > 0)(nulls.toDouble / rows)

    def low: Option[String] = shown(lowest)

    def high: Option[String] = shown(highest)

    private def shown(bound: Any): Option[String] =
      if (!bounded || bound == null) None else primitive.map(kind => Transforms.identity[Any]().toHumanString(kind, bound))
  }
}
