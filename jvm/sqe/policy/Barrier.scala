package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** What may pass a `SecuredRelation` in the optimizer: columns that nobody reads, and predicates that are leakproof. */
object Barrier extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case ServerRows(rows) => rows
    case Filter(condition, secured: SecuredRelation) if passing(condition, secured).nonEmpty =>
      val (pass, stay) = splitConjunctivePredicates(condition).partition(passing(condition, secured).contains)
      val below = secured.copy(child = Filter(pass.reduce(And), secured.child))
      stay.reduceOption(And).fold[LogicalPlan](below)(Filter(_, below))
    case project @ Project(list, secured: SecuredRelation) if !secured.outputSet.subsetOf(project.references) =>
      Project(list, secured.copy(child = Project(secured.output.filter(project.references.contains), secured.child)))
  }

  private def passing(condition: Expression, secured: SecuredRelation): Seq[Expression] = {
    val open = AttributeSet(tableColumns(secured.child))
    def passes(part: Expression): Boolean =
      if (secured.filtered) Leakproof(part, open.contains)
      else part.references.subsetOf(open) && !SubqueryExpression.hasSubquery(part) // there are no invisible rows to tell of
    splitConjunctivePredicates(condition).filter(part => part.deterministic && passes(part))
  }

  /** The output that is the table's own: a mask's value must not be compared before the row filter. */
  private def tableColumns(plan: LogicalPlan): Seq[Attribute] = plan match {
    case Project(list, child) =>
      val below = AttributeSet(tableColumns(child))
      list.collect { case attribute: AttributeReference if below.contains(attribute) => attribute }
    case Filter(_, child) => tableColumns(child)
    case relation: DataSourceV2Relation => relation.output
    case _ => Nil
  }
}

object SecuredStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case SecuredRelation(child, _, _) => planLater(child) :: Nil
    case ServerRows(child) => planLater(child) :: Nil
    case ExplainedTable(output, table) => ExplainedTableExec(output, table) :: Nil
    case _ => Nil
  }
}
