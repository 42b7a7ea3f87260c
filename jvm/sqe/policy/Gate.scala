package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, LookupCatalog, View}
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.sqe.{Failure, InformationSchema, InsideTable, LakeCatalog}

/** The first look at a statement, before any of it is resolved: some statements run while Spark resolves them. */
final class Gate(spark: SparkSession, policy: SessionPolicy) extends LookupCatalog {
  override protected lazy val catalogManager: CatalogManager = spark.sessionState.catalogManager

  /** The plan with what runs during analysis made safe; what is not known is refused. */
  def passed(plan: LogicalPlan): LogicalPlan = plan match {
    case explain: ExplainCommand => SecuredExplain(explain.logicalPlan, explain.mode)
    case call: Call => new Procedures(spark, policy).allowed(call)
    case _ =>
      plan.foreach {
        case write: V2WriteCommand if !write.isInstanceOf[AppendData] => mayOverwrite(write)
        case command @ (_: Command | _: ParsedStatement | _: ExecutableDuringAnalysis) if !Verifier.isKnown(command) =>
          throw new Failure.Refused(s"This statement is not available to users with a policy (${command.nodeName})")
        case _ =>
      }
      plan
  }

  /** Before Spark compares the rows with the columns, the hidden ones among them. */
  private def mayOverwrite(write: V2WriteCommand): Unit = write.table match {
    case target: UnresolvedRelation => tables(target.multipartIdentifier).foreach(policy.decision(_).requireUnrestricted("Overwriting"))
    case _ =>
  }

  /** Asks for all decisions at once, before a catalog is asked for anything. A wrong guess of a name does no harm. */
  def needsDecisions(plan: LogicalPlan): Unit = policy.needs(names(plan).filterNot(temporary).flatMap(tables).distinct)

  /** What the body of a view names, with the catalog and schema that were current when it was made. */
  def tablesOf(view: View): Seq[String] = {
    val body = spark.sessionState.sqlParser.parsePlan(view.query)
    val common = body.collectWithSubqueries { case ctes: UnresolvedWith => ctes.cteRelations.map(_._1) }.flatten
    names(body).distinct.filterNot(name => name.size == 1 && common.exists(_.equalsIgnoreCase(name.head))).map { name =>
      val whole = name match {
        case Seq(_) => (view.currentCatalog +: view.currentNamespace.toSeq) ++ name
        case parts if catalogManager.isCatalogRegistered(parts.head) => parts
        case parts => view.currentCatalog +: parts
      }
      tables(whole).getOrElse(TableName.of(whole))
    }
  }

  private def names(plan: LogicalPlan): Seq[Seq[String]] = {
    val found = Seq.newBuilder[Seq[String]]
    def look(plan: LogicalPlan): Unit = plan.foreach { node =>
      node match {
        case relation: UnresolvedRelation => found += relation.multipartIdentifier
        case table: UnresolvedTable => found += table.multipartIdentifier
        case either: UnresolvedTableOrView => found += either.multipartIdentifier
        case view: UnresolvedView => found += view.multipartIdentifier
        case name: UnresolvedIdentifier => found += name.nameParts
        case insert: InsertIntoStatement => look(insert.table)
        case travel: RelationTimeTravel => look(travel.relation)
        case write: V2WriteCommand => look(write.table)
        case explain: ExplainCommand => look(explain.logicalPlan)
        case ctes: UnresolvedWith => ctes.cteRelations.foreach(relation => look(relation._2))
        case _ =>
      }
      Verifier.namedTable(node).foreach(found += _)
      node.expressions.foreach(_.foreach {
        case sub: SubqueryExpression => look(sub.plan)
        case _ =>
      })
    }
    look(plan)
    found.result()
  }

  private def temporary(name: Seq[String]): Boolean = spark.sessionState.catalog.isTempView(name)

  private def tables(name: Seq[String]): Option[String] = {
    val (whole, inside) = name match {
      case Seq(_, part) if TableName.mayLieInside(part) => (name.init, true)
      case parts if parts.size > 2 && TableName.mayLieInside(parts.last) => (name.init, true)
      case parts => (InsideTable.split(parts.last).fold(parts) { case (table, _) => parts.init :+ table }, false)
    }
    whole match {
      case CatalogAndIdentifier(catalog: LakeCatalog, identifier)
          if (identifier.namespace.nonEmpty || !inside) && !InformationSchema.is(identifier.namespace) =>
        Some(TableName.of(catalog.name, identifier))
      case _ => None
    }
  }
}
