package org.apache.spark.sql.sqe

import java.util.Base64
import java.util.concurrent.{ConcurrentLinkedQueue, ExecutionException, Executors, FutureTask, TimeoutException}
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.atomic.AtomicLong

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.{ExceptionFailure, SparkContext}
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart, SparkListenerTaskEnd}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.{InternalRow, QueryPlanningTracker}
import org.apache.spark.sql.catalyst.plans.logical.{Call, CommandResult, LogicalPlan}
import org.apache.spark.sql.execution.{CommandExecutionMode, QueryExecution, SQLExecution}
import org.apache.spark.sql.sqe.kernel.{Counters, Fallback, NativeShare}
import org.apache.spark.sql.sqe.policy.Explain
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.ArrowUtils

/**
 * One statement on its way: planned on a thread of its own, streamed on the thread of its socket, cancelled from
 * any other. Its id is also Spark's job group, so everything that Spark runs for it can be found and stopped.
 */
final class Execution(val id: String, val session: UserSession) {
  private val spark = session.spark
  @volatile private var planner: Thread = _
  @volatile private var cancelled = false
  @volatile private var cancelledAt = 0L
  @volatile private var stream: ArrowStream = _
  @volatile private var parsed: LogicalPlan = _
  @volatile private[sqe] var query: QueryExecution = _
  /** The rows of a command, which ran. */
  @volatile private var ran: Option[Seq[InternalRow]] = None
  /** Known as far as the statement came, also when it fails later. */
  @volatile private[sqe] var touched: Touched = Touched()
  /** What the statement did to names that rights are kept for: `created t`, `dropped t`, `dropped_schema s`, `renamed t u`. */
  private[sqe] val changes = new ConcurrentLinkedQueue[Seq[String]]

  /**
   * Runs on a thread of its own, and leaves that thread behind when it does not hear that the statement was cancelled: who
   * reads from a socket is not interrupted, and a catalog or store that never answers holds it until the client's own patience ends.
   */
  def apart[T](body: => T): T = {
    val work = new FutureTask[T](() => onThisThread(body))
    Execution.threads.execute(work)
    awaited(work)
  }

  @tailrec private def awaited[T](work: FutureTask[T]): T =
    (try Some(work.get(Execution.lookMillis, MILLISECONDS))
    catch {
      case failed: ExecutionException => throw failed.getCause
      case _: TimeoutException => None
    }) match {
      case Some(result) => result
      case None =>
        if (cancelled && System.nanoTime - cancelledAt > Execution.graceNanos) throw new Failure.Cancelled
        awaited(work)
    }

  private def onThisThread[T](body: => T): T = {
    synchronized {
      stopIfCancelled()
      planner = Thread.currentThread
    }
    Execution.onThread.set(this)
    try inJobGroup(SystemCatalog.during(id)(session.asUser(spark.withActive(body))))
    finally synchronized {
      // The thread goes back to its pool: it must not carry our interrupt or job group to the next statement.
      planner = null
      Execution.onThread.remove()
      Thread.interrupted()
    }
  }

  def start(sql: String, parameters: String): Map[String, Any] = {
    val plan = Parameters.bind(spark, sql, parameters)
    parsed = plan
    Fallback(spark)(run(plan))
  }

  private def run(plan: LogicalPlan): Map[String, Any] = {
    val commits = AffectedRows.capture {
      query = queryOf(plan, CommandExecutionMode.ALL)
      touched = touchedBy(plan, query)
      ran = Looks.rows(spark, query.analyzed).orElse(query.commandExecuted match {
        case done: CommandResult => Some(done.rows)
        case _ => None
      })
      stopIfCancelled()
    }
    if (ran.isEmpty) Counters.planned(NativeShare.of(query.executedPlan))
    described(ran.flatMap(_ => AffectedRows.total(spark, plan, commits))) ++ AffectedRows.size(commits)
  }

  /** How the rows leave. Those of a command are here: Spark would optimize and plan them once more. */
  private[sqe] def result: ResultPlan = ran.fold(ResultPlan.of(query.executedPlan))(rows => LocalRows(rows.iterator))

  private def rowsHere: Option[Int] = ran.map(_.size).orElse(ResultPlan.localRows(query.executedPlan).map(_.length))

  /** Spark would load each table again before it plans, for plans that were kept a while: here it was loaded a moment ago. */
  private def queryOf(plan: LogicalPlan, mode: CommandExecutionMode.Value): QueryExecution =
    new QueryExecution(spark, plan, new QueryPlanningTracker, mode, refreshPhaseEnabled = false)

  /** The same statement, planned again; it is no command, or it would have run already. */
  private[sqe] def plannedAgain(): QueryExecution = {
    query = queryOf(parsed, CommandExecutionMode.ALL)
    query
  }

  def describe(sql: String): Map[String, Any] =
    try Parameters.describe(spark, sql)
    catch {
      case failure: AnalysisException =>
        touched = Try(TouchedTables.named(spark, spark.sessionState.sqlParser.parsePlan(sql))).getOrElse(touched)
        throw failure
    }

  /** `EXPLAIN ANALYZE` of a query. */
  def analyze(sql: String, parameters: String): Map[String, Any] = {
    val plan = Parameters.bind(spark, sql, parameters)
    Fallback(spark)(measured(plan))
  }

  private def measured(plan: LogicalPlan): Map[String, Any] = {
    query = queryOf(plan, CommandExecutionMode.SKIP)
    touched = touchedBy(plan, query)
    Explain.mayMeasure(query.analyzed)
    val executed = query.executedPlan
    val planned = System.nanoTime
    val rows = SQLExecution.withNewExecutionId(query)(ResultPlan.localRows(executed).fold(query.toRdd.count())(_.length.toLong))
    stopIfCancelled()
    val millis = (System.nanoTime - planned) / 1000000
    Map("lines" -> (Measured.lines(executed) :+ s"$rows rows in $millis ms")) ++ facts
  }

  private[sqe] def facts: Map[String, Any] = touched.facts + ("changes" -> changes.asScala.toSeq)

  /** Analyses the statement. A name that does not exist, or that nobody may see, was asked for all the same. */
  private def touchedBy(plan: LogicalPlan, query: QueryExecution): Touched = {
    val analyzed =
      try query.analyzed
      catch {
        case failure: Throwable =>
          if (failure.isInstanceOf[AnalysisException] || ParsedStatement.root(plan).isInstanceOf[Call])
            touched = TouchedTables.named(spark, plan)
          throw failure
      }
    TouchedTables.analyzed(spark, plan, analyzed)
  }

  private def described(affected: Option[Long]): Map[String, Any] = {
    stopIfCancelled()
    Map(
      "schema" -> ArrowSchema.encode(query.analyzed.schema, timeZone),
      "affected" -> affected,
      "inline" -> inlineRows) ++ facts
  }

  /** A few rows that are in the driver already travel in the answer: no socket, no thread, no second round trip. */
  private def inlineRows: Option[String] = rowsHere.filter(_ <= Execution.fewRows).map { _ =>
    val sink = new ByteArrayChannel(4096)
    openStream(sink).run()
    Base64.getEncoder.encodeToString(sink.result)
  }

  def timeZone: String = spark.sessionState.conf.sessionLocalTimeZone

  /** Called once, by the socket's thread. */
  def openStream(sink: java.nio.channels.WritableByteChannel): ArrowStream = synchronized {
    stopIfCancelled()
    if (stream != null) throw new IllegalStateException("the rows of this statement were taken already")
    stream = new ArrowStream(this, sink)
    stream
  }

  def inJobGroup[T](body: => T): T = {
    val context = spark.sparkContext
    context.setJobGroup(id, "", interruptOnCancel = true)
    try body
    finally context.clearJobGroup()
  }

  def cancel(): Unit = {
    synchronized {
      if (!cancelled) cancelledAt = System.nanoTime
      cancelled = true
      Option(planner).foreach(_.interrupt())
    }
    JobWatch.stop(id)
    spark.sparkContext.cancelJobGroupAndFutureJobs(id)
    Option(stream).foreach(_.abort(new Failure.Cancelled))
  }

  def isCancelled: Boolean = cancelled

  def stopIfCancelled(): Unit = if (cancelled) throw new Failure.Cancelled

  def close(): Unit = if (stream == null || !stream.finished) cancel()

  def progress: Map[String, Any] = {
    val tracker = spark.sparkContext.statusTracker
    val stages = tracker.getJobIdsForGroup(id).toSeq.flatMap(tracker.getJobInfo(_)).flatMap(_.stageIds).distinct
      .flatMap(tracker.getStageInfo(_))
    Map(
      "total_tasks" -> stages.map(_.numTasks).sum,
      "completed_tasks" -> stages.map(_.numCompletedTasks).sum,
      "active_tasks" -> stages.map(_.numActiveTasks).sum)
  }
}

object Execution {
  private val fewRows = 1024
  private val lookMillis = 100L
  private val graceNanos = 500L * 1000 * 1000
  private val onThread = new ThreadLocal[Execution]
  private val threads = Executors.newCachedThreadPool { task =>
    val thread = new Thread(task, "sqe-statement")
    thread.setDaemon(true)
    thread
  }

  def changed(what: String, names: String*): Unit = Option(onThread.get).foreach(_.changes.add(what +: names))

  /** A thread that was left behind by its statement must not commit for it. */
  def stopIfCancelled(): Unit = Option(onThread.get).foreach(_.stopIfCancelled())
}

/** Schemas cross the gateway as Arrow's own encoding in base64: pyarrow reads them without a table of ours. */
object ArrowSchema {
  def encode(schema: StructType, timeZone: String): String = {
    val out = new java.io.ByteArrayOutputStream
    val channel = new org.apache.arrow.vector.ipc.WriteChannel(java.nio.channels.Channels.newChannel(out))
    org.apache.arrow.vector.ipc.message.MessageSerializer.serialize(channel, of(schema, timeZone))
    Base64.getEncoder.encodeToString(out.toByteArray)
  }

  /** Duplicate column names are legal at the top of a result (SELECT 1 AS a, 2 AS a) and in Arrow; they stay. */
  def of(schema: StructType, timeZone: String): org.apache.arrow.vector.types.pojo.Schema =
    ArrowUtils.toArrowSchema(schema, timeZone, false, false)
}

/**
 * Sees every Spark job start: counts them, so that tests can prove that a statement started none, and cancels those of
 * statements that were cancelled before. Spark does the latter itself for result stages only (4.1: not in
 * `handleMapStageSubmitted`), and adaptive execution runs every shuffle as a job of its own, a little later, in another thread.
 */
final class JobWatch(context: SparkContext) extends SparkListener {
  override def onTaskEnd(event: SparkListenerTaskEnd): Unit = event.reason match {
    case failed: ExceptionFailure => MemoryGuard.considerTask(failed.className)
    case _ =>
  }

  override def onJobStart(event: SparkListenerJobStart): Unit = {
    JobWatch.started.incrementAndGet()
    val group = Option(event.properties).map(_.getProperty(SparkContext.SPARK_JOB_GROUP_ID)).orNull
    if (group != null && JobWatch.stopped.contains(group)) context.cancelJob(event.jobId)
  }
}

object JobWatch {
  private val started = new AtomicLong
  private val stopped = Recent.setOf[String](1000)

  def count: Long = started.get

  def stop(group: String): Unit = stopped.add(group)
}
