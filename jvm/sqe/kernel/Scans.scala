package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable.ArrayBuffer

import org.apache.iceberg.spark.source.{LookUps, PlannedFiles}
import org.apache.iceberg.types.Types.NestedField
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/**
 * Scans of Iceberg tables. Iceberg has chosen the files (partitions, statistics); the kernel reads them itself and leaves out row
 * groups by its own look at the same conditions.
 *
 * | part | why it is exact |
 * |---|---|
 * | columns by field id | renamed, dropped and added again, reordered: the id is what Iceberg goes by, too; without one: NULL |
 * | columns by name | where it has been the name of that id, and of no other, in all schemas of the table; checked in each file |
 * | nested columns | by their field id; what is in them by name, which always was the name of that id; checked in each file |
 * | wider types | the file's value cast to the table's type; Iceberg allows only casts that lose nothing |
 * | partition columns | read from the file, which holds them under a name that they had; never from the file's path |
 * | rows deleted by position (delete files, deletion vectors) | read by Iceberg's own loader; taken out by file and row number |
 * | remote files | whole copies, which the session's own file access made or checked just now ([[Fetch]]) |
 * | rows by their numbers, of a table with a column of the name that the kernel has for those | decoded by Iceberg's own reader; checked in each file |
 * | default values of columns | told as the mapping's own, a text that reads back as the same value ([[FileDefaults]]) |
 * | a file that a table has twice, equality deletes, encryption, remote files that the cache does not take, default values within nested columns, imported files | decoded by Iceberg's own reader ([[FedScan]]) |
 * | a few pages of a file, for a condition on a key | decoded by Iceberg's own reader ([[LookUps]]) |
 * | metadata tables whose rows are not in the driver already (`files`, `entries`, …) | read by Iceberg's own reader, as rows |
 * | formats that Iceberg reads by rows, metadata columns | refused |
 */
final class Scans(local: Boolean, cache: Option[CacheUse], given: Given, sharedOut: Option[SharedOut]) {
  private var shares = Option.empty[SharedScan]
  private val found = ArrayBuffer[PlannedFiles]()
  private val deleted = ArrayBuffer[DeletedRows]()
  private val decoded = ArrayBuffer[FedScan]()

  def all: Seq[PlannedFiles] = found.toSeq

  def fed: Seq[FedScan] = decoded.toSeq

  /** The scan that each task has a part of; all others every task has whole. */
  def shared: Option[SharedScan] = shares

  def apply(relation: DataSourceV2ScanRelation): String = {
    relation.output.foreach(column => NativeTypes.check(column.dataType))
    try if (isLookUp(relation)) fromIceberg(relation, FedScan.FewColumns) else direct(relation)
    catch {
      case refused: Refused if (local || sharedOut.isDefined) && Scans.decodable(refused.reason) => fromIceberg(relation, FedScan.ByColumns)
      case refused: Refused if local && sharedOut.isEmpty && refused.reason == PlannedFiles.metadataTable => fromIceberg(relation, FedScan.ByRows)
    }
  }

  private def isLookUp(relation: DataSourceV2ScanRelation): Boolean =
    given.lookUps && local && sharedOut.isEmpty && FedScan.canCopy(relation) && LookUps.isOne(relation.scan)

  private def fromIceberg(relation: DataSourceV2ScanRelation, decoding: FedScan.Decoding): String = {
    given.check(few = decoding == FedScan.FewColumns)
    val scan = FedScan.of(relation, s"fed_${decoded.size}_", decoding)
    if (isShared(relation)) share(SharedScan(scan.name, scan.table, scan.partitions.toSeq.map(part => DecodedShare(scan.copy(partitions = Array(part)))), 0, decoded = true))
    else decoded += scan
    s"SELECT ${columns(relation.output)} FROM ${scan.name}"
  }

  /** Its rows come once. A text that has it twice, for instance a condition with a subquery that is looked at twice, would get them halved. */
  def checkReadOnce(sql: String): Unit = {
    if (decoded.exists(scan => isNotOnce(scan.name, sql))) Refused(Scans.fedTwice)
    if (shares.exists(scan => isNotOnce(scan.name, sql))) Refused("shared scan that is needed twice")
  }

  /** A side of a join that is known to have no rows: the kernel would not look at the other one at all, and not find what fails there. */
  def checkNotEmpty(plan: LogicalPlan): Unit =
    if ((found.exists(_.paths.isEmpty) || decoded.exists(_.partitions.isEmpty) || shares.exists(_.shares.isEmpty)) && Shortcuts.failsInJoins(plan)) Refused("join with nothing, of what can fail")

  private def isNotOnce(name: String, sql: String): Boolean = sql.split(name, -1).length != 2

  private def isShared(relation: DataSourceV2ScanRelation): Boolean = sharedOut.exists(_.scan eq relation)

  private def share(scan: SharedScan): Unit = {
    if (shares.isDefined) Refused("shared scan that is needed twice")
    shares = Some(scan)
  }

  private def direct(relation: DataSourceV2ScanRelation): String = {
    val files = PlannedFiles.of(relation.scan, cache)
    if (files.hidesNumbers && (files.deleted.nonEmpty || sharedOut.exists(_.inPieces))) Refused(Scans.hiddenNumbers)
    val fields = relation.output.map(column => column -> field(column, files))
    // With a mapping the kernel does not know how many rows a file has, and joins in the order of the text.
    val nested = fields.flatMap { case (column, field) => files.nested(field).map(column.exprId -> _) }.toMap
    val byName = fields.forall { case (_, field) => files.sameName(field) && field.initialDefault == null } && nested.values.forall(_.inOneOrder)
    val schema = if (byName) Nil else fields.map { case (column, field) => mapped(column, field, nested.get(column.exprId)) }
    val items = if (byName) fields.map { case (column, field) => s"${NativeTypes.cast(s"\"${field.name}\"", column.dataType)} AS ${NativeTypes.column(column)}" }
    else relation.output.map { column =>
      val name = NativeTypes.column(column)
      // A part of a struct would be read by its place (2.0.0), which is not the same in all files: not through CASE.
      nested.get(column.exprId).fold(name) { found =>
        val part = NativeTypes.cast(name, column.dataType)
        s"${if (found.inOneOrder) part else s"CASE WHEN $name IS NOT NULL THEN $part END"} AS $name"
      }
    }
    val looked = fields.map { case (column, field) =>
      FileColumn(field.fieldId, if (byName) Some(field.name) else None, nested.get(column.exprId).map(_.unlike).orElse(files.unlike(field, byName)))
    }
    val named = files.copy(names = looked.filter(column => column.name.isDefined || column.unlike.isDefined).distinct)
    val mapping = if (schema.isEmpty) "" else schema.mkString(", schema = MAP {", ", ", "}")
    val text = ScanText(Select.list(items), columns(relation.output), mapping, empty(relation.output))
    deleted ++= files.deleted
    checkDeleted()
    if (isShared(relation)) shared(named, text)
    else {
      found += named
      text(files.untouched, files.deleted.map(_.path))
    }
  }

  private def shared(files: PlannedFiles, text: ScanText): String = {
    val tasks = sharedOut.fold(1)(_.most)
    // A copy of a remote file is made whole, by one task.
    val cuts = if (files.remote.isDefined || !sharedOut.exists(_.inPieces)) files.sizes.map(_ => 1) else Shares.cuts(files.sizes, files.rowGroups, tasks)
    val parts = cuts.zipWithIndex.flatMap { case (count, place) => Seq.tabulate(count)(number => (place, FilePiece(files.paths(place), number, count))) }
    val groups = Shares.packed(parts.map { case (place, piece) => files.sizes(place) / piece.of }, tasks)
    val shares = groups.map { group =>
      val own = group.map(parts)
      FilesShare(Scans.sharedName, text, files.some(own.map(_._1).distinct), own.map(_._2).filter(_.of > 1))
    }
    share(SharedScan(Scans.sharedName, files.table, shares, files.bytes, decoded = false))
    Scans.sharedName
  }

  /** The instance has one table of deleted rows: a file that two scans see at two moments would lose the same rows in both. */
  private def checkDeleted(): Unit = deleted.groupBy(_.path).values.foreach { moments =>
    if (moments.map(_.by.map(file => (file.location, file.contentOffset)).toSet).distinct.size > 1) Refused("table with deleted rows at two moments")
  }

  private def field(column: Attribute, files: PlannedFiles): NestedField = {
    val field = files.fields.getOrElse(column.name, Refused("metadata column"))
    if (!PlannedFiles.isOfTable(field)) Refused("metadata column")
    FileDefaults.check(field)
    field
  }

  /** Of a nested column all that files have. */
  private def mapped(column: Attribute, field: NestedField, nested: Option[NestedColumn]): String = {
    val kind = NativeTypes.name(nested.fold(column.dataType)(_.whole))
    s"${field.fieldId}: {name: '${NativeTypes.column(column)}', type: ${NativeLiterals.quoted(kind)}, default_value: ${FileDefaults.text(field)}}"
  }

  private def columns(output: Seq[Attribute]): String = Select.list(output.map(NativeTypes.column))

  private def empty(output: Seq[Attribute]): String =
    s"SELECT ${Select.list(output.map(column => s"${NativeTypes.cast("NULL", column.dataType)} AS ${NativeTypes.column(column)}"))} WHERE FALSE"
}

/** Columns that somebody else makes for a fragment: whether they are worth it ([[Worth]]), and whether a few pages are wanted so ([[LookUps]]). */
final case class Given(isWorth: Boolean => Boolean, lookUps: Boolean) {
  /** Before anybody plans how to read them, which costs as much as to run a small statement. */
  def check(few: Boolean): Unit = if (!isWorth(few)) Refused(Worth.reason)
}

/** The scan of a fragment that is shared out among at most so many tasks. */
final case class SharedOut(scan: DataSourceV2ScanRelation, most: Int, inPieces: Boolean)

object Scans {
  /** In the place of the shared scan's text, which each task has its own of. */
  private val sharedName = "own_files_"
  val fedTwice = "scan by Iceberg's reader that is needed twice"
  private val hiddenNumbers = "column with a name of the kernel's own"
  private val decodable = Set(hiddenNumbers, "files that are not local", "table with equality deletes", "encrypted files", "file format other than Parquet",
    "table with a name mapping", FileDefaults.reason, "file name that is a pattern", PlannedFiles.twice)
}

object Select {
  /** SQL has no empty list of columns. */
  def list(items: Seq[String]): String = if (items.isEmpty) "1 AS nothing" else items.distinct.mkString(", ")
}
