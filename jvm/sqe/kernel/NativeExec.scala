package org.apache.spark.sql.sqe.kernel

import org.apache.iceberg.spark.source.PlannedFiles
import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, ExprId}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition, UnknownPartitioning}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A fragment of a plan that the kernel runs: Arrow columns out. */
sealed abstract class NativeFragment extends LeafExecNode {
  def query: NativeQuery
  def scans: Seq[PlannedFiles]
  def operators: Seq[String]

  /** One for each task: what it reads of the scan that they share. */
  protected def shares: Seq[Option[Share]]

  override def supportsColumnar: Boolean = true

  override lazy val metrics: Map[String, SQLMetric] = Map("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  override protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException("columns only")

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = new NativeRDD(sparkContext, query, shares, longMetric("numOutputRows"))

  protected def tables: Seq[String] =
    scans.map(scan => s"${scan.table} (${scan.paths.length} files${if (scan.remote.isEmpty) "" else " from the cache"})").distinct ++ query.fed.map(scan => s"${scan.table} (read by Iceberg)").distinct

  /** What runs in it, never how: its text holds constants and conditions. */
  override def simpleString(maxFields: Int): String = s"$nodeName ${output.mkString("[", ", ", "]")} ${operators.mkString(" <- ")} ${tables.mkString(", ")}"

  override def verboseStringWithOperatorId(): String = s"$formattedNodeName\n${simpleString(25)}\n"

  override def verboseString(maxFields: Int): String = simpleString(maxFields)
}

/** One task, all cores. */
final case class NativeExec(output: Seq[Attribute], query: NativeQuery, scans: Seq[PlannedFiles], operators: Seq[String]) extends NativeFragment {
  override def nodeName: String = "Native"

  override def outputPartitioning: Partitioning = SinglePartition

  override protected def shares: Seq[Option[Share]] = Seq(None)
}

/** Once for each partition: every task has its own share of one scan's files, and reads all of the others. */
final case class NativePartitionsExec(output: Seq[Attribute], query: NativeQuery, scans: Seq[PlannedFiles], operators: Seq[String], shared: SharedScan)
    extends NativeFragment {
  override def nodeName: String = "Native per partition"

  override def outputPartitioning: Partitioning = if (shared.shares.length == 1) SinglePartition else UnknownPartitioning(shared.shares.length)

  override protected def shares: Seq[Option[Share]] = shared.shares.map(Some(_))

  override protected def tables: Seq[String] = {
    val partitions = s"${shared.shares.length} partition${if (shared.shares.length == 1) "" else "s"}"
    s"${shared.table} ($partitions${if (shared.decoded) " read by Iceberg" else ""})" +: super.tables
  }

  /** Spark runs two fragments that are the same once, and shuffles their rows once. Only the numbers of their columns are others. */
  override protected def doCanonicalize(): SparkPlan = if (shared.decoded || query.fed.nonEmpty) this else {
    val deleted = (scans.flatMap(_.deleted) ++ shared.files.flatMap(_.deleted)).map { rows =>
      s"${rows.path} ${rows.by.map(file => s"${file.location} ${file.contentOffset}").sorted.mkString(" ")}"
    }.distinct.sorted
    val text = (KnownFailures.renumbered(shared.whole(query.sql)) +: deleted).mkString("\n")
    copy(output.zipWithIndex.map { case (column, i) => AttributeReference("none", column.dataType)(ExprId(i)) },
      query.copy(sql = text, files = Nil), Nil, Nil, shared.copy(shares = Nil))
  }
}

private final case class NativePartition(index: Int, share: Option[Share]) extends Partition

private final class NativeRDD(context: SparkContext, query: NativeQuery, @transient private val shares: Seq[Option[Share]], rows: SQLMetric) extends RDD[ColumnarBatch](context, Nil) {
  override protected def getPartitions: Array[Partition] = shares.zipWithIndex.map { case (share, index) => NativePartition(index, share) }.toArray

  override def compute(split: Partition, context: TaskContext): Iterator[ColumnarBatch] = {
    val own = split.asInstanceOf[NativePartition].share.fold(query)(_.of(query))
    new NativeBatches(own, context).map { batch =>
      rows += batch.numRows
      batch
    }
  }
}
