package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning, RangePartitioning}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec, ValidateRequirements}
import org.apache.spark.sql.internal.SQLConf

/**
 * More shuffle partitions for more data. `spark.sql.shuffle.partitions` is a number for small tables, where each partition costs more than
 * its rows; with a large table's rows in as few, every task would sort and build more than its share of memory, and spill. Adaptive
 * execution joins partitions that turn out small, but splits none. What tables are estimated to bring, in pieces of twice the size that
 * adaptive execution aims at, is the number here, and for more than one such piece at least two for each core.
 *
 * Only where Spark itself chose the number: what a statement says (`REPARTITION`) counts, and a plan whose sides would not fit together any
 * more stays as it was.
 */
object ShufflePartitions extends Rule[SparkPlan] {
  /** A shuffle of 2,000 partitions has a map of sizes; beyond, Spark keeps averages only. */
  private val most = 2000

  override def apply(plan: SparkPlan): SparkPlan = {
    val wanted = partitions(bytes(plan))
    if (wanted <= conf.numShufflePartitions) plan
    else {
      val more = plan.transform {
        case exchange @ ShuffleExchangeExec(Usual(partitioning), _, ENSURE_REQUIREMENTS, _) =>
          exchange.copy(outputPartitioning = partitioning(wanted))
      }
      if (ValidateRequirements.validate(more)) more else plan
    }
  }

  /** Less than one piece is not worth the cores that a small query would wake. */
  private def partitions(bytes: BigInt): Int = {
    val piece = conf.getConf(SQLConf.ADVISORY_PARTITION_SIZE_IN_BYTES)
    if (bytes < piece) 0 else (bytes / (2 * piece)).min(most).toInt.max(2 * cores)
  }

  private def cores: Int = SparkSession.active.sparkContext.defaultParallelism

  /** Of the tables that are read, after files were skipped. */
  private def bytes(plan: SparkPlan): BigInt = plan.collectLeaves().flatMap(_.logicalLink).map(_.stats.sizeInBytes).sum

  private object Usual {
    def unapply(partitioning: Partitioning): Option[Int => Partitioning] = partitioning match {
      case hash: HashPartitioning if hash.numPartitions == conf.numShufflePartitions => Some(count => hash.copy(numPartitions = count))
      case range: RangePartitioning if range.numPartitions == conf.numShufflePartitions => Some(count => range.copy(numPartitions = count))
      case _ => None
    }
  }
}
