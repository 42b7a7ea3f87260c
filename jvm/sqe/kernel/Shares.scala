package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable.ArrayBuffer

/** The text of a scan that the kernel reads itself, for some of its files. */
final case class ScanText(items: String, columns: String, schema: String, empty: String) {
  def apply(untouched: Seq[String], deleted: Seq[String]): String = {
    val parts = Seq(
      if (untouched.isEmpty) None else Some(s"SELECT $items FROM ${read(untouched)}"),
      if (deleted.isEmpty) None else Some(s"SELECT $columns FROM (SELECT $items, filename, file_row_number FROM ${read(deleted)}) " +
        s"ANTI JOIN ${DeletedRows.table} ON ${DeletedRows.condition}")).flatten
    if (parts.isEmpty) empty else parts.mkString(" UNION ALL ")
  }

  private def read(paths: Seq[String]): String =
    s"read_parquet([${paths.map(NativeLiterals.quoted).mkString(", ")}]$schema, hive_partitioning = false)"
}

/** What one task of a fragment reads of the scan that is shared out among all of them. */
sealed trait Share extends Serializable {
  def of(query: NativeQuery): NativeQuery
}

/** Whole files, whose text takes the place of the scan's name. */
final case class FilesShare(name: String, text: ScanText, files: NativeFiles) extends Share {
  override def of(query: NativeQuery): NativeQuery = {
    val deleted = files.deleted.map(_.path)
    val own = text(files.paths.filterNot(deleted.toSet), deleted)
    query.copy(sql = query.sql.replace(name, own), files = query.files :+ files)
  }
}

/** A partition of Iceberg's, which its own reader decodes. */
final case class DecodedShare(scan: FedScan) extends Share {
  override def of(query: NativeQuery): NativeQuery = query.copy(fed = query.fed :+ scan)
}

/** A scan that is shared out. Every file, and so every row, is in one share; none is without files. */
final case class SharedScan(name: String, table: String, shares: Seq[Share], bytes: Long, decoded: Boolean) {
  def files: Seq[NativeFiles] = shares.collect { case share: FilesShare => share.files }

  /** The text of a fragment as one task would have it that read everything. */
  def whole(sql: String): String = shares.collectFirst { case share: FilesShare => share.text }.fold(sql) { text =>
    val deleted = files.flatMap(_.deleted).map(_.path)
    sql.replace(name, text(files.flatMap(_.paths).filterNot(deleted.toSet), deleted))
  }
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
}
