package org.apache.spark.sql.sqe.kernel

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicLong, LongAdder}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession

/**
 * A part of a plan that the kernel does not run, and why. The reason is a few fixed words, at most with the name of a function or
 * type: it is a metric's label and stands in EXPLAIN, so it never holds a value, a column or a condition.
 */
final class Refused(val reason: String) extends RuntimeException(reason, null, false, false)

object Refused {
  def apply(reason: String): Nothing = throw new Refused(reason)
}

/** What the kernel did since the driver started, for metrics and tests. */
object Counters {
  private val mostReasons = 200
  private val native = new AtomicLong
  val instances = new AtomicLong
  /** Memory of Arrow's that was not given back: always a defect. */
  val leaks = new AtomicLong
  private val refusals = new ConcurrentHashMap[String, LongAdder]
  private val fallbacks = new ConcurrentHashMap[String, LongAdder]
  private val lost = new LongAdder
  private val queries = NativeShare.all.map(_ -> new LongAdder).toMap

  /** A fragment was made. */
  def translated(session: SparkSession): Unit = if (KernelSettings.counts(session)) native.incrementAndGet()

  def refused(session: SparkSession, reason: String): Unit = if (KernelSettings.counts(session)) count(refusals, reason)

  /** A fragment failed in the kernel after so long, and its statement ran again on Spark. */
  def fellBack(reason: String, nanos: Long): Unit = {
    count(fallbacks, reason)
    lost.add(nanos)
  }

  /** A query was planned. One that reads no table is neither. */
  def planned(share: Option[NativeShare.Share]): Unit = share.foreach(each => queries(each).increment())

  /** Reasons are few; a defect that makes many must not fill the heap. */
  private def count(into: ConcurrentHashMap[String, LongAdder], reason: String): Unit = {
    val label = if (into.size < mostReasons || into.containsKey(reason)) reason else "other"
    into.computeIfAbsent(label, _ => new LongAdder).increment()
  }

  def facts: Map[String, Any] = Map(
    "native_fragments" -> native.get,
    "native_open" -> instances.get,
    "native_leaks" -> leaks.get,
    "native_refusals" -> shown(refusals),
    "native_fallbacks" -> shown(fallbacks),
    "native_fallback_millis" -> lost.sum / 1000000,
    "native_queries" -> queries.map { case (share, count) => share.label -> count.sum }) ++ FileCache.facts

  private def shown(counts: ConcurrentHashMap[String, LongAdder]): Map[String, Long] =
    counts.asScala.map { case (reason, count) => reason -> count.sum }.toMap
}
