package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.read.LocalScan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.Failure
import org.apache.spark.sql.sqe.policy.SecuredRelation

/**
 * Gives the largest parts of an optimized plan that mean the same there to the native kernel. Spark asks its strategies for the
 * root first and for what is below a node only when it has planned that node itself: so the first part that translates is the largest.
 */
final case class Kernel(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = KernelSettings.mode(session) match {
    case "off" => Nil
    case mode =>
      val (root, isRoot) = plan match {
        case ReturnAnswer(child) => (child, true)
        case other => (other, false)
      }
      if (!Kernel.readsTables(root)) Nil
      else {
        if (isRoot) PerPartition.markRoot(root)
        val one = if (Kernel.worthIt(root) && (isRoot || Kernel.shrinks(root))) whole(root, isRoot, mode) else None
        val found = one.orElse(perPartition(root))
        if (found.isEmpty) PerPartition.markBelow(root)
        found.toSeq
      }
  }

  private def whole(plan: LogicalPlan, isRoot: Boolean, mode: String): Option[SparkPlan] =
    try Some(native(plan, mode))
    catch {
      case refused: Refused =>
        val part = if (Kernel.ofParts(refused.reason)) None else Kernel.parts(plan, native(_, mode))
        part.orElse(left(plan, refused.reason, mode == "require" && isRoot))
      case NonFatal(failure) =>
        logWarning("a plan could not be translated for the native kernel", failure)
        left(plan, "defect of the translator", mode == "require" && isRoot)
    }

  /** The other shape, where one task with everything is not possible or not better. */
  private def perPartition(plan: LogicalPlan): Option[SparkPlan] =
    try PerPartition(session, plan)
    catch {
      case refused: Refused => left(plan, refused.reason, refuse = false)
      case NonFatal(failure) =>
        logWarning("a plan could not be translated for the native kernel", failure)
        left(plan, "defect of the translator", refuse = false)
    }

  /** To Spark, unless the session wants to hear of it. */
  private def left(plan: LogicalPlan, reason: String, refuse: Boolean): Option[SparkPlan] = {
    if (refuse) throw new Failure.Refused(s"The native kernel does not run this statement: $reason")
    Counters.refused(session, reason)
    Kernel.note(plan, reason)
    None
  }

  private def native(plan: LogicalPlan, mode: String): SparkPlan =
    try native(plan, mode, lookUps = true)
    catch { case refused: Refused if refused.reason == Scans.fedTwice => native(plan, mode, lookUps = false) }

  private def native(plan: LogicalPlan, mode: String, lookUps: Boolean): SparkPlan = {
    if (SpareInstance.unavailable) Refused("no library for this machine")
    val hidesRows = plan.collectWithSubqueries { case secured: SecuredRelation if secured.filtered => secured }.nonEmpty
    val given = Given(few => mode == "require" || Worth.givenColumns(plan, few), lookUps)
    val operators = new Operators(session.sparkContext.isLocal, Setting(session.sessionState.conf.sessionLocalTimeZone, hidesRows), CacheUse.of(session), given)
    val output = plan.output.distinctBy(_.exprId)
    if (output.isEmpty) Refused("no columns")
    output.foreach(column => NativeTypes.check(column.dataType))
    val rewritten = NullsOfJoins(NeededGroups(plan))
    val sql = operators.fragment(rewritten)
    operators.scans.checkReadOnce(sql)
    operators.scans.checkNotEmpty(plan)
    val key = KnownFailures.key(sql, operators.scans.fed)
    if (mode != "require") {
      Shape.of(session).checkOne(operators.scans.all.map(_.bytes).sum)
      if (KnownFailures.contains(key)) Refused(KnownFailures.reason)
    }
    val query = NativeQuery(sql, operators.scans.all.map(_.all), KernelSettings.of(session), Shortcuts.closed(plan), operators.scans.fed, key, operators.rows, waits = LateFailures.possible(rewritten))
    val fragment = NativeExec(output, query, operators.scans.all, rewritten.collect { case node => node.nodeName })
    Counters.translated(session)
    if (output.length == plan.output.length) fragment else ProjectExec(plan.output, fragment)
  }
}

object Kernel {
  /** Of what has failed a part would fail as well, and what is not worth it is not worth it without its last step, either. */
  private val ofParts = Set(KnownFailures.reason, Worth.reason)

  /** Scans alone are Spark's: it reads less of them for a look-up, and starts to answer sooner. */
  private def worthIt(plan: LogicalPlan): Boolean = plan.exists {
    case _: Aggregate | _: Join | _: Sort | _: Window => true
    case _ => false
  }

  /** Not rows that adaptive execution has already: what is left of such a plan is Spark's. Nor what Iceberg has answered of metadata. */
  private def readsTables(plan: LogicalPlan): Boolean =
    plan.resolved && !plan.exists(_.isInstanceOf[LogicalQueryStage]) && plan.exists {
      case relation: DataSourceV2ScanRelation => !relation.scan.isInstanceOf[LocalScan]
      case local: LocalRelation => local.data.nonEmpty
      case _ => false
    }

  /** What Spark goes on with is one partition: less of it than of the tables, or two cores of Spark's are better. */
  private def shrinks(plan: LogicalPlan): Boolean = plan match {
    case _: Aggregate | _: GlobalLimit => true
    case _: Project | _: Filter | _: Sort | _: Window | _: Join | _: Union => plan.children.forall(shrinks)
    case _ => false
  }

  /** An aggregate whose result expressions the kernel does not know: it aggregates, and Spark makes the result of that. */
  private def parts(plan: LogicalPlan, native: LogicalPlan => SparkPlan): Option[SparkPlan] = plan match {
    case aggregate: Aggregate if aggregate.groupingExpressions.forall(_.isInstanceOf[Attribute]) =>
      val functions = ArrayBuffer[(AggregateExpression, Alias)]()
      val results = aggregate.aggregateExpressions.map(_.transformDown { case function: AggregateExpression =>
        functions.find(_._1.semanticEquals(function)).getOrElse {
          functions += ((function, Alias(function, "aggregate")()))
          functions.last
        }._2.toAttribute
      }.asInstanceOf[NamedExpression])
      val groups = aggregate.groupingExpressions.map(_.asInstanceOf[Attribute])
      val inner = aggregate.copy(aggregateExpressions = groups ++ functions.map(_._2))
      // Else nothing is left for Spark to do, and the refusal was of something below.
      if (inner.aggregateExpressions.isEmpty || functions.isEmpty || results.forall(_.isInstanceOf[Attribute])) None
      else try Some(ProjectExec(results, native(inner))) catch { case _: Refused => None }
    case _ => None
  }

  private val notes = new ThreadLocal[java.util.LinkedHashSet[String]]

  /** What was refused while `body` planned, and its result: for EXPLAIN. */
  def noting[T](body: => T): (T, Seq[String]) = {
    import scala.jdk.CollectionConverters._
    val before = notes.get
    notes.set(new java.util.LinkedHashSet[String])
    try (body, notes.get.asScala.toSeq)
    finally notes.set(before)
  }

  private def note(plan: LogicalPlan, reason: String): Unit = Option(notes.get).foreach(_.add(s"${plan.nodeName}: $reason"))
}
