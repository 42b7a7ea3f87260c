package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.logical.views.ResolvedV2View
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, Identifier, LookupCatalog}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.sqe.{Failure, LakeCatalog}

/** In each round of resolution: what was loaded under a held-back name is secured, and the name's parents may go on. */
final case class SecureRelations(spark: SparkSession) extends Rule[LogicalPlan] with LookupCatalog {
  override protected lazy val catalogManager: CatalogManager = spark.sessionState.catalogManager

  override def apply(plan: LogicalPlan): LogicalPlan = SessionPolicy.binding(spark) match {
    case None => plan
    case Some(policy) => new Round(policy).secured(WrapRelations.wrap(new Gate(spark, policy).passed(plan)))
  }

  private final class Round(policy: SessionPolicy) {
    private val table = new SecureTable(spark, policy)
    private val inserts = new Inserts(spark, policy)
    private val rowLevel = new RowLevel(policy)

    def secured(plan: LogicalPlan): LogicalPlan = plan match {
      case done @ (_: SecuredRelation | _: ServerRows) => done
      case pending: PendingRelation => released(pending)
      case insert: PendingInsert => released(insert)
      case done if done.analyzed => done
      case other =>
        val below = other.mapChildren(secured)
        val inside = below.mapExpressions(_.transform { case sub: SubqueryExpression => WrapRelations.replaced(sub, secured(sub.plan)) })
        inside match {
          case append: AppendData => inserts.checked(append)
          case changed => rowLevel(changed)
        }
    }

    private def released(pending: PendingRelation): LogicalPlan = {
      if (DefinerView.is(pending.child)) {
        viewDecision(pending)._3.require("select")
        return view(DefinerView.secured(spark, SessionPolicy.ofSession(spark), pending.child), pending)
      }
      val child = if (pending.child.resolved) pending.child else secured(pending.child)
      if (!child.resolved) pending.copy(child = child)
      else child match {
        case alias @ SubqueryAlias(_, relation: DataSourceV2Relation) => alias.copy(child = read(relation, pending))
        case relation: DataSourceV2Relation => read(relation, pending)
        case own @ (_: View | SubqueryAlias(_, _: View)) => own // temporary: its tables were secured one by one
        case ResolvedV2View(catalog: LakeCatalog, name) => ResolvedV2View(new ShownViews(catalog, spark, policy), name)
        case own @ (_: ResolvedTempView | _: ResolvedV2View) => own
        case alias: SubqueryAlias => view(alias, pending)
        case described: ResolvedTable => visible(described)
        case other => throw new Failure.Refused(s"This kind of table is not available (${other.nodeName})")
      }
    }

    /** The target of an UPDATE, DELETE or MERGE is read as well. */
    private def read(relation: DataSourceV2Relation, pending: PendingRelation): LogicalPlan = {
      if (pending.writes.nonEmpty) pending.writes.foreach(policy.decision(TableName.of(relation)).require)
      table(relation)
    }

    private def released(insert: PendingInsert): LogicalPlan = {
      val query = secured(insert.query)
      insert.target match {
        case pending: PendingRelation if DefinerView.is(pending.child) => throw new Failure.Refused("Only tables can be inserted into")
        case pending: PendingRelation if pending.child.resolved =>
          inserts.release(insert.copy(target = pending.child, query = query), pending.writes) match {
            case waiting: PendingInsert => waiting.copy(target = pending)
            case ready => ready
          }
        case _ => insert.copy(query = query)
      }
    }

    /** A view's tables are secured already, for who reads it or for its definer. Here its own policy is applied, for who reads it. */
    private def view(alias: SubqueryAlias, pending: PendingRelation): LogicalPlan = {
      val (catalog, identifier, decision) = viewDecision(pending)
      decision.require("select")
      if (!decision.restricted) alias match {
        case SubqueryAlias(name, rows: SecuredRelation) if Explain.now =>
          SubqueryAlias(name, ExplainedTable(rows.output.map(_.newInstance()), rows.table))
        case other => other
      }
      else {
        val known = alias.output.map(_.name.toLowerCase(java.util.Locale.ROOT)).toSet
        if (!(decision.hidden ++ decision.masks.keySet).subsetOf(known)) throw new Failure.PolicyUnusable(decision.table)
        val parts = (catalog.name +: identifier.namespace.toSeq) :+ identifier.name
        val secured = new PolicyText(spark, parts).secured(decision, alias)
        val rows = SecuredRelation(secured, decision.table, decision.rowFilter.isDefined)
        SubqueryAlias(alias.identifier, if (Explain.now) ExplainedTable(rows.output.map(_.newInstance()), rows.table) else rows)
      }
    }

    private def viewDecision(pending: PendingRelation): (LakeCatalog, Identifier, Decision) = pending.name match {
      case CatalogAndIdentifier(catalog: LakeCatalog, asked) =>
        val identifier = catalog.storedView(asked)
        (catalog, identifier, policy.decision(TableName.of(catalog.name, identifier)))
      case _ => throw new Failure.Refused("Views outside the configured catalogs are not available")
    }

    private def visible(resolved: ResolvedTable): LogicalPlan = if (TableName.isServers(resolved.table)) resolved
    else {
      val decision = policy.decision(TableName.of(resolved.catalog, resolved.identifier, resolved.table))
      if (decision.restricted && TableName.isMetadata(resolved.table)) decision.requireUnrestricted("This")
      if (!decision.restricted || resolved.table.isInstanceOf[VisibleTable]) resolved
      else ResolvedTable.create(resolved.catalog, resolved.identifier, VisibleTable(resolved.table, decision))
    }
  }
}
