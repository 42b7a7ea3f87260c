package org.apache.spark.sql.sqe.kernel

import scala.annotation.tailrec

import org.apache.spark.sql.classic.SparkSession

/** What Spark does when the kernel could not: everything again, without it. */
object Fallback {
  /** Nothing of `body` has left or been committed when it fails: a query's rows are sent later, and Iceberg's commit comes last. */
  def apply[T](session: SparkSession)(body: => T): T = {
    val begun = System.nanoTime
    try body
    catch { case failure: Throwable if reason(failure).isDefined => again(session, failure, begun)(apply(session)(body)) }
  }

  /** Where only the cache of files had no room, the kernel has another way to them, which may fail in turn. */
  def again[T](session: SparkSession, failure: Throwable, begun: Long)(body: => T): T = {
    val why = reason(failure)
    why.foreach(Counters.fellBack(_, System.nanoTime - begun))
    if (why.contains(Fetch.noRoom)) KernelSettings.uncached(session)(body) else KernelSettings.skipping(session)(body)
  }

  /** Why the kernel failed; None when something else did. */
  @tailrec def reason(failure: Throwable, depth: Int = 0): Option[String] = failure match {
    case null => None
    case native: NativeFailed => Some(native.reason)
    case other => if (depth > 16) None else reason(other.getCause, depth + 1)
  }
}
