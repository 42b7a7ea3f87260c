package org.apache.spark.sql.sqe

import java.lang.management.ManagementFactory
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.kernel.Counters
import org.apache.spark.sql.sqe.policy.{Decision, Definer, Trusted}

/**
 * All that Python can ask of the driver, one coarse call each: a py4j round trip costs Python 0.2 ms of CPU, so a
 * statement takes two (parse, execute) and its rows leave by the stream socket. Every answer is JSON: `{"ok": …}` or
 * `{"error": facts}`; no exception crosses the gateway, because py4j would turn it into a traceback.
 */
final class Link {
  private val ready = new CountDownLatch(1)
  private val loaded = new CountDownLatch(1)
  @volatile private var root: SparkSession = _
  @volatile private var startFailure: Throwable = _
  private val sessions = new ConcurrentHashMap[String, UserSession]
  private val executions = new ConcurrentHashMap[String, Execution]
  @volatile private var profiling: Profiling = _
  private val cancelledBefore = Recent.setOf[String](1000)
  private val givenBack = new GivenBack(() => !executions.isEmpty)
  /** Whether the driver will run, or runs, statements of its own ([[WarmUp]]). */
  @volatile private[sqe] var warmingUp = false

  private[sqe] def started(session: SparkSession): Unit = {
    AffectedRows.listen()
    session.sparkContext.addSparkListener(new JobWatch(session.sparkContext))
    root = session
    givenBack.start()
    ready.countDown()
  }

  /** Spark SQL's classes are there: sessions may open (see Boot). */
  private[sqe] def preloaded(): Unit = loaded.countDown()

  private[sqe] def failedToStart(failure: Throwable): Unit = {
    startFailure = failure
    ready.countDown()
  }

  private[sqe] def ended(id: String): Unit = {
    givenBack.used()
    val execution = executions.remove(id)
    if (execution != null) Option(profiling).foreach(_.ran(execution.query))
  }

  /** To be told of what ran without an execution. */
  private[sqe] def used(): Unit = givenBack.used()

  /** Whether no statement runs, nor has run within so many milliseconds. */
  private[sqe] def rests(millis: Long): Boolean = executions.isEmpty && givenBack.sinceUse > millis * 1000000

  private[sqe] def execution(id: String): Option[Execution] = Option(executions.get(id))

  def awaitReady(): String = answer {
    ready.await()
    if (startFailure != null) throw startFailure
    Map("spark" -> root.version, "java" -> System.getProperty("java.version"))
  }

  /**
   * `start` says where the session stands: `{"catalog", "namespace", "create"}`; `tokens` are those of its catalogs, by name;
   * `identity` is `{"user", "roles", "groups", "provider", "policy", "view_key"}`: `policy` says whether decisions bind the
   * session, and with the key the definers of views are signed.
   */
  def openSession(id: String, settings: String, start: String, tokens: String, identity: String): String = answer {
    loaded.await()
    CatalogTokens.put(id, Json.strings(tokens))
    val who = Json.parse(identity)
    val session = new UserSession(id, root.newSession(), who("user").toString, who("policy").asInstanceOf[Boolean])
    session.become(who)
    Json.strings(settings).foreach { case (key, value) => session.set(key, value) }
    session.enter(Json.parse(start))
    Option(sessions.put(id, session)).foreach(_.close())
    Map.empty
  }

  /** Renewed tokens, for a live session. */
  def setTokens(id: String, tokens: String): String = answer {
    sessionOf(id)
    CatalogTokens.put(id, Json.strings(tokens))
    Map.empty
  }

  /** The roles and groups of a live session, after a renewed log-in brought others. */
  def setIdentity(id: String, identity: String): String = answer {
    sessionOf(id).become(Json.parse(identity))
    Map.empty
  }

  /** Decisions for tables that a statement needed (`policy_needed`), as a JSON list; for whom, if not for the session's user. */
  def putPolicies(id: String, decisions: String, definer: String): String = answer {
    val policy = sessionOf(id).policy
    (if (definer.isEmpty) policy else policy.of(Definer.of(Json.parse(definer)))).put(Decision.parse(decisions))
    Map.empty
  }

  /** From now on a statement asks for its decisions again. */
  def forgetPolicies(id: String): String = answer {
    sessionOf(id).policy.forget()
    Map.empty
  }

  /** Goes to another place, as `openSession` did. */
  def enter(id: String, start: String): String = answer {
    sessionOf(id).enter(Json.parse(start))
    Map.empty
  }

  def configureSession(id: String, settings: String): String = answer {
    val session = sessionOf(id)
    Json.parse(settings).foreach {
      case (key, null) => session.unset(key)
      case (key, value) => session.set(key, value.toString)
    }
    Map.empty
  }

  /** Forgets a catalog, and closes its connections. */
  def detach(id: String, catalog: String): String = answer {
    Detaching.forget(sessionOf(id), catalog)
    Map.empty
  }

  def closeSession(id: String): String = answer {
    try Option(sessions.remove(id)).foreach(_.close())
    finally CatalogTokens.remove(id)
    Map.empty
  }

  /** The parsed statement's facts: Python decides by them what class it is and whether it may run. */
  def parse(sessionId: String, sql: String): String = answer {
    Nesting.check(sql)
    inSession(sessionId)(spark => new ParsedStatement(spark.sessionState.sqlParser.parsePlan(sql)).facts)
  }

  /** Schema and parameter types of a statement, without running it. */
  def prepare(sessionId: String, executionId: String, sql: String): String = answer {
    try running(sessionId, executionId)(_.describe(sql))
    finally ended(executionId)
  }

  /** Analyses and plans; a command (DDL, DML, SHOW …) has run when this returns. Rows follow on the stream socket. */
  def execute(sessionId: String, executionId: String, sql: String, parameters: String): String = answer {
    val started = running(sessionId, executionId)(_.start(sql, parameters))
    // All is said: nothing will ask for this execution again.
    if (started("inline") != None) ended(executionId)
    started
  }

  /** Runs a query for what it takes; its rows go nowhere. */
  def analyze(sessionId: String, executionId: String, sql: String, parameters: String): String = answer {
    try running(sessionId, executionId)(_.analyze(sql, parameters))
    finally ended(executionId)
  }

  /** What the statement with this id will find in `system.runtime`, by table. */
  def giveQueries(executionId: String, queries: String): String = answer {
    SystemCatalog.give(executionId, Json.parse(queries))
    Map.empty
  }

  /** Loads spooled Parquet files into a table by one commit (bulk ingest). */
  def load(sessionId: String, executionId: String, request: String): String = answer {
    try running(sessionId, executionId)(execution => BulkLoad.run(execution, Json.parse(request)))
    finally ended(executionId)
  }

  /** May come before the statement itself, which is on another connection; `close` always follows. */
  def cancel(executionId: String): String = answer {
    cancelledBefore.add(executionId)
    execution(executionId).foreach(_.cancel())
    Map.empty
  }

  def close(executionId: String): String = answer {
    givenBack.used()
    cancelledBefore.remove(executionId)
    SystemCatalog.forget(executionId)
    Option(executions.remove(executionId)).foreach(_.close())
    Map.empty
  }

  def progress(executionId: String): String = answer {
    execution(executionId).map(_.progress).getOrElse(Map.empty)
  }

  def current(sessionId: String): String = answer {
    inSession(sessionId) { spark =>
      val manager = spark.sessionState.catalogManager
      Map("catalog" -> manager.currentCatalog.name, "namespace" -> manager.currentNamespace.toSeq)
    }
  }

  def namespaces(sessionId: String, catalog: String): String = answer {
    inSession(sessionId)(spark => Map("namespaces" -> Listing.namespaces(spark, catalog)))
  }

  def tables(sessionId: String, catalog: String, namespace: String): String = answer {
    inSession(sessionId)(spark => Map("tables" -> Listing.tables(spark, catalog, namespace)))
  }

  /** Columns by Iceberg's field id, and the names of a catalog's tables, for those who make policies: not filtered by any. */
  def columnFacts(sessionId: String, catalog: String, namespace: String, table: String): String = answer {
    inSession(sessionId)(spark => Trusted(Map("columns" -> Listing.columns(spark, catalog, namespace, table))))
  }

  def tableFacts(sessionId: String, catalog: String, namespace: String): String = answer {
    inSession(sessionId)(spark => Trusted(Map("tables" -> Listing.tables(spark, catalog, namespace))))
  }

  def namespaceFacts(sessionId: String, catalog: String): String = answer {
    inSession(sessionId)(spark => Trusted(Map("namespaces" -> Listing.namespaces(spark, catalog))))
  }

  def tableSchema(sessionId: String, catalog: String, namespace: String, table: String): String = answer {
    inSession(sessionId)(spark => Map("schema" -> Listing.schema(spark, catalog, namespace, table)))
  }

  /** The statement that would compute a table's statistics, where they are not those of (about) its rows. */
  def statisticsCall(sessionId: String, table: String): String = answer {
    inSession(sessionId)(spark => Map("call" -> DueStatistics.call(spark, table)))
  }

  def health(): String = answer {
    val memory = ManagementFactory.getMemoryMXBean.getHeapMemoryUsage
    val collectors = ManagementFactory.getGarbageCollectorMXBeans.asScala
    Map(
      "heap_used" -> memory.getUsed,
      "heap_max" -> memory.getMax,
      "gc_count" -> collectors.map(_.getCollectionCount).filter(_ > 0).sum,
      "gc_millis" -> collectors.map(_.getCollectionTime).filter(_ > 0).sum,
      "threads" -> ManagementFactory.getThreadMXBean.getThreadCount,
      "sessions" -> sessions.size,
      "executions" -> executions.size,
      "given_queries" -> SystemCatalog.waiting,
      "warming_up" -> warmingUp,
      "jobs" -> JobWatch.count,
      "active_jobs" -> root.sparkContext.statusTracker.getActiveJobIds().length) ++ Counters.facts
  }

  /** For leak tests and benchmarks: the heap that is really held. */
  def collectGarbage(): String = answer {
    System.gc()
    Map.empty
  }

  /** From here to `profile`: who starts it again begins anew. */
  def startProfiling(everyMillis: String): String = answer {
    Option(profiling).foreach(_.stop())
    profiling = new Profiling(root.sparkContext, everyMillis.toLong)
    profiling.start()
    Map.empty
  }

  def profile(): String = answer {
    val ended = profiling
    profiling = null
    if (ended == null) Map.empty else ended.stop()
  }

  private def inSession[T](id: String)(body: SparkSession => T): T = {
    val spark = sessionOf(id).spark
    spark.withActive(body(spark))
  }

  private def sessionOf(id: String): UserSession =
    Option(sessions.get(id)).getOrElse(throw new Failure.NoSession)

  private def running(sessionId: String, executionId: String)(body: Execution => Map[String, Any]): Map[String, Any] = {
    val execution = new Execution(executionId, sessionOf(sessionId))
    executions.put(executionId, execution)
    givenBack.used()
    if (cancelledBefore.contains(executionId)) execution.cancel()
    try execution.apart(body(execution))
    catch {
      case failure: Throwable =>
        val stopped = execution.isCancelled
        executions.remove(executionId)
        // A statement that waits for decisions comes again with its id, which closing would cancel for good.
        if (!failure.isInstanceOf[Failure.PolicyNeeded]) execution.close()
        throw new Failure.Touching(execution.touched, if (stopped) new Failure.Cancelled else execution.session.policy.shown(failure))
    }
  }

  private def answer(body: => Map[String, Any]): String =
    try Json.write(Map("ok" -> body))
    catch {
      case failed: Failure.Touching => Json.write(Map("error" -> (Failure.describe(failed.cause) ++ failed.touched.facts)))
      case failure: Throwable => Json.write(Map("error" -> Failure.describe(failure)))
    }
}
