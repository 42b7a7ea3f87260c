package org.apache.spark.sql.sqe.kernel

import scala.jdk.CollectionConverters._

import org.apache.iceberg.DeleteFile
import org.apache.iceberg.data.BaseDeleteLoader

/** A data file of which rows are deleted by their positions: where they are written down (position delete files, deletion vectors). */
final case class DeletedRows(path: String, location: String, by: Seq[DeleteFile], files: TableFiles)

object DeletedRows {
  /** The table of the instance that they are put into, before it runs the query. */
  val table = "deleted_rows"

  val condition = s"filename = $table.file AND file_row_number = $table.position"

  /** Read by Iceberg's own loader, so that both formats and their history mean what they mean to Spark. */
  def load(instance: NativeInstance, rows: Seq[DeletedRows]): Unit = if (rows.nonEmpty) instance.fill(
    s"CREATE TABLE $table (file VARCHAR, position BIGINT)", table) { appender =>
    rows.distinctBy(_.path).foreach { file =>
      val loader = new BaseDeleteLoader(deletes => file.files.io.newInputFile(deletes))
      loader.loadPositionDeletes(file.by.asJava, file.location).forEach(position => appender.beginRow().append(file.path).append(position).endRow())
    }
  }
}
