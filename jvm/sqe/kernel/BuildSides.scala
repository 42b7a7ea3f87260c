package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{DynamicPruning, PlanExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.ColumnCopy
import org.apache.spark.sql.sqe.policy.SecuredRelation
import org.apache.spark.sql.types.{StructField, StructType}

/** The other side of a join, as a leaf of a fragment: its rows are made once ([[BuildExec]]), and each task has a table of that name. */
final case class BuiltSide(name: String, side: LogicalPlan) extends LeafNode {
  override def output: Seq[org.apache.spark.sql.catalyst.expressions.Attribute] = side.output

  override def computeStats(): Statistics = side.stats

  /** What it is known by where it was too large: the plan without Spark's numbers, and the snapshots that it reads. */
  lazy val key: (Int, Int) =
    KnownFailures.keyOf((side.toString.replaceAll("#\\d+L?", "") +: side.collect { case scan: DataSourceV2ScanRelation => scan.scan.description() }).mkString("\n"))

  def schema(names: Int => String): StructType = StructType(output.zipWithIndex.map { case (column, i) => StructField(names(i), column.dataType) })
}

/**
 * The other sides of the joins that a shared scan goes through: each task makes them for itself, or they are made once and given to each.
 *
 * | other side | made |
 * |---|---|
 * | rows that are written out | by each task |
 * | scans, joins, unions, groups | by each task, which costs less than taking columns over (docs/native.md) |
 * | limits, sorts, windows, subqueries, what can fail where rows leave at once | once, since two tasks could make other rows of them, or fail too late |
 */
final class BuildSides(shared: DataSourceV2ScanRelation, tasks: Int, shape: Shape, neverFails: Boolean) {
  private val found = ArrayBuffer[BuiltSide]()

  def made: Seq[BuiltSide] = found.toSeq

  /** A plan of joins, with leaves in the place of what is made once. */
  def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case join: Join =>
      if (holds(join.left)) join.withNewChildren(Seq(apply(join.left), other(join.right))) else join.withNewChildren(Seq(other(join.left), apply(join.right)))
    case node => node.mapChildren(apply)
  }

  private def holds(plan: LogicalPlan): Boolean = plan.exists(_ eq shared)

  private def other(side: LogicalPlan): LogicalPlan = {
    val alike = BuildSides.isAlike(side) && !(neverFails && side.exists(_.expressions.exists(MayFail(_))))
    val columns = StructType(side.output.map(column => StructField(column.name, column.dataType)))
    if (side.isInstanceOf[LocalRelation] || !shape.builds(tasks, alike)) side
    else if (!ColumnCopy.supports(columns) || side.output.distinctBy(_.exprId).length != side.output.length) side
    else {
      side.output.foreach(column => NativeTypes.check(column.dataType))
      val built = BuiltSide(s"built_${found.size}_", side)
      if (KnownFailures.contains(built.key)) Refused(BuildExec.tooLarge)
      found += built
      built
    }
  }
}

object BuildSides {
  /** Whether every task computes the same of it. */
  def isAlike(plan: LogicalPlan): Boolean = unlike(plan).isEmpty

  /** Why it could be another thing in each task. */
  def unlike(plan: LogicalPlan): Option[String] =
    if (plan.exists(asksAnother)) Some("subquery in each partition")
    else plan.collectFirst {
      case other @ (_: LeafNode | _: UnaryNode | _: BinaryNode | _: Union) if !isKnown(other) => s"operator ${other.nodeName} in each partition"
    }

  def asksAnother(node: LogicalPlan): Boolean = node.expressions.exists(_.exists {
    case _: PlanExpression[_] | _: DynamicPruning => true
    case _ => false
  })

  private def isKnown(node: LogicalPlan): Boolean = node match {
    case _: Project | _: Filter | _: Join | _: Aggregate | _: Union | _: Expand | _: SecuredRelation | _: DataSourceV2ScanRelation | _: LocalRelation | _: BuiltSide => true
    case _ => false
  }
}
