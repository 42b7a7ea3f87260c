package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory, Scan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.ColumnCopy
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * A scan whose files the kernel does not read itself: remote, encrypted, imported, with equality deletes or defaults; metadata tables.
 * Iceberg's own reader decodes them in the task, with the rights and the rules that it has under Spark, and the kernel gets columns.
 */
final case class FedScan(
    name: String, table: String, partitions: Array[InputPartition], factory: PartitionReaderFactory, schema: StructType, decoding: FedScan.Decoding,
    @transient source: FedSource) {
  /** What two of the same source have alike. */
  def comparable: FedScan = copy(partitions = FedScan.noPartitions, factory = null, schema = FedScan.noColumns)
}

/** Iceberg's own scan, which knows when it is the same as another (table, snapshot, filters, schema), and its columns by their names, in order. */
final case class FedSource(scan: Scan, columns: Seq[String])

object FedScan {
  private val noPartitions = Array.empty[InputPartition]
  private val noColumns = StructType(Nil)

  sealed trait Decoding
  case object ByColumns extends Decoding
  /** Of a few pages ([[org.apache.iceberg.spark.source.LookUps]]). */
  case object FewColumns extends Decoding
  /** What metadata tables have: rows of manifests, few of them. */
  case object ByRows extends Decoding

  def canCopy(relation: DataSourceV2ScanRelation): Boolean = relation.output.nonEmpty && ColumnCopy.supports(columns(relation))

  private def columns(relation: DataSourceV2ScanRelation): StructType =
    StructType(relation.output.map(column => StructField(NativeTypes.column(column), column.dataType)))

  def of(relation: DataSourceV2ScanRelation, name: String, decoding: Decoding): FedScan = {
    val schema = columns(relation)
    if (schema.isEmpty) Refused("scan without columns")
    if (decoding != ByRows && !ColumnCopy.supports(schema)) Refused("columns that are read by rows")
    val batch = relation.scan.toBatch
    val (partitions, factory) = (batch.planInputPartitions(), batch.createReaderFactory())
    if (partitions.exists(factory.supportColumnarReads(_) != (decoding != ByRows))) Refused("files that are read by rows")
    FedScan(name, relation.relation.name, partitions, factory, schema, decoding, FedSource(relation.scan, relation.output.map(_.name)))
  }
}
