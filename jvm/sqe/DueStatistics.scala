package org.apache.spark.sql.sqe

import scala.util.control.NonFatal

import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.catalyst.plans.logical.Call
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}
import org.apache.spark.sql.sqe.policy.{Procedures, SessionPolicy}

/** Whether it is time to compute a table's statistics, and the session's user may. */
object DueStatistics {
  /** A quarter more or fewer rows than were counted change no plan. */
  private val change = 1.25

  def call(spark: SparkSession, name: String): Option[String] = {
    val parts = spark.sessionState.sqlParser.parseMultipartIdentifier(name)
    val found = spark.sessionState.catalogManager.catalog(parts.head) match {
      case catalog: TableCatalog => Some(catalog.loadTable(Identifier.of(parts.slice(1, parts.size - 1).toArray, parts.last)))
      case _ => None
    }
    found.collect { case table: SparkTable if due(table) => statement(parts) }.filter(allowed(spark, _))
  }

  private def due(found: SparkTable): Boolean = Option(found.table.currentSnapshot).exists { now =>
    val counted = DistinctValues.of(found.table, now).flatMap(known => DistinctValues.rows(known.counted))
    (counted, DistinctValues.rows(now)) match {
      case (Some(before), Some(rows)) => rows > before * change || before > rows * change
      case (None, rows) => rows.exists(_ > 0)
      case _ => false
    }
  }

  private def statement(table: Seq[String]): String = {
    val named = table.tail.map(quoteIfNeeded).mkString(".").replace("\\", "\\\\").replace("'", "\\'")
    s"CALL ${quoteIfNeeded(table.head)}.system.compute_table_stats(table => '$named')"
  }

  /** Asked before, so that nobody is on record for being refused what was never asked for. */
  private def allowed(spark: SparkSession, statement: String): Boolean = SessionPolicy.binding(spark).forall { policy =>
    spark.sessionState.sqlParser.parsePlan(statement) match {
      case call: Call =>
        try {
          new Procedures(spark, policy).allowed(call)
          true
        } catch {
          case needed: Failure.PolicyNeeded => throw needed
          case NonFatal(_) => false
        }
      case _ => false
    }
  }
}
