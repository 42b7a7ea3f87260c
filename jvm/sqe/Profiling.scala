package org.apache.spark.sql.sqe

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.LongAdder

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.execution.QueryExecution

/**
 * Where the time of statements goes, while somebody profiles (`sqe-bench profile`): the stacks of the threads that work for
 * statements every few milliseconds, Spark's own times of planning, and the sums of its tasks' times. Names of classes and
 * methods only, never data. Nothing of it exists otherwise.
 */
final class Profiling(context: SparkContext, everyMillis: Long) extends SparkListener {
  private val stacks = new ConcurrentHashMap[String, LongAdder]
  private val times = new ConcurrentHashMap[String, LongAdder]
  @volatile private var stopped = false
  private val looking = new Thread(() => look(), "sqe-profiling")
  looking.setDaemon(true)

  def start(): Unit = {
    context.addSparkListener(this)
    looking.start()
  }

  def stop(): Map[String, Any] = {
    stopped = true
    looking.join()
    context.listenerBus.waitUntilEmpty()
    context.removeSparkListener(this)
    Map("stacks" -> sums(stacks), "times" -> sums(times))
  }

  /** A statement is at its end: what Spark's tracker knows of it. */
  def ran(query: QueryExecution): Unit =
    if (query != null) query.tracker.phases.foreach { case (phase, took) => add(times, phase, took.durationMs) }

  override def onTaskEnd(end: SparkListenerTaskEnd): Unit = Option(end.taskMetrics).foreach { metrics =>
    val info = end.taskInfo
    val spent = metrics.executorDeserializeTime + metrics.executorRunTime + metrics.resultSerializationTime
    add(times, "tasks", 1)
    add(times, "task_run", metrics.executorRunTime)
    add(times, "task_deserialize", metrics.executorDeserializeTime)
    add(times, "task_delay", math.max(0, info.duration - spent))
    add(times, "task_gc", metrics.jvmGCTime)
    add(times, "shuffle_wait", metrics.shuffleReadMetrics.fetchWaitTime)
    add(times, "shuffle_write", metrics.shuffleWriteMetrics.writeTime / 1000000)
  }

  /** A stack counts for the time since the last look, in microseconds: on a busy machine that is more than was asked for. */
  private def look(): Unit = {
    var before = System.nanoTime
    while (!stopped) {
      Thread.sleep(everyMillis)
      val now = System.nanoTime
      Thread.getAllStackTraces.asScala.foreach { case (thread, frames) =>
        if (works(thread, frames)) add(stacks, folded(thread, frames), (now - before) / 1000)
      }
      before = now
    }
  }

  /** Pools keep idle threads: those have no frame of a task or a statement. */
  private def works(thread: Thread, frames: Array[StackTraceElement]): Boolean =
    thread != looking && frames.exists(frame => Profiling.workers.exists(frame.getClassName.startsWith))

  private def folded(thread: Thread, frames: Array[StackTraceElement]): String = {
    val kind = if (frames.exists(_.getClassName.startsWith(Profiling.task))) "task" else "driver"
    (kind +: frames.reverseIterator.map(frame => s"${frame.getClassName}.${frame.getMethodName}").toSeq).mkString(";")
  }

  private def add(to: ConcurrentHashMap[String, LongAdder], key: String, value: Long): Unit = to.computeIfAbsent(key, _ => new LongAdder).add(value)

  private def sums(of: ConcurrentHashMap[String, LongAdder]): Map[String, Long] = of.asScala.view.mapValues(_.sum).toMap
}

object Profiling {
  private val task = "org.apache.spark.executor.Executor$TaskRunner"
  private val workers = Seq(task, "org.apache.spark.sql.sqe.Execution", "org.apache.spark.sql.sqe.ParsedStatement", "org.apache.spark.sql.sqe.ArrowStream",
    "org.apache.spark.scheduler.DAGSchedulerEventProcessLoop", "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec")
}
