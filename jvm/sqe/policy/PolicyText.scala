package org.apache.spark.sql.sqe.policy

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sqe.Failure

/**
 * Makes expressions of a policy's texts. They are analyzed in the user's session (with its catalogs and `current_user`), but
 * with the server's settings and without the user's temporary views: a person must not shift a filter by a time zone or
 * replace a lookup table.
 */
final class PolicyText(spark: SparkSession, table: Seq[String]) extends Logging {
  private val name = TableName.of(table)
  private val parser = spark.sessionState.sqlParser

  /** The rows and columns of a decision, over a plan that has the columns which its texts speak of. */
  def secured(decision: Decision, plan: LogicalPlan): LogicalPlan =
    decision.analyzed.flatMap(_.over(plan)).getOrElse {
      val secured = analyzed(decision, plan)
      decision.analyzed = AnalyzedTexts.of(secured, plan)
      secured
    }

  private def analyzed(decision: Decision, plan: LogicalPlan): LogicalPlan = ours {
    val columns = plan.output.filterNot(column => decision.isHidden(column.name)).map { column =>
      decision.mask(column.name).fold[NamedExpression](column)(text => Alias(Cast(parsed(text), column.dataType), column.name)())
    }
    val rows = decision.rowFilter.fold(named(plan))(text => Filter(parsed(text), named(plan)))
    EliminateSubqueryAliases(spark.sessionState.analyzer.executeAndCheck(Project(columns, rows), new QueryPlanningTracker)) match {
      case shifted if PolicyText.usesVariables(shifted) => unusable()
      case Project(list, Filter(condition, rest)) if decision.rowFilter.isDefined =>
        Project(list.map(column => masked(column)), Filter(quiet(condition), rest))
      case Project(list, rest) if decision.rowFilter.isEmpty => Project(list.map(column => masked(column)), rest)
      case _ => unusable()
    }
  }

  /** Rows that somebody writes, with a check that they pass the row filter. What is wrong with the rows themselves, Spark tells later. */
  def checked(filter: String, rows: LogicalPlan): LogicalPlan = ours {
    EliminateSubqueryAliases(spark.sessionState.analyzer.execute(Filter(RowCheck(parsed(filter), name), named(rows)))) match {
      case Filter(check: RowCheck, _) if check.exists(_.isInstanceOf[VariableReference]) => unusable()
      case Filter(RowCheck(condition, _), rest) if condition.resolved => Filter(RowCheck(quiet(condition), name), rest)
      case _ => unusable()
    }
  }

  /** Runs with the server's rights and settings; whatever fails is the policy's fault. */
  private def ours[T](body: => T): T =
    try Trusted(SQLConf.withExistingConf(PolicyText.settings(spark))(body))
    catch {
      case known @ (_: Failure.PolicyNeeded | _: Failure.Cancelled | _: Failure.PolicyUnusable) => throw known
      case NonFatal(failure) =>
        logError(s"the policy of table $name cannot be applied: ${Failure.describe(failure)("messages")}")
        throw new Failure.PolicyUnusable(name)
    }

  private def unusable(): Nothing = throw new Failure.PolicyUnusable(name)

  private def named(plan: LogicalPlan): LogicalPlan = SubqueryAlias(table, plan)

  /** Lookup tables without a catalog or schema are those beside the table; a name of one part could be a temporary view. */
  private def parsed(text: String): Expression = parser.parseExpression(text).transform {
    case sub: SubqueryExpression => sub.withNewPlan(sub.plan.transformDownWithSubqueries {
      case relation: UnresolvedRelation => relation.multipartIdentifier match {
        case Seq(_) => relation.copy(multipartIdentifier = table.init ++ relation.multipartIdentifier)
        case parts if spark.sessionState.catalogManager.isCatalogRegistered(parts.head) => relation
        case parts => relation.copy(multipartIdentifier = table.head +: parts)
      }
      case _: UnresolvedWith => unusable()
    })
  }

  private def masked(column: NamedExpression): NamedExpression = column match {
    case alias: Alias => Alias(never(withDefinersRights(alias.child)), alias.name)(alias.exprId)
    case other => other
  }

  /** A filter that fails on a row does not show it. Conditions that cannot fail stay as they are, for Iceberg to prune files by. */
  private def quiet(condition: Expression): Expression = {
    if (!condition.deterministic) unusable()
    conditions(withDefinersRights(condition)).map { part =>
      if (Leakproof(part, _ => true) || SubqueryExpression.hasSubquery(part)) part else never(part)
    }.reduce(And)
  }

  private def conditions(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conditions(left) ++ conditions(right)
    case other => Seq(other)
  }

  /** The error of a failing mask or filter would show the value that it failed on. */
  private def never(expression: Expression): Expression = expression match {
    case safe @ (_: Literal | _: Attribute) => safe
    case other => TryEval(other)
  }

  /** Lookup tables are read whatever the user may see of them; Spark loads them again before it runs the statement. */
  private def withDefinersRights(expression: Expression): Expression = expression.transformUp {
    case sub: SubqueryExpression => sub.withNewPlan(sub.plan.transformUpWithSubqueries {
      case relation: DataSourceV2Relation => relation.copy(catalog = relation.catalog.map(DefinerCatalog.of))
      case view: View if view.isTempView => unusable()
    })
  }
}

object PolicyText {
  /** The session's settings but for what its user can set and expressions depend on. */
  def settings(spark: SparkSession): SQLConf = {
    val zone = SQLConf.SESSION_LOCAL_TIMEZONE.key
    val conf = spark.sessionState.conf.clone()
    conf.setConfString(zone, spark.sparkContext.getConf.get(zone, "UTC"))
    conf
  }

  /** A name that is no column's (any more) may be one that the user declared: a filter would be what they make of it. */
  def usesVariables(plan: LogicalPlan): Boolean = plan.collectWithSubqueries { case node => node.expressions }.flatten
    .exists(_.exists(_.isInstanceOf[VariableReference]))
}

/**
 * What the texts of a decision became over some table, to be put over it again: analyzing them is most of what a policy costs.
 * Only without lookup tables, which have to be loaded for each statement.
 */
final class AnalyzedTexts private (list: Seq[NamedExpression], condition: Option[Expression], columns: Seq[Attribute]) {
  /** None when the plan's columns are others. */
  def over(plan: LogicalPlan): Option[LogicalPlan] = {
    def same(one: Attribute, other: Attribute): Boolean =
      one.name == other.name && one.dataType == other.dataType && one.nullable == other.nullable
    if (columns.size != plan.output.size || !columns.zip(plan.output).forall { case (one, other) => same(one, other) }) None
    else {
      val now = columns.map(_.exprId).zip(plan.output).toMap
      def bound(expression: Expression): Expression = expression.transform { case column: AttributeReference => now(column.exprId) }
      val shown = list.map {
        case alias: Alias => Alias(bound(alias.child), alias.name)()
        case column => now(column.exprId)
      }
      val secured = Project(shown, condition.fold(plan)(filter => Filter(bound(filter), plan)))
      secured.setAnalyzed()
      Some(secured)
    }
  }
}

object AnalyzedTexts {
  def of(secured: LogicalPlan, plan: LogicalPlan): Option[AnalyzedTexts] = {
    val (list, condition) = secured match {
      case Project(list, Filter(condition, `plan`)) => (list, Some(condition))
      case Project(list, `plan`) => (list, None)
      case _ => return None
    }
    if ((list ++ condition).exists(SubqueryExpression.hasSubquery)) None else Some(new AnalyzedTexts(list, condition, plan.output))
  }
}
