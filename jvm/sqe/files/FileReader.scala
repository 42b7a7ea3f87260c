package org.apache.spark.sql.sqe.files

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.datasources.{DataSource, HadoopFsRelation, InMemoryFileIndex, LogicalRelation}
import org.apache.spark.sql.functions
import org.apache.spark.sql.types.{StringType, StructField, StructType}

/** From the files that a statement names to a plan that reads them: their columns found out, united by name. */
final class FileReader(spark: SparkSession) {
  private val guard = GuardedFileSystem.settings(FileAccess.text(spark))
  private val conf: Configuration = spark.sessionState.newHadoopConfWithOptions(guard)
  private val finder = new FileFinder(FileAccess.of(spark), conf)
  private val schemas = new FileSchemas(spark, conf, guard)

  def read(format: String, given: FileOptions): LogicalPlan = format match {
    case "iceberg" => new FolderTables(spark, conf, guard).iceberg(given)
    case "delta" => new FolderTables(spark, conf, guard).delta(given)
    case "text" => text(finder.find(given.paths))
    case _ =>
      val files = finder.find(given.paths)
      val groups = format match {
        case "csv" => schemas.csv(files, given)
        case "json" => schemas.json(files, given)
        case _ => schemas.typed(format, files, given)
      }
      united(format, groups, files, given)
  }

  /** A folder can be a table of its own. */
  def formatOfFolder(path: String): Option[String] =
    if (!finder.isFolder(path)) None
    else Seq("delta" -> "_delta_log", "iceberg" -> "metadata").collectFirst { case (format, inside) if finder.isFolder(path.stripSuffix("/") + "/" + inside) => format }

  private def united(format: String, groups: Groups, files: Seq[FileStatus], given: FileOptions): LogicalPlan = {
    val partitions = if (given.boolean("hive_partitioning").getOrElse(true)) FileReader.partitionBase(files) else None
    val parts = groups.parts.map { part =>
      val options = guard ++ part.options ++ partitions.map("basePath" -> _) + (DataSource.GLOB_PATHS_KEY -> "false")
      val rows = relation(format, part.files, options, Some(part.schema))
      val columns = groups.schema.fields.toSeq.map(field => part.schema.fields.find(_.name.equalsIgnoreCase(field.name)) match {
        case Some(own) if own.dataType == field.dataType => column(rows, own.name).as(field.name)
        case Some(own) => column(rows, own.name).cast(field.dataType).as(field.name)
        case None => functions.lit(null).cast(field.dataType).as(field.name)
      })
      val fromPath = rows.columns.drop(part.schema.size).toSeq.map(column(rows, _))
      val name = if (given.boolean("filename").contains(true)) Seq(rows.col("_metadata.file_path").as("filename")) else Nil
      if (groups.parts.size == 1 && name.isEmpty) rows else rows.select(columns ++ fromPath ++ name: _*)
    }
    parts.reduce(_ union _).queryExecution.analyzed
  }

  private def column(rows: Dataset[_], name: String): Column = rows.col("`" + name.replace("`", "``") + "`")

  /** One row a file, as DuckDB has it. */
  private def text(files: Seq[FileStatus]): LogicalPlan = {
    val rows = relation("binaryFile", files, guard + (DataSource.GLOB_PATHS_KEY -> "false"), None)
    rows.select(rows.col("path").as("filename"), rows.col("content").cast(StringType).as("content"), rows.col("length").as("size"),
      rows.col("modificationTime").as("last_modified")).queryExecution.analyzed
  }

  private def relation(format: String, files: Seq[FileStatus], options: Map[String, String], schema: Option[StructType]) = {
    val source = DataSource(spark, format, files.map(_.getPath.toString), schema, options = options).resolveRelation(checkFilesExist = false)
    Dataset.ofRows(spark, LogicalRelation(source))
  }
}

object FileReader {
  /** Whether a relation is of files that a statement names; the spool of a bulk load is none. Delta has an index of its own. */
  def made(relation: HadoopFsRelation): Boolean = relation.options.contains(FileAccess.key) || !relation.location.isInstanceOf[InMemoryFileIndex]

  /** `…/year=2026/month=3/x.parquet`: the folder above the first such step, when all files have some. */
  private def partitionBase(files: Seq[FileStatus]): Option[String] = {
    val bases = files.map { file =>
      val steps = file.getPath.getParent.toString.split("/")
      if (steps.exists(_.contains('='))) Some(steps.takeWhile(!_.contains('=')).mkString("/")) else None
    }
    if (bases.forall(_.isDefined)) bases.flatten.distinct match {
      case Seq(one) => Some(one)
      case _ => None
    }
    else None
  }
}
