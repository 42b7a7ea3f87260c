package org.apache.spark.sql.sqe.kernel

import scala.jdk.CollectionConverters._

import org.apache.iceberg.DeleteFile
import org.apache.iceberg.data.BaseDeleteLoader
import org.apache.spark.sql.sqe.Recent

/**
 * A data file of which rows are deleted by their positions: how many it has, and where those are written down (position delete files,
 * deletion vectors). `keptFor`: who may be told again what was read there.
 */
final case class DeletedRows(path: String, location: String, rows: Long, by: Seq[DeleteFile], files: TableFiles, keptFor: Option[String]) {
  if (rows > DeletedRows.mostRows) Refused("rows deleted of a very large file")

  /** A bit for each row of the file, set where it is deleted. Read by Iceberg's own loader, so that both formats and their history mean what they mean to Spark. */
  private def bits: Array[Byte] = {
    val found = new Array[Byte](((rows + 7) / 8).toInt)
    val loader = new BaseDeleteLoader(deletes => files.io.newInputFile(deletes))
    loader.loadPositionDeletes(by.asJava, location).forEach { row =>
      if (row < rows) found((row >> 3).toInt) = (found((row >> 3).toInt) | 0x80 >> (row & 7)).toByte
    }
    found
  }

  private def key(owner: String): (String, String, Set[(String, Any)]) = (owner, location, by.map(file => (file.location, file.contentOffset)).toSet)
}

object DeletedRows {
  /** A bit each. */
  private val mostRows = 1L << 28
  private val kept = new Recent[(String, String, Set[(String, Any)]), Array[Byte]](32L << 20, _.length)
  private val blobs = "deleted_blobs"

  /** The table of the instance that they are put into, before it runs the query. Bits are half of what an anti join with positions costs. */
  val table = "deleted_rows"

  /** Of the rows of such files, with their names and numbers. */
  def without(rows: String, columns: String): String =
    s"SELECT $columns FROM ($rows) JOIN $table ON filename = $table.file WHERE get_bit($table.bits, CAST(file_row_number AS INTEGER)) = 0"

  def load(instance: NativeInstance, rows: Seq[DeletedRows]): Unit = if (rows.nonEmpty) {
    instance.fill(s"CREATE TABLE $blobs (file VARCHAR, bits BLOB)", blobs) { appender =>
      rows.distinctBy(_.path).foreach(file => appender.beginRow().append(file.path).append(bitsOf(file)).endRow())
    }
    instance.make(s"CREATE TABLE $table AS SELECT file, CAST(bits AS BIT) AS bits FROM $blobs")
  }

  /** Delete files never change. To read them again for each query took most of its time; Spark's own reader keeps them, too. */
  private def bitsOf(file: DeletedRows): Array[Byte] = file.keptFor.fold(file.bits) { owner =>
    val key = file.key(owner)
    kept.get(key).getOrElse {
      val bits = file.bits
      kept.add(key, bits)
      bits
    }
  }
}
