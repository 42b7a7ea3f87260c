package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.classic.SparkSession

/**
 * In which of two shapes the kernel runs a part of a plan: as one fragment, in one task with all cores of a machine, or once for each partition.
 *
 * | where | what | shape |
 * |---|---|---|
 * | one machine | what the kernel can run as a whole, and answers the query or makes rows few | one fragment |
 * | one machine | joins with small tables, below what Spark has to run | per partition; little is one |
 * | one machine | scans below what Spark has to run | Spark's own, which decodes into rows at once |
 * | cluster | what reads little | one fragment |
 * | cluster | aggregates, ORDER BY with LIMIT, joins with small tables, scans below what Spark has to run | per partition: one task would leave the other executors idle |
 */
final case class Shape(local: Boolean, cores: Int, coresOfOne: Int, wish: String) {
  import Shape._

  /** Whether one task may have all of it. */
  def checkOne(bytes: Long): Unit = {
    if (parts) Refused("wanted per partition")
    if (!local && bytes > mostInOneTask && wish != "one") Refused("more than one executor should read")
  }

  private def parts: Boolean = wish == "partitions" || wish == "repeated"

  /** Whether aggregates run per partition. */
  def aggregates: Boolean = parts || !local && wish == "auto"

  /** Whether each task sorts its own rows, and keeps the first. On one machine one task sorts them all. */
  def sorts: Boolean = aggregates

  /** Whether tasks share a large file. On one machine, where nobody has measured it, Spark reads such files in pieces. */
  def cutsFiles: Boolean = aggregates

  def joins: Boolean = wish != "one"

  def scans: Boolean = aggregates

  /**
   * Whether the other side of a join is made once, for so many tasks; `alike`: each could make it for itself, which was measured to cost less
   * where its files are near. Wanted, it is made once for several tasks all the same.
   */
  def builds(tasks: Int, alike: Boolean): Boolean = if (alike) wish == "partitions" && tasks > 1 else wish == "partitions" || wish == "auto" && !local

  /** Whether each task may be given so much, as Spark estimates it. */
  def checkBuilt(bytes: BigInt, shared: BigInt): Unit =
    if (wish == "auto" && (bytes > mostBuilt || bytes > shared)) Refused("build sides that are too large")

  /** Whether tasks may each read so much, once more than the scan that they share. */
  def checkRepeated(bytes: BigInt, shared: BigInt): Unit =
    if (wish == "auto" && (bytes > mostRepeated || bytes > shared)) Refused("tables that are too large for every partition")

  /** `fewer`: the fragment joins or groups, so that not every value which Iceberg decoded is copied twice. */
  def checkShared(scan: SharedScan, fewer: Boolean): Unit = if (wish == "auto") {
    if (scan.decoded && (local || !fewer)) Refused("columns that Iceberg decodes, which Spark takes as they are")
    if (local && scan.shares.length < cores && scan.bytes > sparksPiece * scan.shares.length) Refused("large files, which Spark reads in pieces")
  }

  /**
   * Tasks for a scan of so many bytes, as Spark estimates them. Each opens an instance and reads the other tables once more, and its rows are
   * shuffled: on one machine, where a task has all cores that others leave it, few are better for little.
   */
  def mostTasks(bytes: BigInt): Int = {
    val atOnce = if (local && wish == "auto") (bytes / sparksPiece).min(cores).toInt else cores
    (bytes / mostInOneShare).min(mostShares).toInt.max(atOnce).max(1)
  }

  /** A task of one of so many partitions. */
  def settings(of: KernelSettings, partitions: Int): KernelSettings = {
    val atOnce = math.max(1, math.min(coresOfOne, partitions))
    of.copy(threads = if (local) math.max(1, coresOfOne / atOnce) else 1, among = atOnce)
  }
}

object Shape {
  private val mostInOneTask = 64L << 20
  private val mostRepeated = 32L << 20
  private val mostBuilt = 32L << 20
  private val mostInOneShare = 1L << 30
  /** Of a file, for one task of Spark's. */
  private val sparksPiece = 128L << 20
  private val mostShares = 1000L

  def of(session: SparkSession): Shape = {
    val context = session.sparkContext
    Shape(context.isLocal, context.defaultParallelism, if (context.isLocal) context.defaultParallelism else context.getConf.getInt("spark.executor.cores", 1),
      KernelSettings.shape(session))
  }
}
