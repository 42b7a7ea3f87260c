package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, GlobalLimit, LocalLimit, LogicalPlan, Offset, Project, Sort, Window}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.types.StringType

/**
 * Fragments that could fail after some of their rows have left, where Spark can no longer run them instead: a join's rows leave while it reads,
 * and the last of a million texts may be the one that only Spark can make lower case, or that is no UTF-8. Such a fragment's rows wait in a table
 * of the kernel's, which spills them, until it has all of them (a materialized WITH does not wait). What sorts, groups or ranks has read everything before its first row.
 */
object LateFailures {
  def possible(plan: LogicalPlan): Boolean = !isSorted(plan) && whileRowsLeave(plan).exists(node => node.expressions.exists(MayFail(_)) || readsText(node))

  /** Whether text is read at all: whether it is some the kernel finds out when it reads it. */
  def readText(plan: LogicalPlan): Boolean = plan.exists(readsText)

  /** Where the order of rows is the answer's; the kernel computes what is selected before it sorts. */
  private def isSorted(plan: LogicalPlan): Boolean = plan match {
    case sort: Sort => sort.global
    case Project(_, child) => isSorted(child)
    case GlobalLimit(_, child) => isSorted(child)
    case LocalLimit(_, child) => isSorted(child)
    case Offset(_, child) => isSorted(child)
    case _ => false
  }

  private def whileRowsLeave(plan: LogicalPlan): Seq[LogicalPlan] = plan match {
    case _: Aggregate | _: Sort | _: Window => Seq(plan)
    case other => other +: other.children.flatMap(whileRowsLeave)
  }

  private def readsText(plan: LogicalPlan): Boolean = plan match {
    case scan: DataSourceV2ScanRelation => scan.output.exists(_.dataType.existsRecursively(_.isInstanceOf[StringType]))
    case _ => false
  }
}
