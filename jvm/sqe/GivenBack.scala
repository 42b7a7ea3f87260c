package org.apache.spark.sql.sqe

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import javax.management.ObjectName

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * Memory that nobody uses goes back to the machine when no statement has run for a while. Java collects when its heap is full, and a
 * driver that nobody asks never fills it: what the last statements left would stay resident for hours, and so would what native
 * libraries freed. Collections make the heap as small as it began, and glibc is told to give back what is free. That is a tenth of a
 * second each, once in a rest, and nothing where little was used since the last one.
 */
final class GivenBack(busy: () => Boolean) extends Logging {
  @volatile private var lastUse = System.nanoTime
  /** What was resident after the last time. */
  private var before = 0L

  /** To be told of every statement's beginning and end. */
  def used(): Unit = lastUse = System.nanoTime

  def sinceUse: Long = System.nanoTime - lastUse

  def start(): Unit = {
    val thread = new Thread(() => watch(), "sqe-given-back")
    thread.setDaemon(true)
    thread.start()
  }

  private def watch(): Unit = {
    var done = lastUse // after which it was given back
    while (true) {
      Thread.sleep(GivenBack.lookMillis)
      val use = lastUse
      if (use != done && !busy() && System.nanoTime - use > GivenBack.restNanos) {
        done = use
        try if (GivenBack.resident.forall(_ > before * GivenBack.worth)) {
          giveBack(() => lastUse == use)
          before = GivenBack.resident.getOrElse(0)
        } catch { case NonFatal(failure) => logWarning("memory could not be given back", failure) }
      }
    }
  }

  /**
   * The serial collector gives back nothing, a tenth, four tenths and all in turn, and never goes below the size of its beginning.
   * A statement that comes meanwhile waits for one collection, not for four.
   */
  private def giveBack(resting: () => Boolean): Unit = {
    System.gc()
    Iterator.continually(ManagementFactory.getMemoryMXBean.getHeapMemoryUsage)
      .takeWhile(heap => heap.getCommitted > heap.getInit && resting()).take(3).foreach(_ => System.gc())
    GivenBack.trim()
  }
}

object GivenBack {
  private val lookMillis = 1000L
  private val restNanos = 5L * 1000 * 1000 * 1000
  private val worth = 1.1

  /** `malloc_trim`, for which Java has a command (17.0.9 and later, Linux with glibc). Others keep what they keep. */
  private def trim(): Unit = {
    val server = ManagementFactory.getPlatformMBeanServer
    val commands = new ObjectName("com.sun.management:type=DiagnosticCommand")
    if (server.isRegistered(commands) && server.getMBeanInfo(commands).getOperations.exists(_.getName == "systemTrimNativeHeap"))
      server.invoke(commands, "systemTrimNativeHeap", Array.empty, Array.empty)
  }

  /** In pages; where the system does not tell, it is always worth it. */
  private def resident: Option[Long] = {
    val pages = Path.of("/proc/self/statm")
    if (Files.isReadable(pages)) Some(Files.readString(pages).split(' ')(1).toLong) else None
  }
}
