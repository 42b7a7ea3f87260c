package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable.ArrayBuffer

/** The text of a scan that the kernel reads itself, for some of its files. */
final case class ScanText(items: String, columns: String, schema: String, empty: String) {
  def apply(untouched: Seq[String], deleted: Seq[String], ranges: Seq[RowRange] = Nil): String = {
    val parts = Seq(
      if (untouched.isEmpty) None else Some(s"SELECT $items FROM ${read(untouched)}"),
      if (deleted.isEmpty) None else Some(without(read(deleted)))).flatten ++ ranges.map(ranged)
    if (parts.isEmpty) empty else parts.mkString(" UNION ALL ")
  }

  private def read(paths: Seq[String]): String =
    s"read_parquet([${paths.map(NativeLiterals.quoted).mkString(", ")}]$schema, hive_partitioning = false)"

  private def without(rows: String): String =
    DeletedRows.without(s"SELECT $items, filename, file_row_number FROM $rows", columns)

  /** The kernel leaves out row groups by the numbers of their rows, too. */
  private def ranged(rows: RowRange): String = {
    val part = s"${read(Seq(rows.path))} WHERE file_row_number >= ${rows.first} AND file_row_number < ${rows.end}"
    if (rows.deleted) without(part) else s"SELECT $items FROM $part"
  }
}

/** Rows of a file, by their numbers; whether some of the file's rows are deleted. */
final case class RowRange(path: String, first: Long, end: Long, deleted: Boolean)

/**
 * One of so many pieces of a file: whole row groups, so that none is decoded twice. Where they begin stands in the file alone; each task
 * looks there, and since a data file never changes, all find the same borders.
 */
final case class FilePiece(path: String, number: Int, of: Int) {
  /** The first of its rows, and the first after them. */
  def rows(first: String => Option[String]): (Long, Long) = {
    def before(piece: Int): String = s"coalesce(sum(size) FILTER (WHERE id < (SELECT count(*) FROM row_groups) * $piece // ${of}), 0)"
    val text = "WITH row_groups AS (SELECT DISTINCT row_group_id AS id, row_group_num_rows AS size " +
      s"FROM parquet_metadata(${NativeLiterals.quoted(path)})) SELECT concat(${before(number)}, ' ', ${before(number + 1)}) FROM row_groups"
    first(text).map(_.split(' ')) match {
      case Some(Array(from, to)) => (from.toLong, to.toLong)
      case _ => Refused("file without row groups")
    }
  }
}

/** What one task of a fragment reads of the scan that is shared out among all of them. */
sealed trait Share extends Serializable {
  def of(query: NativeQuery): NativeQuery
}

/** Files, and pieces of some of them: their text takes the place of the scan's name. */
final case class FilesShare(name: String, text: ScanText, files: NativeFiles, pieces: Seq[FilePiece]) extends Share {
  /** The kernel (2.0.0) fails where it reads columns later, by the numbers of rows, of a scan that asks for numbers itself. */
  override def of(query: NativeQuery): NativeQuery = query.copy(files = query.files :+ files.copy(inPieces = pieces.nonEmpty), own = Some(this),
    shortcuts = if (pieces.isEmpty) query.shortcuts else (query.shortcuts :+ "late_materialization").distinct)

  /** `first`: asks the kernel for one value. */
  def filled(sql: String, first: String => Option[String]): String = {
    val deleted = files.deleted.map(_.path).toSet
    val (touched, untouched) = files.paths.filterNot(pieces.map(_.path).toSet).partition(deleted)
    val ranges = pieces.map { piece =>
      val (from, to) = piece.rows(first)
      RowRange(piece.path, from, to, deleted.contains(piece.path))
    }
    sql.replace(name, text(untouched, touched, ranges))
  }
}

/** A partition of Iceberg's, which its own reader decodes. */
final case class DecodedShare(scan: FedScan) extends Share {
  override def of(query: NativeQuery): NativeQuery = query.copy(fed = query.fed :+ scan)
}

/** A scan that is shared out. Every file or piece of one, and so every row, is in one share; none is without. */
final case class SharedScan(name: String, table: String, shares: Seq[Share], bytes: Long, decoded: Boolean) {
  def files: Seq[NativeFiles] = shares.collect { case share: FilesShare => share.files }

  /** Any of its parts tells which scan it is. */
  def fed: Option[FedScan] = shares.collectFirst { case share: DecodedShare => share.scan }

  /** The text of a fragment as one task would have it that read everything. */
  def whole(sql: String): String = shares.collectFirst { case share: FilesShare => share.text }.fold(sql) { text =>
    val deleted = files.flatMap(_.deleted).map(_.path).distinct
    sql.replace(name, text(files.flatMap(_.paths).distinct.filterNot(deleted.toSet), deleted))
  }

  /** How many files are read in pieces. */
  def cut: Int = shares.collect { case share: FilesShare => share.pieces.map(_.path) }.flatten.distinct.length
}

object Shares {
  /** So many groups of about the same size, at most: the largest first, each to the group that has the least. By their places in `sizes`. */
  def packed(sizes: Seq[Long], groups: Int): Seq[Seq[Int]] = {
    val count = math.min(groups, sizes.length)
    val members = Seq.fill(count)(ArrayBuffer[Int]())
    val filled = Array.fill(count)(0L)
    sizes.zipWithIndex.sortBy { case (size, place) => (-size, place) }.foreach { case (size, place) =>
      val least = filled.indices.minBy(filled)
      members(least) += place
      filled(least) += math.max(1, size)
    }
    members.map(_.sorted.toSeq)
  }

  /** Into how many pieces each file is cut, so that no task has much more than its part: as many as it has row groups, at most. */
  def cuts(sizes: Seq[Long], rowGroups: Seq[Int], tasks: Int): Seq[Int] = {
    val part = math.max(1, sizes.sum / tasks)
    sizes.zip(rowGroups).map { case (size, groups) => if (size < part + part / 4) 1 else math.min(groups.toLong, (size + part - 1) / part).toInt.max(1) }
  }
}
