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

  /** With what was made for it before. */
  protected def ready: NativeQuery = query

  override def supportsColumnar: Boolean = true

  override lazy val metrics: Map[String, SQLMetric] = Map("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  override protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException("columns only")

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = new NativeRDD(sparkContext, ready, shares, longMetric("numOutputRows"))

  protected def tables: Seq[String] =
    scans.map(scan => s"${scan.table} (${scan.paths.length} files${if (scan.remote.isEmpty) "" else " from the cache"})").distinct ++ query.fed.map(scan => s"${scan.table} (read by Iceberg)").distinct

  /** What two fragments that are the same have alike: Spark runs one of them then, and shuffles its rows once. Only the numbers of columns are others. */
  protected def comparable(sql: String, deleted: Seq[DeletedRows], fed: Seq[FedScan]): NativeQuery = {
    val gone = deleted.map(rows => s"${rows.path} ${rows.by.map(file => s"${file.location} ${file.contentOffset}").sorted.mkString(" ")}").distinct.sorted
    query.copy(sql = (ColumnNumbers.inOrder(sql) +: gone).mkString("\n"), files = Nil, fed = fed.map(_.comparable), key = (0, 0), built = Nil)
  }

  protected def comparableOutput: Seq[Attribute] = output.zipWithIndex.map { case (column, i) => AttributeReference("none", column.dataType)(ExprId(i)) }

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

  override protected def doCanonicalize(): SparkPlan = copy(comparableOutput, comparable(query.sql, scans.flatMap(_.deleted), query.fed), Nil, Nil)
}

/** Once for each partition: every task has its own share of one scan's files, and all of the others, which it reads, or which were built for all. */
final case class NativePartitionsExec(
    output: Seq[Attribute], query: NativeQuery, scans: Seq[PlannedFiles], operators: Seq[String], shared: SharedScan, built: Seq[BuildSide])
    extends NativeFragment {
  override def nodeName: String = "Native per partition"

  override def outputPartitioning: Partitioning = if (shared.shares.length == 1) SinglePartition else UnknownPartitioning(shared.shares.length)

  override protected def shares: Seq[Option[Share]] = shared.shares.map(Some(_))

  override protected def ready: NativeQuery = query.copy(built = query.built ++ built.map(_.table))

  override protected def tables: Seq[String] = {
    val partitions = s"${shared.shares.length} partition${if (shared.shares.length == 1) "" else "s"}"
    val pieces = if (shared.cut == 0) "" else s", ${shared.cut} file${if (shared.cut == 1) "" else "s"} in pieces"
    s"${shared.table} ($partitions$pieces${if (shared.decoded) " read by Iceberg" else ""})" +: (super.tables ++ (if (built.isEmpty) Nil else Seq(s"${built.length} built once")))
  }

  override protected def doCanonicalize(): SparkPlan = copy(
    comparableOutput, comparable(shared.whole(query.sql), scans.flatMap(_.deleted) ++ shared.files.flatMap(_.deleted), query.fed ++ shared.fed), Nil, Nil,
    shared.copy(shares = Nil), built.map(_.canonicalized))
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
