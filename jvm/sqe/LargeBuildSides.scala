package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf

/**
 * Keeps joins from broadcasting a side that is, or may well be, too large.
 *
 * An outer, semi or anti join can only be built from one side, and Spark takes it when its bytes are few, however many rows these are:
 * one thread puts millions of keys into a table while the other cores wait (TPC-H's query 4 built 3.8 million of them). Shuffled, both
 * sides are read by all cores. And what is left of a table after filters and joins is an estimate, where statistics are used: a side
 * is broadcast by it as long as it may be wrong by four times, which the driver's heap has room for.
 *
 * What a statement says in a hint counts, and so does what turns out when the sides have been shuffled: they are no tables any more then.
 *
 * A strategy, and not a rule of the optimizer: those that can be added run before the scans know their rows.
 */
object LargeBuildSides extends SparkStrategy {
  /** Fewer are built faster than two sides are shuffled. */
  private val few = 1000000L
  private val believed = 4

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case join @ Join(left, right, kind, _, hint) =>
      val kept = hint.copy(
        leftHint = if (leftIsTooLarge(kind, left, right)) shuffled(hint.leftHint) else hint.leftHint,
        rightHint = if (rightIsTooLarge(kind, left, right)) shuffled(hint.rightHint) else hint.rightHint)
      if (kept == hint) Nil else Seq(planLater(join.copy(hint = kept)))
    case _ => Nil
  }

  private def leftIsTooLarge(kind: JoinType, left: LogicalPlan, right: LogicalPlan): Boolean = kind match {
    case RightOuter => isLarger(left, right) || isDoubtful(left)
    case _: InnerLike => isDoubtful(left)
    case _ => false
  }

  private def rightIsTooLarge(kind: JoinType, left: LogicalPlan, right: LogicalPlan): Boolean = kind match {
    case LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_) => isLarger(right, left) || isDoubtful(right)
    case _: InnerLike => isDoubtful(right)
    case _ => false
  }

  /** Unless something is said. */
  private def shuffled(hint: Option[HintInfo]): Option[HintInfo] =
    if (hint.exists(_.strategy.nonEmpty)) hint else Some(hint.getOrElse(HintInfo()).copy(strategy = Some(NO_BROADCAST_HASH)))

  private def isLarger(built: LogicalPlan, other: LogicalPlan): Boolean = {
    val rows = mostRows(built)
    rows > few && rows > mostRows(other)
  }

  /** Of the tables that are read, after files were skipped: what filters leave of them is not known. */
  private def mostRows(plan: LogicalPlan): BigInt = scans(plan).map(_.rowCount.getOrElse(BigInt(0))).maxOption.getOrElse(BigInt(0))

  /** Whether its being small is an estimate, and of much more. */
  private def isDoubtful(plan: LogicalPlan): Boolean = SQLConf.get.cboEnabled && {
    val most = BigInt(SQLConf.get.autoBroadcastJoinThreshold)
    scans(plan).map(_.sizeInBytes).sum > most * believed && plan.stats.sizeInBytes <= most
  }

  private def scans(plan: LogicalPlan): Seq[Statistics] = plan.collectLeaves().collect { case scan: DataSourceV2ScanRelation => scan.stats }
}
