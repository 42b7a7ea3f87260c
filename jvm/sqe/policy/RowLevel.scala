package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns.CURRENT_DEFAULT_COLUMN_METADATA_KEY
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.sqe.Failure

/**
 * UPDATE, DELETE and MERGE of a restricted table. Their expressions were bound to what the user sees; Spark changes rows of the
 * table itself. So the secured relation gives way to the table, masks take the place of masked columns, the row filter joins
 * every condition, and what is assigned is checked against the row filter.
 */
final class RowLevel(policy: SessionPolicy) extends PredicateHelper {
  def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case delete @ DeleteFromTable(Target(target), condition) if delete.resolved =>
      DeleteFromTable(target.table, target.guarded(Some(condition)))
    case update @ UpdateTable(Target(target), assignments, condition) if update.resolved =>
      UpdateTable(target.table, target.updates(assignments), Some(target.guarded(condition)))
    case merge: MergeIntoTable if merge.resolved => merge.targetTable match {
      case Target(target) => merged(merge, target)
      case _ => merge
    }
    case other => other
  }

  private def merged(merge: MergeIntoTable, target: Target): LogicalPlan = {
    if (merge.withSchemaEvolution) target.decision.requireUnrestricted("MERGE WITH SCHEMA EVOLUTION")
    if (target.looksElsewhere) target.decision.requireUnrestricted("MERGE") // Spark has no subqueries in its conditions
    def ofTarget(action: MergeAction): MergeAction = action match {
      case delete: DeleteAction => DeleteAction(Some(target.guarded(delete.condition)))
      case update: UpdateAction =>
        update.copy(condition = Some(target.guarded(update.condition)), assignments = target.updates(update.assignments))
      case _ => throw new Failure.Refused("This action of MERGE is not available")
    }
    def ofSource(action: MergeAction): MergeAction = action match {
      case insert: InsertAction => insert.copy(assignments = target.inserts(insert.assignments))
      case _ => throw new Failure.Refused("This action of MERGE is not available")
    }
    merge.copy(
      targetTable = target.table,
      mergeCondition = target.guarded(Some(merge.mergeCondition)),
      matchedActions = merge.matchedActions.map(ofTarget),
      notMatchedActions = merge.notMatchedActions.map(ofSource),
      notMatchedBySourceActions = merge.notMatchedBySourceActions.map(ofTarget))
  }

  /** The table to change: what Spark shall see of it, and the policy's parts. */
  private final class Target(
      val table: LogicalPlan,
      relation: DataSourceV2Relation,
      val decision: Decision,
      masks: Map[ExprId, Expression],
      filter: Option[Expression]) {

    def looksElsewhere: Boolean = filter.exists(SubqueryExpression.hasSubquery) || masks.values.exists(SubqueryExpression.hasSubquery)

    def under(alias: SubqueryAlias): Target = new Target(alias.copy(child = table), relation, decision, masks, filter)

    private def sure: Expression =
      filter.fold[Expression](Literal.TrueLiteral)(condition => Coalesce(Seq(condition, Literal.FalseLiteral)))

    /**
     * The row filter first, for Iceberg to prune files by, and the conditions that cannot tell of rows. The others are bound to
     * the row filter: the optimizer must not evaluate them on rows that it keeps away.
     */
    def guarded(condition: Option[Expression]): Expression = {
      val own = condition.toSeq.flatMap(each => splitConjunctivePredicates(seen(each)))
      if (looksElsewhere && own.exists(SubqueryExpression.hasCorrelatedSubquery))
        decision.requireUnrestricted("A correlated subquery in a change")
      val (open, bound) = own.partition {
        case _: SubqueryExpression => !looksElsewhere
        case part => Leakproof(part, _ => true)
      }
      (PolicyGuard(sure, decision.table) +: open ++: bound.reduceOption(And).map(Guarded(sure, _)).toSeq).reduce(And)
    }

    /** With masks in the place of masked columns. */
    def seen(expression: Expression): Expression = {
      if (masks.nonEmpty) expression.foreach {
        case sub: SubqueryExpression if usesMask(sub) =>
          throw Failure.Denied(s"A masked column of ${decision.table} cannot be used in a subquery of a change")
        case _ =>
      }
      expression.transform { case column: AttributeReference if masks.contains(column.exprId) => masks(column.exprId) }
    }

    private def usesMask(sub: SubqueryExpression): Boolean =
      sub.references.exists(column => masks.contains(column.exprId)) || sub.plan.exists(_.expressions.exists(_.exists {
        case OuterReference(column) => masks.contains(column.exprId)
        case _ => false
      }))

    def updates(assignments: Seq[Assignment]): Seq[Assignment] = {
      val own = assignments.map(each => Assignment(writable(each.key), seen(each.value)))
      val decided = filter.toSeq.flatMap(_.references.map(_.exprId)).toSet
      val changed = own.filter(_.key.references.exists(column => decided(column.exprId)))
      if (changed.isEmpty) own else checked(own, changed, keeping)
    }

    def inserts(assignments: Seq[Assignment]): Seq[Assignment] = {
      val own = assignments.map(each => Assignment(writable(each.key), seen(each.value)))
      val assigned = AttributeSet(own.flatMap(_.key.references))
      relation.output.filter(column => decision.isHidden(column.name) && !assigned.contains(column)).foreach { column =>
        if (!column.nullable && !column.metadata.contains(CURRENT_DEFAULT_COLUMN_METADATA_KEY))
          throw Failure.Denied(s"You may not insert into ${decision.table}: it needs values that you may not give")
      }
      if (filter.isEmpty) own else checked(own, own, standing)
    }

    private def writable(key: Expression): Expression = {
      key.references.find(column => masks.contains(column.exprId)).foreach { column =>
        throw Failure.Denied(s"Column ${column.name} is masked for you and cannot be written")
      }
      key
    }

    private def keeping(column: Attribute): Expression = column

    private def standing(column: Attribute): Expression = ResolveDefaultColumns.getDefaultValueExprOrNullLit(column)

    /** The first value is given only if the row filter holds for the row as it will be. */
    private def checked(all: Seq[Assignment], changed: Seq[Assignment], otherwise: Attribute => Expression): Seq[Assignment] = {
      val condition = filter.get
      if (SubqueryExpression.hasSubquery(condition) || changed.exists(!_.key.isInstanceOf[AttributeReference]))
        throw Failure.Denied(s"You may not change what decides who sees a row of ${decision.table} in this way; INSERT and DELETE can")
      val values = all.collect { case Assignment(key: AttributeReference, value) => key.exprId -> value }.toMap
      val after = condition.transform {
        case column: AttributeReference => values.get(column.exprId).fold(otherwise(column))(Cast(_, column.dataType))
      }
      val sure = Coalesce(Seq(after, Literal.FalseLiteral))
      Assignment(all.head.key, CheckedValue(all.head.value, sure, decision.table)) +: all.tail
    }
  }

  private object Target {
    def unapply(plan: LogicalPlan): Option[Target] = plan match {
      case alias: SubqueryAlias => unapply(alias.child).map(_.under(alias))
      case ExplainedTable(_, table) => throw new Explain.NotShown(table)
      case SecuredRelation(Project(list, rest), table, _) =>
        val masks = list.collect { case alias: Alias => alias.exprId -> MaskedValue(alias.child, alias.name) }.toMap
        rest match {
          case Filter(filter, relation: DataSourceV2Relation) =>
            Some(new Target(relation, relation, policy.decision(table), masks, Some(filter)))
          case relation: DataSourceV2Relation => Some(new Target(relation, relation, policy.decision(table), masks, None))
          case _ => throw new Failure.Refused("This table cannot be changed")
        }
      case _: SecuredRelation => throw new Failure.Refused("This table cannot be changed")
      case _ => None
    }
  }
}
