package org.apache.spark.sql.sqe

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.TableProperties
import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.catalog.procedures.{BoundProcedure, ProcedureParameter, UnboundProcedure}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types._

/** Procedures that SQE adds to the schema `system` of every catalog, beside Iceberg's. */
object OwnProcedures {
  val names: Seq[String] = Seq("refresh_catalog_cache", "table_health")

  def find(catalog: LakeCatalog, procedure: Identifier): Option[UnboundProcedure] =
    if (!procedure.namespace.sameElements(Array("system"))) None
    else procedure.name.toLowerCase(Locale.ROOT) match {
      case "table_health" => Some(new TableHealth(catalog))
      case "refresh_catalog_cache" => Some(RefreshCatalogCache)
      case _ => None
    }
}

abstract class OwnProcedure(override val name: String, override val description: String, inputs: ProcedureParameter*)
  extends UnboundProcedure with BoundProcedure {
  override def bind(types: StructType): BoundProcedure = this

  override def parameters: Array[ProcedureParameter] = inputs.toArray

  override def isDeterministic: Boolean = false
}

/** Tables are loaded anew by every statement, so there is nothing to forget; the statement is there for scripts that call it. */
object RefreshCatalogCache extends OwnProcedure("refresh_catalog_cache", "Forgets what is remembered of the catalog") {
  private val columns = new StructType().add("cached_tables", LongType)

  override def call(input: InternalRow): java.util.Iterator[Scan] = Iterator[Scan](LocalTable.scan(columns, () => Seq(Seq(0L)))).asJava
}

/** What a table's files and history look like, and what would help. Reads manifests only. */
final class TableHealth(catalog: LakeCatalog) extends OwnProcedure(
    "table_health", "Counts files, deletes, snapshots and manifests of a table, and recommends what would help",
    ProcedureParameter.in("table", StringType).build()) {
  private val columns = new StructType()
    .add("data_files", LongType).add("data_bytes", LongType).add("records", LongType).add("average_file_bytes", LongType)
    .add("small_files", LongType).add("delete_files", LongType).add("deleted_records", LongType).add("files_with_deletes", LongType)
    .add("snapshots", LongType).add("oldest_snapshot_at", TimestampType).add("manifests", LongType).add("manifest_bytes", LongType)
    .add("metadata_files", LongType).add("format_version", IntegerType).add("recommendations", ArrayType(StringType))

  override def call(input: InternalRow): java.util.Iterator[Scan] = {
    if (input.isNullAt(0)) throw new IllegalArgumentException("The argument table of table_health must not be null")
    val name = input.getUTF8String(0).toString
    Iterator[Scan](LocalTable.scan(columns, () => Seq(look(name)))).asJava
  }

  private def look(name: String): Seq[Any] = {
    val spark = SparkSession.active
    val identifier = here(spark, spark.sessionState.sqlParser.parseMultipartIdentifier(name))
    val table = catalog.loadTable(identifier) match {
      case iceberg: SparkTable => iceberg.table
      case _ => throw new IllegalArgumentException(s"$name is not a table")
    }
    val target = table.properties.getOrDefault(TableProperties.WRITE_TARGET_FILE_SIZE_BYTES, TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT.toString).toLong
    var files, bytes, records, small, deletes, deleted, withDeletes = 0L
    val seen = new java.util.HashSet[String]
    Using.resource(table.newScan.planFiles()) { tasks =>
      tasks.asScala.foreach { task =>
        files += 1
        bytes += task.file.fileSizeInBytes
        records += task.file.recordCount
        if (task.file.fileSizeInBytes < target * TableHealth.smallerThan) small += 1
        if (!task.deletes.isEmpty) withDeletes += 1
        task.deletes.asScala.foreach { delete =>
          if (seen.add(s"${delete.location}#${delete.contentOffset}")) {
            deletes += 1
            deleted += delete.recordCount
          }
        }
      }
    }
    val manifests = Option(table.currentSnapshot).map(_.allManifests(table.io).asScala.toSeq).getOrElse(Nil)
    val snapshots = table.snapshots.asScala.toSeq
    val facts = TableHealth.Facts(files, small, deletes, withDeletes, snapshots.size, manifests.size, manifests.map(_.length).sum)
    val metadata = table match {
      case withOperations: org.apache.iceberg.HasTableOperations => Some(withOperations.operations.current)
      case _ => None
    }
    val called = (identifier.namespace :+ identifier.name).map(quoteIfNeeded).mkString(".").replace("\\", "\\\\").replace("'", "\\'")
    Seq(
      files, bytes, records, Option.when(files > 0)(bytes / files), small, deletes, deleted, withDeletes,
      snapshots.size.toLong, snapshots.map(_.timestampMillis * 1000).minOption, manifests.size.toLong, facts.manifestBytes,
      metadata.map(_.previousFiles.size.toLong + 1), metadata.map(_.formatVersion),
      facts.recommendations(s"CALL ${quoteIfNeeded(catalog.name)}.system.%s(table => '$called')"))
  }

  /** A short name is one of the current schema, in its catalog; else it starts at the catalog whose procedure this is. */
  private def here(spark: SparkSession, parts: Seq[String]): Identifier = {
    val manager = spark.sessionState.catalogManager
    val inside = if (parts.size > 1 && parts.head.equalsIgnoreCase(catalog.name)) parts.tail else parts
    val namespace =
      if (inside.size > 1) inside.init.toArray
      else if (manager.currentCatalog.name == catalog.name) manager.currentNamespace
      else catalog.defaultNamespace
    Identifier.of(namespace, inside.last)
  }
}

object TableHealth {
  /** Of the table's target size, as Iceberg's rewrite_data_files sees it; it starts with five of them. */
  private val smallerThan = 0.75
  private val fewFiles = 5
  private val manySnapshots = 100
  private val manyManifests = 100
  private val smallManifest = 1 << 20

  final case class Facts(files: Long, small: Long, deletes: Long, withDeletes: Long, snapshots: Long, manifests: Long, manifestBytes: Long) {
    def recommendations(call: String): Seq[String] = Seq(
      Option.when(small >= fewFiles)(call.format("rewrite_data_files")),
      Option.when(deletes > 0 && withDeletes * 10 >= files)(call.format("rewrite_position_delete_files")),
      Option.when(snapshots > manySnapshots)(call.format("expire_snapshots")),
      Option.when(manifests > manyManifests && manifestBytes / manifests < smallManifest)(call.format("rewrite_manifests"))).flatten
  }
}
