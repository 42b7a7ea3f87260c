package org.apache.spark.sql.sqe.kernel

import org.apache.iceberg.spark.source.PlannedFiles
import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A fragment of a plan that the kernel runs: one task, all cores, Arrow columns out. */
final case class NativeExec(output: Seq[Attribute], sql: String, scans: Seq[PlannedFiles], operators: Seq[String], settings: KernelSettings,
    shortcuts: Seq[String], fed: Seq[FedScan])
    extends LeafExecNode {
  override def nodeName: String = "Native"

  override def supportsColumnar: Boolean = true

  override def outputPartitioning: Partitioning = SinglePartition

  override lazy val metrics: Map[String, SQLMetric] = Map("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  override protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException("columns only")

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] =
    new NativeRDD(sparkContext, NativeQuery(sql, scans.map(scan => NativeFiles(scan.paths, scan.texts, scan.deleted, scan.names, scan.remote)), settings, shortcuts, fed), longMetric("numOutputRows"))

  /** What runs in it, never how: its text holds constants and conditions. */
  override def simpleString(maxFields: Int): String = {
    val tables = scans.map(scan => s"${scan.table} (${scan.paths.length} files${if (scan.remote.isEmpty) "" else " from the cache"})").distinct ++ fed.map(scan => s"${scan.table} (read by Iceberg)").distinct
    s"Native ${output.mkString("[", ", ", "]")} ${operators.mkString(" <- ")} ${tables.mkString(", ")}"
  }

  override def verboseStringWithOperatorId(): String = s"$formattedNodeName\n${simpleString(25)}\n"

  override def verboseString(maxFields: Int): String = simpleString(maxFields)
}

private final case class OnlyPartition(index: Int) extends Partition

private final class NativeRDD(context: SparkContext, query: NativeQuery, rows: SQLMetric) extends RDD[ColumnarBatch](context, Nil) {
  override protected def getPartitions: Array[Partition] = Array(OnlyPartition(0))

  override def compute(split: Partition, context: TaskContext): Iterator[ColumnarBatch] =
    new NativeBatches(query, context).map { batch =>
      rows += batch.numRows
      batch
    }
}
