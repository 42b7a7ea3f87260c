package org.apache.spark.sql.sqe.kernel

import java.io.File
import java.sql.{DriverManager, Statement}
import java.util.UUID

import scala.util.control.NonFatal

import org.apache.commons.io.FileUtils
import org.apache.arrow.c.ArrowArrayStream
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.spark.SparkEnv
import org.apache.spark.internal.Logging
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.Utils
import org.duckdb.{DuckDBAppender, DuckDBConnection, DuckDBResultSet}

/**
 * The files of a scan, the field ids of its table's columns of text, the files with deleted rows, the columns that are read, the
 * objects that the files are copies of, and whether only a part of some is read.
 */
final case class NativeFiles(paths: Seq[String], texts: Seq[Int], deleted: Seq[DeletedRows], names: Seq[FileColumn], remote: Option[RemoteFiles], inPieces: Boolean = false) {
  /** Whether rows are told by their numbers. */
  def numbered: Boolean = deleted.nonEmpty || inPieces
}

/** A column that is read: by its name, if files must have that one; how to see that a nested one is not as expected ([[FileCheck]]). */
final case class FileColumn(id: Int, name: Option[String], unlike: Option[String])

/** How to see that it is not as expected in a file; the type of all of it; and whether each file has all of it in that order. */
final case class NestedColumn(unlike: String, whole: DataType, inOneOrder: Boolean)

/** What a task needs to run a fragment, whether its rows wait for each other ([[LateFailures]]), and what its failures are known by. The SQL was made by the translator from a plan; nobody writes it. */
final case class NativeQuery(sql: String, files: Seq[NativeFiles], settings: KernelSettings, shortcuts: Seq[String], fed: Seq[FedScan], key: (Int, Int), built: Seq[BuiltTable] = Nil,
    own: Option[FilesShare] = None, waits: Boolean = false) {
  /** Whether the kernel gets columns of somebody else's memory. */
  def isFed: Boolean = fed.nonEmpty || built.nonEmpty
}

/**
 * One instance of the kernel, for one fragment: a defect in it (2.0 has one under lack of memory) ends one statement's use of it and
 * no other's. It reads the planned files and nothing else, writes to its own folder only, loads no extension, and takes no other
 * setting any more.
 */
final class NativeInstance(query: NativeQuery) extends AutoCloseable with Logging {
  private val memory = KernelMemory.take(query.settings.memory, query.settings.among)
  private val folder = new File(if (query.settings.folder.isEmpty) Utils.getLocalDir(SparkEnv.get.conf) else query.settings.folder, UUID.randomUUID().toString)
  private var connection: DuckDBConnection = _
  private var statement: Statement = _
  private var results: DuckDBResultSet = _
  private var closed = false
  Counters.instances.incrementAndGet()

  def open(): Unit = synchronized {
    if (closed) throw new IllegalStateException("closed")
    folder.mkdirs() // the kernel makes the last folder of a path at most, and without it does not spill
    connection = SpareInstance.take(query.settings.threads)
    statement = connection.createStatement()
    val own = Seq(
      s"SET memory_limit = '${memory >> 10}KiB'",
      s"SET temp_directory = ${NativeLiterals.quoted(folder.getPath)}",
      s"SET allowed_paths = [${query.files.flatMap(_.paths).distinct.map(NativeLiterals.quoted).mkString(", ")}]",
      s"SET disabled_optimizers = '${query.shortcuts.mkString(",")}'")
    (own ++ NativeInstance.lock).foreach(statement.execute)
  }

  def run(sql: String, allocator: BufferAllocator, batchRows: Int): ArrowReader = {
    if (query.waits) statement.execute(s"CREATE TEMP TABLE all_rows AS $sql")
    results = statement.executeQuery(if (query.waits) "SELECT * FROM all_rows" else sql).asInstanceOf[DuckDBResultSet]
    results.arrowExportStream(allocator, batchRows.toLong).asInstanceOf[ArrowReader]
  }

  /** Columns that are made elsewhere, under a name. */
  def feed(name: String, stream: ArrowArrayStream): Unit = connection.registerArrowStream(name, stream)

  /** A table of columns that are made elsewhere: it may be read often, and the kernel knows how many rows there are. */
  def build(table: BuiltTable, stream: ArrowArrayStream): Unit = {
    val from = s"stream_of_${table.name}"
    feed(from, stream)
    statement.execute(table.create(from))
  }

  /** Makes a table and puts rows into it. */
  def fill(create: String, table: String)(rows: DuckDBAppender => Unit): Unit = {
    statement.execute(create)
    val appender = connection.createAppender(table)
    try rows(appender)
    finally appender.close()
  }

  def make(table: String): Unit = statement.execute(table)

  /** Of values that are few. */
  def first(sql: String): Option[String] = {
    val found = statement.executeQuery(sql)
    try if (found.next()) Some(found.getString(1)) else None
    finally found.close()
  }

  /** From any thread. */
  def cancel(): Unit = synchronized(if (!closed && statement != null) statement.cancel())

  override def close(): Unit = synchronized {
    if (!closed) {
      closed = true
      closing(results, statement)
      Counters.instances.decrementAndGet()
      // It lets go of columns that it was fed, whose memory is counted right after this.
      if (query.isFed) end()
      SpareInstance.afterwards(query.settings.threads)(if (!query.isFed) end())
    }
  }

  private def end(): Unit = {
    closing(connection)
    FileUtils.deleteQuietly(folder)
    KernelMemory.giveBack(memory)
  }

  private def closing(parts: AutoCloseable*): Unit = parts.filter(_ != null).foreach { each =>
    try each.close()
    catch { case failure: Exception => logWarning("closing a part of the native kernel failed", failure) }
  }
}

object NativeInstance extends Logging {
  /** Loads the library. */
  def warmUp(): Unit =
    try DriverManager.getConnection("jdbc:duckdb:").close()
    catch { case failure @ (NonFatal(_) | _: LinkageError) => logWarning("the native kernel cannot be loaded; Spark will run everything", failure) }

  private[kernel] val setUp = Seq(
    Arithmetic.halfUpMacro,
    "SET TimeZone = 'UTC'",
    "SET preserve_insertion_order = false", // ORDER BY is kept all the same
    "SET enable_external_file_cache = false", // nobody reads the same file again with this instance
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false")

  /** In this order: the paths are allowed before all others are closed. */
  private val lock = Seq("SET enable_external_access = false", "SET lock_configuration = true")
}
