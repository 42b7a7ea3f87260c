package org.apache.spark.sql.sqe

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.iceberg.SnapshotSummary
import org.apache.iceberg.events.{CreateSnapshotEvent, Listeners}
import org.apache.iceberg.spark.Spark3Util
import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.Count
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.connector.catalog.CatalogV2Implicits._

/**
 * How many rows a statement changed, from the snapshots that it committed. Iceberg tells its listeners of a snapshot on the
 * committing thread, which is the statement's own: no other writer's commit can be counted by mistake.
 */
object AffectedRows {
  private val collecting = new ThreadLocal[ArrayBuffer[CreateSnapshotEvent]]

  def listen(): Unit = Listeners.register(
    (event: CreateSnapshotEvent) => Option(collecting.get).foreach(_ += event), classOf[CreateSnapshotEvent])

  def capture(body: => Unit): Seq[CreateSnapshotEvent] = {
    val outer = collecting.get
    val mine = ArrayBuffer.empty[CreateSnapshotEvent]
    collecting.set(mine)
    try body
    finally collecting.set(outer)
    mine.toSeq
  }

  /** None for a statement that changes no rows, or when one commit's count cannot be told. */
  def total(spark: SparkSession, plan: LogicalPlan, commits: Seq[CreateSnapshotEvent]): Option[Long] = {
    val counts = commits.map(commit => count(spark, plan, commit, new Summary(commit)))
    ParsedStatement.root(plan) match {
      case _: InsertIntoStatement | _: V2WriteCommand | _: DeleteFromTable | _: UpdateTable | _: MergeIntoTable |
          _: TruncateTable | _: TruncatePartition if commits.isEmpty => Some(0)
      case _ if counts.isEmpty || counts.contains(None) => None
      case _ => Some(counts.flatten.sum)
    }
  }

  /** How large the table is now, if one was written: its rows in files, and their bytes. */
  def size(commits: Seq[CreateSnapshotEvent]): Map[String, Any] = commits.lastOption.filter(last => commits.forall(_.tableName == last.tableName))
    .fold(Map.empty[String, Any]) { last =>
      Map(
        "written_rows" -> Option(last.summary.get(SnapshotSummary.TOTAL_RECORDS_PROP)).flatMap(_.toLongOption),
        "written_bytes" -> Option(last.summary.get(SnapshotSummary.TOTAL_FILE_SIZE_PROP)).flatMap(_.toLongOption))
    }

  private def count(spark: SparkSession, plan: LogicalPlan, commit: CreateSnapshotEvent, summary: Summary): Option[Long] =
    ParsedStatement.root(plan) match {
      case _: DeleteFromTable | _: TruncateTable | _: TruncatePartition =>
        Some(summary.deletedInPlace + summary.removedWithFiles - summary.added)
      case _: UpdateTable if summary.deletedInPlace > 0 => Some(summary.deletedInPlace)
      case update: UpdateTable => rewritten(spark, plan, update, commit)
      case _: MergeIntoTable => summary.merged.orElse(Some(math.max(summary.added, summary.deletedInPlace + summary.removedWithFiles)))
      case _: InsertIntoStatement | _: V2WriteCommand | _: V2CreateTableAsSelectPlan => Some(summary.added)
      case _ => None
    }

  /** What Iceberg wrote about one commit, in rows. */
  private final class Summary(commit: CreateSnapshotEvent) {
    private val values = commit.summary.asScala
    private def find(key: String): Option[Long] = values.get(key).flatMap(text => Try(text.toLong).toOption)
    private def number(key: String): Long = find(key).getOrElse(0)

    def added: Long = number("added-records")

    def removedWithFiles: Long = number("deleted-records")

    /** A new delete file or vector takes over the deletes of the one that it replaces. */
    def deletedInPlace: Long =
      number("added-position-deletes") + number("added-equality-deletes") - number("removed-position-deletes")

    /** Spark 4.1 hands MERGE's own row counts to the commit; Iceberg keeps them in the summary. */
    def merged: Option[Long] = {
      val counts = Seq("inserted", "updated", "deleted").flatMap(what => find(s"spark.merge-into.num-target-rows-$what"))
      if (counts.isEmpty) None else Some(counts.filter(_ > 0).sum)
    }
  }

  /**
   * A copy-on-write UPDATE rewrites whole files, so its summary counts untouched rows as well. The rows that it changed are
   * those that its condition matched in the snapshot it replaced, which Iceberg's conflict check has just vouched for.
   */
  private def rewritten(spark: SparkSession, plan: LogicalPlan, update: UpdateTable, commit: CreateSnapshotEvent): Option[Long] = Try {
    val written = update.table.collectFirst { case relation: UnresolvedRelation => relation.multipartIdentifier }.get
    val name = if (written.last.startsWith("branch_")) written.init else written
    val before = Spark3Util.loadIcebergTable(spark, name.quoted).snapshot(commit.snapshotId).parentId
    val travelled = update.table.transform {
      // Anew: the parsed one asks for the right to write, which Spark refuses to a past snapshot.
      case _: UnresolvedRelation => RelationTimeTravel(UnresolvedRelation(name), None, Some(before.toString))
    }
    val matched = update.condition.fold(travelled)(Filter(_, travelled))
    val counted = Aggregate(Nil, Seq(Alias(Count(Literal(1)).toAggregateExpression(), "n")()), matched)
    val withTheirNames = plan match {
      case ctes: UnresolvedWith => ctes.copy(child = counted)
      case _ => counted
    }
    Dataset.ofRows(spark, withTheirNames).head().getLong(0)
  }.toOption
}
