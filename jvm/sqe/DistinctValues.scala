package org.apache.spark.sql.sqe

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.iceberg.{Snapshot, SnapshotSummary, Table}
import org.apache.iceberg.util.SnapshotUtil

/** How many distinct values columns have, by field id, as `compute_table_stats` counted them in a snapshot. */
final case class DistinctValues(counted: Snapshot, byField: Map[Int, Long]) {
  /**
   * What they let expect of a later snapshot: the same, and as many times more of a key as there are more rows. Nothing once the
   * table has twice the rows, or half of them: it is another one then.
   */
  def in(later: Snapshot): Map[Int, Long] = (DistinctValues.rows(counted), DistinctValues.rows(later)) match {
    case _ if counted.snapshotId == later.snapshotId => byField
    case (Some(before), Some(now)) if before > 0 && now <= before * 2 && now * 2 >= before =>
      byField.map { case (field, distinct) =>
        field -> (if (distinct >= before * DistinctValues.ofKeys) (distinct * (now.toDouble / before)).toLong else distinct)
      }
    case _ => Map.empty
  }
}

object DistinctValues {
  /** Sketches err by a few percent. */
  private val ofKeys = 0.9

  /** Of the snapshot, else of the youngest of its ancestors that was looked at. */
  def of(table: Table, snapshot: Snapshot): Option[DistinctValues] = {
    val files = table.statisticsFiles.asScala.map(file => file.snapshotId -> file).toMap
    if (files.isEmpty) None
    else SnapshotUtil.ancestorIdsBetween(snapshot.snapshotId, null, (id: java.lang.Long) => table.snapshot(id)).asScala
      .flatMap(id => files.get(id)).headOption.map { file =>
        DistinctValues(table.snapshot(file.snapshotId), file.blobMetadata.asScala.toSeq
          .filter(blob => blob.fields.size == 1 && blob.properties.containsKey("ndv"))
          .flatMap(blob => Try(blob.properties.get("ndv").toLong).toOption.map(blob.fields.get(0).intValue -> _)).toMap)
      }
  }

  /** Those of the table's files. */
  def rows(snapshot: Snapshot): Option[Long] =
    Option(snapshot.summary).flatMap(all => Option(all.get(SnapshotSummary.TOTAL_RECORDS_PROP))).flatMap(text => Try(text.toLong).toOption)
}
