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
  /** There is no library for this machine, or its folders allow none: found out once, and Spark runs everything. */
  @volatile var unavailable = false
  private var ready: Option[(Int, DuckDBConnection, ScheduledFuture[_])] = None

  /** For one fragment, with settings that all have; the fragment's own come next, and then it is locked. */
  def take(threads: Int): DuckDBConnection = {
    val found = synchronized {
      val there = ready
      ready = None
      there
    }
    found.fold(open(threads)) { case (had, connection, end) =>
      end.cancel(false)
      if (had != threads) set(connection, s"SET threads = $threads")
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
    val connection =
      try DriverManager.getConnection("jdbc:duckdb:", settings).asInstanceOf[DuckDBConnection]
      catch {
        case missing: LinkageError =>
          unavailable = true
          throw missing
      }
    set(connection, NativeInstance.setUp: _*)
    connection
  }

  private def set(connection: DuckDBConnection, settings: String*): Unit =
    try {
      val statement = connection.createStatement()
      try settings.foreach(statement.execute)
      finally statement.close()
    } catch {
      case failure: Throwable =>
        connection.close()
        throw failure
    }
}
