package org.apache.spark.sql.sqe

import java.lang.management.ManagementFactory

import org.apache.spark.internal.Logging

/**
 * What a lack of memory means. A statement that asks for more than the heap has (`repeat('x', 2000000000)`) fails alone: what
 * it wanted was never given, and nobody else is short of anything. A heap that stays full is the end of the driver, so that
 * its owner starts a new one instead of letting it limp. Java's own switch knows only the second answer.
 */
object MemoryGuard extends Logging {
  private val full = 0.95
  private val (looks, pause) = (10, 300L) // ms

  /** A thread that dies of it was Spark's or ours, and nothing can be promised without it. */
  def watchThreads(): Unit = Thread.setDefaultUncaughtExceptionHandler((thread, failure) =>
    if (isLack(failure)) leave(s"thread ${thread.getName} had no memory")
    else logWarning(s"thread ${thread.getName} ended", failure))

  /** To be told of every failure of a statement. */
  def consider(failure: Throwable): Unit = if (isLack(failure) && heapIsFull) leave("the heap is full")

  def considerTask(className: String): Unit =
    if (className != null && className.endsWith("OutOfMemoryError") && !className.startsWith("org.apache.spark") && heapIsFull)
      leave("the heap is full")

  private def isLack(failure: Throwable): Boolean = failure match {
    case null => false
    case _: org.apache.spark.memory.SparkOutOfMemoryError => false // Spark's own accounting said no; the heap is fine
    case _: VirtualMachineError if !failure.isInstanceOf[StackOverflowError] => true
    case other => other.getCause != null && (other.getCause ne other) && isLack(other.getCause)
  }

  /** After collections: what is only waiting to be collected is not lack, nor what tasks hold that were told to end. */
  private def heapIsFull: Boolean = (1 to looks).forall { look =>
    if (look > 1) Thread.sleep(pause)
    System.gc()
    val heap = ManagementFactory.getMemoryMXBean.getHeapMemoryUsage
    heap.getUsed > heap.getMax * full
  }

  private def leave(why: String): Unit = {
    try System.err.println(s"ERROR MemoryGuard: the driver ends: $why")
    finally Runtime.getRuntime.halt(3)
  }
}
