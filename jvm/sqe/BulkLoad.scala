package org.apache.spark.sql.sqe

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.connector.catalog.CatalogV2Implicits._
import org.apache.spark.sql.sqe.policy.{ServerRows, Trusted}

/** Writes spooled Parquet files into a table by one Iceberg commit: all rows or none. */
object BulkLoad {
  def run(execution: Execution, request: Map[String, Any]): Map[String, Any] = {
    val spark = execution.session.spark
    val files = request("files").asInstanceOf[java.util.List[String]].asScala.toSeq
    val name = request("table").asInstanceOf[java.util.List[String]].asScala.toSeq
    execution.touched = TouchedTables.written(name)
    val table = name.quoted
    val existing = WriteBranch.of(spark).fold(table)(WriteBranch.named(_, name).quoted)
    val rows = Dataset.ofRows(spark, ServerRows(Trusted(spark.read.parquet(files: _*).queryExecution.analyzed)))
    val commits = AffectedRows.capture {
      execution.stopIfCancelled()
      request("mode") match {
        case "append" => rows.writeTo(existing).append()
        case "create_append" if spark.catalog.tableExists(table) => rows.writeTo(existing).append()
        case "create" | "create_append" => rows.writeTo(table).using("iceberg").create()
        case "replace" => rows.writeTo(table).using("iceberg").createOrReplace()
      }
    }
    Map("affected" -> commits.flatMap(commit => commit.summary.asScala.get("added-records")).map(_.toLong).sum) ++ execution.facts ++ AffectedRows.size(commits)
  }
}
