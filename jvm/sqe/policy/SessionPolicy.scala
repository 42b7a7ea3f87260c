package org.apache.spark.sql.sqe.policy

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.Failure

/** Who a session is, and what it may do: one for each session, handed over by Python. */
final class SessionPolicy(val enforced: Boolean, spark: SparkSession, definer: Option[Definer] = None) {
  @volatile var identity: Definer = definer.getOrElse(Definer("", Nil, Nil, ""))
  /** What records of definers are signed with; of the session, not of its definers. */
  @volatile var viewKey: Option[String] = None
  private val definers = new ConcurrentHashMap[Definer, SessionPolicy]
  private val decisions = new ConcurrentHashMap[String, Decision]
  private val procedures = new AtomicInteger

  def put(made: Seq[Decision]): Unit = made.foreach(decision => decisions.put(decision.table, decision))

  def forget(): Unit = {
    decisions.clear()
    definers.values.forEach(_.forget())
  }

  def roles: Set[String] = identity.roles.toSet

  def groups: Set[String] = identity.groups.toSet

  /** What a view's definer may do, whose view this session reads. */
  def of(definer: Definer): SessionPolicy = definers.computeIfAbsent(definer, who => {
    val policy = new SessionPolicy(enforced, spark, Some(who))
    policy.viewKey = viewKey
    policy
  })

  def find(table: String): Option[Decision] = Option(decisions.get(table))

  /** The decision for a table; without one the statement ends here, for Python to ask and to run it again. */
  def decision(table: String): Decision = find(table).getOrElse(throw new Failure.PolicyNeeded(Seq(table), definer))

  /** A decision for these columns: one that was made for others is asked for again. */
  def decision(table: String, columns: Iterable[String]): Decision = {
    if (find(table).exists(!_.covers(columns))) decisions.remove(table)
    decision(table)
  }

  /** All of them, or all that are missing at once. */
  def decisions(tables: Seq[String]): Seq[Decision] = {
    needs(tables)
    tables.map(decision)
  }

  def needs(tables: Seq[String]): Unit = {
    val missing = tables.distinct.filter(find(_).isEmpty)
    if (missing.nonEmpty) throw new Failure.PolicyNeeded(missing, definer)
  }

  /** What may be told of a failure: not what a view's body needs and its reader may not see. */
  def shown(failure: Throwable): Throwable = failure match {
    case analysis: AnalysisException if enforced =>
      analysis.getQueryContext.collectFirst { case context if context.objectType == "VIEW" => context.objectName }
        .fold[Throwable](failure)(new Failure.ViewUnusable(_))
    case other => other
  }

  /** Runs a procedure that was allowed. It reads and writes the whole table, on this thread and in clones of the session. */
  def procedure[T](body: => T): T = {
    procedures.incrementAndGet()
    try Trusted(body)
    finally procedures.decrementAndGet()
  }

  /** Whether a plan in this Spark session is the user's. Only Iceberg's procedures make clones of a session. */
  def binds(session: SparkSession): Boolean =
    enforced && !Trusted.now && ((session eq spark) || procedures.get == 0)
}

/** All sessions' policies. A Spark session that none belongs to is refused everything. */
object SessionPolicy {
  /** In every session's settings, which clones of a session inherit. Users cannot change it (SET has an allow-list). */
  private val key = "spark.sqe.session"
  private val bySession = new ConcurrentHashMap[String, SessionPolicy]

  def bind(id: String, spark: SparkSession, enforced: Boolean): SessionPolicy = {
    spark.sessionState.conf.setConfString(key, id)
    val policy = new SessionPolicy(enforced, spark)
    bySession.put(id, policy)
    policy
  }

  def idOf(spark: SparkSession): Option[String] = Option(spark.sessionState.conf.getConfString(key, null))

  def unbind(id: String): Unit = bySession.remove(id)

  /** Definers whose views this thread analyzes, the innermost first: theirs are the rights then. */
  private val definers = ThreadLocal.withInitial[List[SessionPolicy]](() => Nil)

  def acting[T](definer: SessionPolicy)(body: => T): T = {
    val before = definers.get
    definers.set(definer :: before)
    try body
    finally definers.set(before)
  }

  def depth: Int = definers.get.size

  /** The session's own, whoever acts. */
  def ofSession(id: String): SessionPolicy =
    Option(id).flatMap(known => Option(bySession.get(known))).getOrElse(throw new Failure.Refused("The session has no user"))

  def of(id: String): SessionPolicy = definers.get.headOption.getOrElse(ofSession(id))

  def ofSession(spark: SparkSession): SessionPolicy = ofSession(spark.sessionState.conf.getConfString(key, null))

  def of(spark: SparkSession): SessionPolicy = of(spark.sessionState.conf.getConfString(key, null))

  /** The policy to obey for a plan of this session; None when its session has none or the plan is not the user's. */
  def binding(spark: SparkSession): Option[SessionPolicy] = {
    val policy = of(spark)
    if (policy.binds(spark)) Some(policy) else None
  }
}

/** Marks what this thread does with the server's own rights: a policy's expressions, an allowed procedure, listings for Python. */
object Trusted {
  private val flag = ThreadLocal.withInitial[java.lang.Boolean](() => false)

  def now: Boolean = flag.get

  def apply[T](body: => T): T = set(true)(body)

  private def set[T](value: Boolean)(body: => T): T = {
    val before = flag.get
    flag.set(value)
    try body
    finally flag.set(before)
  }
}
