package org.apache.spark.sql.sqe.files

import java.io.FileNotFoundException

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.{BaseTable, StaticTableOperations}
import org.apache.iceberg.hadoop.HadoopFileIO
import org.apache.iceberg.spark.TimeTravel
import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Tables that are a folder and belong to no catalog: Iceberg's by their newest metadata file, Delta's by their log. */
final class FolderTables(spark: SparkSession, conf: Configuration, guard: Map[String, String]) {
  def iceberg(given: FileOptions): LogicalPlan = {
    val address = onePath(given)
    val metadata = if (address.path.endsWith(".metadata.json")) address else newest(address)
    val files = new HadoopFileIO(conf)
    val table = new BaseTable(new StaticTableOperations(GuardedFileSystem.path(metadata).toString, files), address.shown)
    val past = given.any("snapshot_id").orElse(given.any("version")).map(version => TimeTravel.version(version.toString))
      .orElse(given.any("timestamp").map(moment => TimeTravel.timestampMillis(millis(moment))))
    try DataSourceV2Relation.create(past.fold(new SparkTable(table))(SparkTable.create(table, _)), None, None, CaseInsensitiveStringMap.empty)
    catch { case _: org.apache.iceberg.exceptions.NotFoundException => throw new FileMissing(s"There is no Iceberg table in ${address.shown}") }
  }

  def delta(given: FileOptions): LogicalPlan = {
    val address = onePath(given)
    val log = new Path(GuardedFileSystem.path(address), "_delta_log")
    if (!Try(log.getFileSystem(conf).getFileStatus(log).isDirectory).getOrElse(false))
      throw new FileMissing(s"There is no Delta table in ${address.shown}")
    val asOf = given.any("version").map("versionAsOf" -> _.toString) ++ given.any("timestamp").map("timestampAsOf" -> _.toString)
    spark.read.format("delta").options(guard ++ asOf).load(GuardedFileSystem.path(address).toString).queryExecution.analyzed
  }

  /** The metadata file with the highest number; of two with the same one, the later. */
  private def newest(folder: Address): Address = {
    val path = new Path(GuardedFileSystem.path(folder), "metadata")
    val found = try path.getFileSystem(conf).listStatus(path).toSeq.filter(_.getPath.getName.endsWith(".metadata.json"))
    catch { case _: FileNotFoundException => Nil }
    if (found.isEmpty) throw new FileMissing(s"There is no Iceberg table in ${folder.shown}")
    GuardedFileSystem.address(found.maxBy(file => (number(file.getPath.getName), file.getModificationTime)).getPath)
  }

  private def number(name: String): Long = Try(name.stripPrefix("v").takeWhile(_.isDigit).toLong).getOrElse(-1L)

  private def millis(moment: Any): Long = moment match {
    case micros: Long => micros / 1000
    case text => Try(java.time.Instant.parse(text.toString)).orElse(Try(java.sql.Timestamp.valueOf(text.toString).toInstant))
        .getOrElse(throw new WrongOption(s"$text is no timestamp")).toEpochMilli
  }

  private def onePath(given: FileOptions): Address = given.paths match {
    case Seq(one) =>
      val address = Address.parse(one)
      FileAccess.of(spark).check(address)
      address
    case _ => throw new WrongOption("A table is one folder")
  }
}
