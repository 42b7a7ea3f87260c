package org.apache.spark.sql.sqe

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, UnresolvedRelation, UnresolvedTable}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession

/**
 * `SET write_branch = 'b'`: INSERT, UPDATE, DELETE, MERGE and TRUNCATE of the session go to the branch b of the table they name.
 * Not Iceberg's `spark.wap.branch`, which is obeyed by tables with a certain property only, silently passed over by all others,
 * and changes what is read. A table without that branch is an error, and `t.branch_c` written out means c.
 */
object WriteBranch {
  val key = "spark.sqe.writeBranch"

  def of(spark: SparkSession): Option[String] = Some(spark.sessionState.conf.getConfString(key, "")).filter(_.nonEmpty)

  def named(branch: String, table: Seq[String]): Seq[String] =
    if (table.size > 1 && table.last.toLowerCase(Locale.ROOT).startsWith("branch_")) table else table :+ s"branch_$branch"

  def redirect(branch: String, plan: LogicalPlan): LogicalPlan = plan match {
    case late: PlanWithUnresolvedIdentifier => ParsedStatement.root(late) match {
      case _: InsertIntoStatement | _: UpdateTable | _: DeleteFromTable | _: MergeIntoTable | _: TruncateTable | _: TruncatePartition => refuse
      case _ => late
    }
    case ctes: UnresolvedWith => ctes.copy(child = redirect(branch, ctes.child))
    case many: Union if many.children.exists(_.isInstanceOf[InsertIntoStatement]) => many.withNewChildren(many.children.map(redirect(branch, _)))
    case insert: InsertIntoStatement => insert.copy(table = target(branch, insert.table))
    case update: UpdateTable => update.copy(table = target(branch, update.table))
    case delete: DeleteFromTable => delete.copy(table = target(branch, delete.table))
    case merge: MergeIntoTable => merge.copy(targetTable = target(branch, merge.targetTable))
    case truncate: TruncateTable => truncate.copy(table = target(branch, truncate.table))
    case truncate: TruncatePartition => truncate.copy(table = target(branch, truncate.table))
    case write: V2WriteCommand => write.withNewTable(target(branch, write.table.asInstanceOf[LogicalPlan]).asInstanceOf[org.apache.spark.sql.catalyst.analysis.NamedRelation])
    case other => other
  }

  private def target(branch: String, plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case _: PlanWithUnresolvedIdentifier => refuse
    case relation: UnresolvedRelation => relation.copy(multipartIdentifier = named(branch, relation.multipartIdentifier))
    case table: UnresolvedTable => table.copy(multipartIdentifier = named(branch, table.multipartIdentifier))
  }

  private def refuse: Nothing = throw new Failure.Refused("A target given by IDENTIFIER() is not available while write_branch is set")
}
