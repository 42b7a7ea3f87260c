package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.plans.{ExistenceJoin, LeftAnti, LeftOuter, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/**
 * Keeps joins from broadcasting the larger side. An outer, semi or anti join can only be built from one side, and Spark takes it when its
 * bytes are few, however many rows these are: one thread puts millions of keys into a table while the other cores wait (TPC-H's query 4
 * built 3.8 million of them). Shuffled, both sides are read by all cores. What a statement says in a hint counts, and so does
 * what turns out when the sides have been shuffled: they are no tables any more then.
 *
 * A strategy, and not a rule of the optimizer: those that can be added run before the scans know their rows.
 */
object LargeBuildSides extends SparkStrategy {
  /** Fewer are built faster than two sides are shuffled. */
  private val few = 1000000L

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case join @ Join(left, right, LeftOuter | LeftSemi | LeftAnti | ExistenceJoin(_), _, hint)
        if unsaid(hint.rightHint) && isLarger(right, left) =>
      Seq(planLater(join.copy(hint = hint.copy(rightHint = shuffled(hint.rightHint)))))
    case join @ Join(left, right, RightOuter, _, hint) if unsaid(hint.leftHint) && isLarger(left, right) =>
      Seq(planLater(join.copy(hint = hint.copy(leftHint = shuffled(hint.leftHint)))))
    case _ => Nil
  }

  private def unsaid(hint: Option[HintInfo]): Boolean = hint.forall(_.strategy.isEmpty)

  private def shuffled(hint: Option[HintInfo]): Option[HintInfo] =
    Some(hint.getOrElse(HintInfo()).copy(strategy = Some(NO_BROADCAST_HASH)))

  private def isLarger(built: LogicalPlan, other: LogicalPlan): Boolean = {
    val rows = mostRows(built)
    rows > few && rows > mostRows(other)
  }

  /** Of the tables that are read, after files were skipped: what filters leave of them is not known. */
  private def mostRows(plan: LogicalPlan): BigInt = plan.collectLeaves().map {
    case scan: DataSourceV2ScanRelation => scan.stats.rowCount.getOrElse(BigInt(0))
    case _ => BigInt(0)
  }.maxOption.getOrElse(BigInt(0))
}
