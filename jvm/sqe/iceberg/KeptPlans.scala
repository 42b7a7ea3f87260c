package org.apache.iceberg.spark.source

import java.lang.ref.SoftReference
import java.util

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.iceberg.{BaseTable, PartitionScanTask}
import org.apache.iceberg.expressions.ExpressionParser
import org.apache.iceberg.types.Types.StructType
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, ReturnAnswer}
import org.apache.spark.sql.connector.catalog.{Table => SparkSideTable}
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.Recent
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Which files Iceberg chose for a scan, for the next scan that asks the same of the same metadata: it would read the list of manifests and the
 * manifests again, a quarter of what planning TPC-H's queries takes, and from a store that is far away a few round trips a table.
 *
 * One for each session and catalog, so nobody gets files that another's keys or rights have found. A table is loaded anew by every
 * statement; another commit is another metadata file, and so another key: nothing here can be stale. The collector may take it.
 */
final class KeptPlans {
  private var kept = new SoftReference[Recent[KeptPlans.Key, KeptPlans.Tasks]](null)

  /** The table, as one that keeps the plans of its scans; others (metadata tables, those of other moments) as they are. */
  def of(table: SparkSideTable): SparkSideTable = table match {
    case plain: SparkTable if plain.getClass == classOf[SparkTable] && plain.branch == null && KeptPlans.timeTravel.get(plain) == null => plain.table match {
      case base: BaseTable if base.getClass == classOf[BaseTable] => new KeepingTable(base, this)
      case _ => table
    }
    case _ => table
  }

  private[source] def give(scan: SparkBatchQueryScan): Unit =
    for (key <- KeptPlans.key(scan); tasks <- synchronized(Option(kept.get).flatMap(_.get(key)))) scan.resetTasks(tasks)

  private[source] def keep(scan: SparkBatchQueryScan): Unit = KeptPlans.key(scan).foreach { key =>
    val tasks = scan.tasks
    synchronized {
      val plans = Option(kept.get).getOrElse {
        val made = new Recent[KeptPlans.Key, KeptPlans.Tasks](KeptPlans.most, 1L + _.size)
        kept = new SoftReference(made)
        made
      }
      plans.add(key, tasks)
    }
  }
}

object KeptPlans {
  /** `t.snapshot_id_5` is a table by its name, which nobody else tells from `t`. */
  private val timeTravel = classOf[SparkTable].getDeclaredField("timeTravel")
  timeTravel.setAccessible(true)

  private type Tasks = util.List[PartitionScanTask]

  /** Files, of all plans of a session together: about a kilobyte each. */
  private val most = 2000L

  /** All that a plan depends on. Filters as JSON: no constant can be mistaken for a condition. */
  private final case class Key(metadata: String, snapshot: Long, filters: Seq[String], columns: StructType)

  private def key(scan: SparkBatchQueryScan): Option[Key] = scan.table match {
    case table: BaseTable if scan.snapshotId != null =>
      Option(table.operations.current.metadataFileLocation).flatMap { location =>
        Try(Key(location, scan.snapshotId, scan.filters.asScala.toSeq.map(ExpressionParser.toJson(_)), scan.projection.asStruct)).toOption
      }
    case _ => None
  }

  /** Plans nothing: when a statement comes here, Spark has asked each scan how its rows are partitioned, and so for its files. */
  object Keep extends SparkStrategy {
    override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
      if (plan.isInstanceOf[ReturnAnswer]) plan.collectWithSubqueries { case relation: DataSourceV2ScanRelation => (relation.relation.table, relation.scan) }.foreach {
        case (table: KeepingTable, scan: SparkBatchQueryScan) if table.keeps(scan) => table.plans.keep(scan)
        case _ =>
      }
      Nil
    }
  }
}

private[source] final class KeepingTable(base: BaseTable, val plans: KeptPlans) extends SparkTable(base) {
  private val fresh = util.Collections.newSetFromMap(new util.IdentityHashMap[Scan, java.lang.Boolean])

  def keeps(scan: Scan): Boolean = fresh.synchronized(fresh.remove(scan))

  /** Options and limits change which files are planned: with them it is Iceberg's own way. */
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = if (!options.isEmpty) super.newScanBuilder(options) else {
    new SparkScanBuilder(spark, base, base.schema, if (snapshotId == null) null else base.snapshot(snapshotId), null, null, options) {
      private var limited = false

      override def pushLimit(limit: Int): Boolean = {
        limited = true
        super.pushLimit(limit)
      }

      override def build(): Scan = super.build() match {
        case scan: SparkBatchQueryScan if !limited =>
          plans.give(scan)
          fresh.synchronized(fresh.add(scan))
          scan
        case other => other
      }
    }
  }
}
