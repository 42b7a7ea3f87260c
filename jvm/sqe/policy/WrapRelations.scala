package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.{Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.Failure

/** Before names are resolved: the gate, all decisions that the statement will want, and every name held back. */
final case class WrapRelations(spark: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = SessionPolicy.binding(spark) match {
    case None => plan
    case Some(policy) =>
      val gate = new Gate(spark, policy)
      gate.needsDecisions(plan)
      WrapRelations.wrap(gate.passed(plan))
  }
}

object WrapRelations {
  /** Puts a `PendingRelation` around each name of a table or view. Names come late too: from views and `IDENTIFIER(…)`. */
  def wrap(plan: LogicalPlan): LogicalPlan = plan match {
    case done @ (_: SecuredRelation | _: ServerRows) => done
    case pending: PendingRelation => pending.child match {
      case _: UnresolvedRelation | _: RelationTimeTravel | _: UnresolvedTable | _: UnresolvedTableOrView => pending
      case definers if DefinerView.is(definers) => pending // whose tables are not for its reader to see
      case body => pending.copy(child = wrap(body))
    }
    case done if done.analyzed => done
    case travel: RelationTimeTravel => travelling(travel)
    case relation: UnresolvedRelation => PendingRelation.of(relation)
    case table: UnresolvedTable => PendingRelation(table, table.multipartIdentifier, Set.empty)
    case either: UnresolvedTableOrView => PendingRelation(either, either.multipartIdentifier, Set.empty)
    case insert: InsertIntoStatement => inserting(insert)
    case append: AppendData => appending(append)
    case other =>
      val wrapped = other.mapChildren(wrap)
      wrapped.mapExpressions(_.transform { case sub: SubqueryExpression => replaced(sub, wrap(sub.plan)) })
  }

  def replaced(sub: SubqueryExpression, plan: LogicalPlan): Expression = if (plan fastEquals sub.plan) sub else sub.withNewPlan(plan)

  private def travelling(travel: RelationTimeTravel): LogicalPlan = travel.relation match {
    // Spark runs such a subquery while it analyzes the statement.
    case _ if travel.timestamp.exists(SubqueryExpression.hasSubquery) =>
      throw new Failure.Refused("A subquery as the time of a table is not available")
    case relation: UnresolvedRelation => PendingRelation(travel, relation.multipartIdentifier, Set.empty)
    case _ => throw new Failure.Refused("Only tables have a past")
  }

  private def inserting(insert: InsertIntoStatement): LogicalPlan = insert.table match {
    case target: UnresolvedRelation =>
      val columns = InsertColumns(
        insert.partitionSpec, insert.userSpecifiedCols, insert.overwrite, insert.ifPartitionNotExists, insert.byName)
      PendingInsert(PendingRelation.of(target), wrap(insert.query), columns)
    case _ => insert.copy(query = wrap(insert.query))
  }

  private def appending(append: AppendData): LogicalPlan = append.table match {
    case target: UnresolvedRelation if append.writeOptions.isEmpty && append.isByName =>
      val columns = InsertColumns(Map.empty, Nil, overwrite = false, ifPartitionNotExists = false, byName = true)
      PendingInsert(PendingRelation.of(target), wrap(append.query), columns)
    case _ => append.withNewQuery(wrap(append.query))
  }
}
