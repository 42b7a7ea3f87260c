package org.apache.spark.sql.sqe.kernel

import java.sql.DriverManager
import java.util.Properties
import java.util.concurrent.{ScheduledFuture, ScheduledThreadPoolExecutor, TimeUnit}

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.duckdb.DuckDBConnection

/**
 * An instance of the kernel that nobody has used yet. Opening one takes longer than many a query, so the next one is opened when a
 * fragment has ended, and closing one takes as long: neither is what a statement waits for. At most one lies ready, and not for
 * longer than a minute: a server that nobody asks has none, and no thread for them.
 */
object SpareInstance extends Logging {
  private val readySeconds = 60L
  private val worker = {
    val executor = new ScheduledThreadPoolExecutor(1, (task: Runnable) => {
      val thread = new Thread(task, "sqe-native-spare")
      thread.setDaemon(true)
      thread
    })
    executor.setKeepAliveTime(readySeconds, TimeUnit.SECONDS)
    executor.allowCoreThreadTimeOut(true)
    executor.setRemoveOnCancelPolicy(true)
    executor
  }
  private var ready: Option[(Int, DuckDBConnection, ScheduledFuture[_])] = None

  /** For one fragment, with settings that all have; the fragment's own come next, and then it is locked. */
  def take(threads: Int): DuckDBConnection = {
    val found = synchronized {
      val fits = ready.filter(_._1 == threads)
      if (fits.isDefined) ready = None
      fits
    }
    found.fold(open(threads)) { case (_, connection, end) =>
      end.cancel(false)
      connection
    }
  }

  /** After a fragment: what it leaves is closed, and another instance made for the next one. */
  def afterwards(threads: Int)(leave: => Unit): Unit = worker.execute { () =>
    leave
    if (synchronized(ready.isEmpty))
      try {
        val connection = open(threads)
        val end = worker.schedule((() => drop(connection)): Runnable, readySeconds, TimeUnit.SECONDS)
        synchronized { ready = Some((threads, connection, end)) }
      } catch { case failure @ (NonFatal(_) | _: LinkageError) => logWarning("no instance of the native kernel could be opened ahead", failure) }
  }

  private def drop(connection: DuckDBConnection): Unit =
    if (synchronized {
      val mine = ready.exists(_._2 eq connection)
      if (mine) ready = None
      mine
    }) connection.close()

  private def open(threads: Int): DuckDBConnection = {
    val settings = new Properties
    settings.setProperty("threads", threads.toString)
    settings.setProperty("jdbc_stream_results", "true")
    val connection = DriverManager.getConnection("jdbc:duckdb:", settings).asInstanceOf[DuckDBConnection]
    try {
      val statement = connection.createStatement()
      try NativeInstance.setUp.foreach(statement.execute)
      finally statement.close()
    } catch {
      case failure: Throwable =>
        connection.close()
        throw failure
    }
    connection
  }
}
