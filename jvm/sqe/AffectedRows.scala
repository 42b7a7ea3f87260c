package org.apache.spark.sql.sqe

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Try

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

  /** None when the statement committed nothing that has rows, or when one commit's count cannot be told. */
  def total(spark: SparkSession, statement: LogicalPlan, commits: Seq[CreateSnapshotEvent]): Option[Long] = statement match {
    case _: InsertIntoStatement | _: DeleteFromTable | _: UpdateTable | _: MergeIntoTable if commits.isEmpty => Some(0)
    case _ =>
      val counts = commits.map(count(spark, statement, _))
      if (counts.isEmpty || counts.contains(None)) None else Some(counts.flatten.sum)
  }

  private def count(spark: SparkSession, statement: LogicalPlan, commit: CreateSnapshotEvent): Option[Long] = {
    val summary = commit.summary.asScala
    def number(key: String): Long = summary.get(key).flatMap(text => Try(text.toLong).toOption).getOrElse(0L)
    val added = number("added-records")
    val removed = number("deleted-records")
    val deletedInPlace = number("added-position-deletes") + number("added-equality-deletes")
    statement match {
      case _: DeleteFromTable => Some(deletedInPlace + removed - added)
      case _: UpdateTable if deletedInPlace > 0 => Some(deletedInPlace)
      case update: UpdateTable => rewritten(spark, update, commit)
      case _: MergeIntoTable => mergeMetrics(summary).orElse(Some(math.max(added, deletedInPlace + removed)))
      case _ => Some(added)
    }
  }

  /** Spark 4.1 hands MERGE's own row counts to the commit; Iceberg keeps them in the summary. */
  private def mergeMetrics(summary: scala.collection.Map[String, String]): Option[Long] = {
    val counts = Seq("inserted", "updated", "deleted").map(what => summary.get(s"spark.merge-into.num-target-rows-$what"))
    if (counts.exists(_.isDefined)) Some(counts.flatten.flatMap(text => Try(text.toLong).toOption).filter(_ > 0).sum) else None
  }

  /**
   * A copy-on-write UPDATE rewrites whole files, so its summary counts untouched rows as well. The rows that it changed are
   * those that its condition matched in the snapshot it replaced, which Iceberg's conflict check has just vouched for.
   */
  private def rewritten(spark: SparkSession, update: UpdateTable, commit: CreateSnapshotEvent): Option[Long] = Try {
    val name = update.table.collectFirst { case relation: UnresolvedRelation => relation.multipartIdentifier }.get
    val table = Spark3Util.loadIcebergTable(spark, name.quoted)
    val before = table.snapshot(commit.snapshotId).parentId
    val travelled = update.table.transform {
      // Anew: the parsed one asks for the right to write, which Spark refuses to a past snapshot.
      case relation: UnresolvedRelation =>
        RelationTimeTravel(UnresolvedRelation(relation.multipartIdentifier), None, Some(before.toString))
    }
    val matched = update.condition.fold(travelled)(Filter(_, travelled))
    val count = Alias(Count(Literal(1)).toAggregateExpression(), "n")()
    Dataset.ofRows(spark, Aggregate(Nil, Seq(count), matched)).head().getLong(0)
  }.toOption
}
