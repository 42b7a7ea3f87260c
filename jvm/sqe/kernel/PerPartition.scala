package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{FilterExec, PlanLater, ProjectExec, QueryExecution, SparkPlan, TakeOrderedAndProjectExec}
import org.apache.spark.sql.execution.aggregate.AggUtils
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.policy.SecuredRelation

/**
 * Parts of a plan that run once for each partition: the files of one scan, the largest, are shared out among tasks, whole, and each joins them
 * with all of the other tables, or groups them. Exact where every row of the result comes from one row of that scan.
 *
 * | operator | the shared scan may be |
 * |---|---|
 * | Project, Filter, Expand, secured table | below |
 * | inner and cross join | on either side |
 * | left outer, semi, anti and existence join | on the left; on the right of a right outer join |
 * | Aggregate, as the last one | below; [[Buffers]] leave the kernel, and Spark goes on with them |
 * | ORDER BY with LIMIT, as the last one | below; each task's first rows leave the kernel, and Spark takes the first of those |
 *
 * What every task computes for itself has to be the same in each: no limits, no ranks (of equal rows they take any), no subqueries. Other sides of
 * joins that have such are made once ([[BuildSides]]).
 */
final class PerPartition(session: SparkSession) {
  private val shape = Shape.of(session)

  /** The kernel makes Spark's buffers, and Spark shuffles and ends the aggregation. */
  def aggregated(plan: Aggregate): SparkPlan = plan match {
    case PhysicalAggregation(groups, functions, results, child) =>
      if (functions.exists(_.isDistinct)) Refused("DISTINCT in each partition")
      val whole = AggUtils.planAggregateWithoutDistinct(groups, functions, results, PlanLater(child)).head
      val output = whole.children.head.output
      val buffers = fragment(plan, child, output, neverFails = false, fewer = groups.nonEmpty)(
        (kernel, rows) => kernel.buffered(groups, functions, output, NullsOfJoins(rows)))
      whole.withNewChildren(Seq(buffers))
    case _ => Refused("aggregate of an odd shape")
  }

  /**
   * Each task keeps the first of its own rows, and Spark takes the first of all of them, in its own order, and makes the results. None
   * leaves before all tasks have ended.
   */
  def first(top: TopRows): SparkPlan = {
    val child = needed(top.results ++ top.order, top.child)
    val plan = Limit(Literal(top.most), Sort(top.order, true, child))
    val rows = fragment(plan, child, child.output, neverFails = false, fewer = true)((kernel, rows) =>
      kernel.fragment(NullsOfJoins(Limit(Literal(top.most), Sort(top.order, true, rows)))))
    TakeOrderedAndProjectExec(top.most, top.order, top.results, rows, top.skipped)
  }

  /**
   * Rows. Spark may send those of one partition before another one has begun: nothing runs here that could fail, and where they leave at once no
   * text is read by several tasks, since that can fail, too. Of a projection or a filter that the kernel does not know it gets what is below.
   */
  def rows(plan: LogicalPlan, leaveAtOnce: Boolean): SparkPlan =
    try fragment(plan, plan, plan.output, neverFails = true, fewer = plan.exists(_.isInstanceOf[Join]), late = leaveAtOnce && LateFailures.readText(plan))(
      (kernel, rows) => kernel.fragment(NullsOfJoins(rows)))
    catch {
      case refused: Refused if refused.reason != KnownFailures.reason => plan match {
        case Project(list, child) if list.forall(_.deterministic) => ProjectExec(list, rows(if (list.forall(_.isInstanceOf[Attribute])) child else needed(list, child), leaveAtOnce))
        // Those before the first that could fail: it must see every row that it sees on Spark.
        case Filter(condition, child) if condition.deterministic =>
          val (known, rest) = InSparksOrder.asLookedAt(InSparksOrder.conjuncts(condition)).span(!MayFail(_))
          if (rest.isEmpty) throw refused
          FilterExec(rest.reduce(And), rows(known.reduceOption(And).fold(child)(Filter(_, child)), leaveAtOnce))
        case _ => throw refused
      }
    }

  private def needed(list: Seq[Expression], child: LogicalPlan): LogicalPlan = {
    val used = AttributeSet(list.flatMap(_.references))
    Project(child.output.filter(used.contains), child)
  }

  /** `below`: what reads the files that are shared out. The same, but for an aggregate or an order on it. */
  private def fragment(plan: LogicalPlan, below: LogicalPlan, output: Seq[Attribute], neverFails: Boolean, fewer: Boolean, late: Boolean = false)(
      text: (Operators, LogicalPlan) => String): NativePartitionsExec = {
    if (SpareInstance.unavailable) Refused("no library for this machine")
    if (output.isEmpty || output.distinctBy(_.exprId).length != output.length) Refused("no columns")
    output.foreach(column => NativeTypes.check(column.dataType))
    val scan = PerPartition.largest(below)
    val tasks = shape.mostTasks(scan.stats.sizeInBytes)
    val sides = new BuildSides(scan, tasks, shape, neverFails)
    val joined = sides(below)
    val own = plan.transformDown { case node if node eq below => joined }
    if (own.exists(BuildSides.asksAnother)) Refused("subquery in each partition")
    BuildSides.unlike(joined).foreach(Refused(_))
    if (neverFails && own.exists(_.expressions.exists(MayFail(_)))) Refused("what can fail after rows have left")
    shape.checkBuilt(sides.made.map(_.stats.sizeInBytes).sum, scan.stats.sizeInBytes)
    shape.checkRepeated(joined.collectLeaves().filterNot(leaf => (leaf eq scan) || leaf.isInstanceOf[BuiltSide]).map(_.stats.sizeInBytes).sum, scan.stats.sizeInBytes)
    val hidesRows = plan.exists { case secured: SecuredRelation => secured.filtered; case _ => false }
    val translator = new Operators(session.sparkContext.isLocal, Setting(session.sessionState.conf.sessionLocalTimeZone, hidesRows || neverFails), CacheUse.of(session),
      Given(_ => true, lookUps = false), Some(SharedOut(scan, tasks, shape.cutsFiles)))
    val sql = text(translator, joined)
    translator.scans.checkReadOnce(sql)
    translator.scans.checkNotEmpty(own)
    val shared = translator.scans.shared.getOrElse(Refused("no table to share out"))
    shape.checkShared(shared, fewer)
    if (late && shared.shares.length > 1) Refused("text, where rows of one partition leave before another is read")
    val key = KnownFailures.key(sql, translator.scans.fed, Some(shared))
    if (KnownFailures.contains(key)) Refused(KnownFailures.reason)
    val query = NativeQuery(sql, translator.scans.all.map(_.all), shape.settings(KernelSettings.of(session), shared.shares.length), Shortcuts.closed(own), translator.scans.fed, key, translator.rows, waits = late)
    Counters.translated(session)
    NativePartitionsExec(output, query, translator.scans.all, own.collect { case node => node.nodeName }, shared, sides.made.map(planned))
  }

  /** By Spark's planner, which asks the kernel again: it may run this side, or a part of it. */
  private def planned(side: BuiltSide): BuildSide = BuildSide(
    BuildExec(side.name, QueryExecution.prepareExecutedPlan(session, side.side)), side.name,
    side.schema(i => NativeTypes.column(side.output(i))), side.key, NamedExpression.newExprId)
}

object PerPartition {
  /**
   * On what stands below operators that Spark runs and that take rows in any order: not a limit, which would take others, and nothing that
   * counts rows or asks for their file. True where one of them brings the rows of many partitions together.
   */
  private val below = TreeNodeTag[Boolean]("sqe.native.below")

  /** On what stands below an operator that gives no row away before it has read all of them, in every partition. */
  private val waited = TreeNodeTag[Unit]("sqe.native.waited")

  def markRoot(plan: LogicalPlan): Unit = plan.setTagValue(below, false)

  private def markWaited(plan: LogicalPlan): Unit = plan match {
    case _ if TopRows.of(plan).isDefined => TopRows.of(plan).foreach(_.child.setTagValue(waited, ()))
    case _: Aggregate | _: Window | Sort(_, true, _, _) => plan.children.foreach(_.setTagValue(waited, ()))
    case _ => plan.getTagValue(waited).foreach(_ => plan.children.foreach(_.setTagValue(waited, ())))
  }

  def markBelow(plan: LogicalPlan): Unit = {
    markWaited(plan)
    markGathered(plan)
  }

  private def markGathered(plan: LogicalPlan): Unit = if (plan.expressions.forall(_.deterministic)) plan match {
    // Spark takes the first rows of each partition at once, and asks for nothing but what is below.
    case _ if TopRows.of(plan).isDefined => TopRows.of(plan).foreach(_.child.setTagValue(below, false))
    case _: Aggregate | _: Sort | _: Window => plan.children.foreach(_.setTagValue(below, true))
    case _: Join => plan.getTagValue(below).foreach(_ => plan.children.foreach(_.setTagValue(below, true)))
    case _: Project | _: Filter | _: Generate | _: Union => plan.getTagValue(below).foreach(gathered => plan.children.foreach(_.setTagValue(below, gathered)))
    case _ =>
  }

  /** `None`: not one of this shape. */
  def apply(session: SparkSession, plan: LogicalPlan): Option[SparkPlan] = {
    val shape = Shape.of(session)
    (plan, plan.getTagValue(below)) match {
      case (aggregate: Aggregate, _) if shape.aggregates => Some(new PerPartition(session).aggregated(aggregate))
      case _ if shape.sorts && TopRows.of(plan).exists(top => Rows.unapply(top.child).isDefined) => TopRows.of(plan).map(new PerPartition(session).first)
      case (Rows(joined), Some(gathered)) if (if (joined) shape.joins else shape.scans && gathered) => Some(new PerPartition(session).rows(plan, leaveAtOnce = plan.getTagValue(waited).isEmpty))
      case _ => None
    }
  }

  /** Scans with filters and projections, and whether there are joins. */
  private object Rows {
    def unapply(plan: LogicalPlan): Option[Boolean] = plan match {
      case Project(_, child) => unapply(child)
      case Filter(_, child) => unapply(child)
      case secured: SecuredRelation => unapply(secured.child)
      case _: Join => Some(true)
      case _: DataSourceV2ScanRelation => Some(false)
      case _ => None
    }
  }

  private def largest(plan: LogicalPlan): DataSourceV2ScanRelation =
    candidates(plan).maxByOption(_.stats.sizeInBytes).getOrElse(Refused("no table to share out"))

  private def candidates(plan: LogicalPlan): Seq[DataSourceV2ScanRelation] = plan match {
    case Project(_, child) => candidates(child)
    case Filter(_, child) => candidates(child)
    case expand: Expand => candidates(expand.child)
    case secured: SecuredRelation => candidates(secured.child)
    case Join(left, right, Inner | Cross, _, _) => candidates(left) ++ candidates(right)
    case Join(left, _, LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_), _, _) => candidates(left)
    case Join(_, right, RightOuter, _, _) => candidates(right)
    case scan: DataSourceV2ScanRelation => Seq(scan)
    case _ => Nil
  }
}
