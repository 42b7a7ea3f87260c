package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns.CURRENT_DEFAULT_COLUMN_METADATA_KEY
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.errors.QueryCompilationErrors
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.sqe.Failure

/** INSERT: into visible, unmasked columns only, and only rows that the writer could see. */
final class Inserts(spark: SparkSession, policy: SessionPolicy) {
  /** An INSERT with its target loaded. Spark's own names of missing columns would show the hidden ones, so they are checked here. */
  def release(insert: PendingInsert, writes: Set[String]): LogicalPlan = EliminateSubqueryAliases(insert.target) match {
    case relation: DataSourceV2Relation =>
      val decision = policy.decision(TableName.of(relation))
      writes.foreach(decision.require)
      if (!decision.restricted) statement(insert, relation, insert.columns.named, insert.columns.byName)
      else restricted(insert, relation, decision)
    case unresolved: UnresolvedRelation => unresolved.failAnalysis("TABLE_OR_VIEW_NOT_FOUND", Map("relationName" -> unresolved.name))
    case _ => throw new Failure.Refused("Only tables can be inserted into")
  }

  private def restricted(insert: PendingInsert, relation: DataSourceV2Relation, decision: Decision): LogicalPlan = {
    if (insert.columns.overwrite || TableName.isMetadata(relation.table)) decision.requireUnrestricted("Overwriting")
    if (relation.table.capabilities.contains(TableCapability.ACCEPT_ANY_SCHEMA) || !relation.options.isEmpty)
      decision.requireUnrestricted("Writing with another schema or with options")
    if (Explain.now) throw new Explain.NotShown(decision.table)
    if (decision.hidden.isEmpty && decision.masks.isEmpty) statement(insert, relation, insert.columns.named, insert.columns.byName)
    else if (insert.columns.byName && !insert.query.resolved) insert
    else {
      val columns = chosen(insert, relation, decision)
      (columns ++ insert.columns.partition.keys).foreach(writable(_, relation, decision))
      relation.output.filter(column => decision.isHidden(column.name)).foreach(mayStayEmpty(_, decision))
      statement(insert, relation, columns, byName = false)
    }
  }

  private def chosen(insert: PendingInsert, relation: DataSourceV2Relation, decision: Decision): Seq[String] = {
    val fixed = insert.columns.partition.collect { case (name, Some(_)) => name }
    if (insert.columns.byName) insert.query.output.map(_.name)
    else if (insert.columns.named.nonEmpty) insert.columns.named
    else visible(relation, decision).map(_.name).filterNot(name => fixed.exists(same(_, name)))
  }

  private def statement(insert: PendingInsert, relation: DataSourceV2Relation, named: Seq[String], byName: Boolean): LogicalPlan =
    InsertIntoStatement(
      relation, insert.columns.partition, named, insert.query, insert.columns.overwrite, insert.columns.ifPartitionNotExists, byName)

  /** Rows on their way into a table with a row filter, with the check that PostgreSQL calls WITH CHECK. */
  def checked(append: AppendData): LogicalPlan = append.table match {
    case relation: DataSourceV2Relation if append.resolved => policy.decision(TableName.of(relation)) match {
      case decision @ Decision(_, _, Some(filter), _, _, _) if !Inserts.isChecked(append.query) =>
        val parts = spark.sessionState.sqlParser.parseMultipartIdentifier(decision.table)
        append.withNewQuery(new PolicyText(spark, parts).checked(filter, asColumns(append.query, relation)))
      case _ => append
    }
    case _ => append
  }

  private def asColumns(query: LogicalPlan, relation: DataSourceV2Relation): LogicalPlan = {
    val pairs = query.output.zip(relation.output)
    if (pairs.forall { case (value, column) => value.name == column.name }) query
    else Project(pairs.map { case (value, column) => if (value.name == column.name) value else Alias(value, column.name)() }, query)
  }

  private def visible(relation: DataSourceV2Relation, decision: Decision): Seq[Attribute] =
    relation.output.filterNot(column => decision.isHidden(column.name))

  private def writable(name: String, relation: DataSourceV2Relation, decision: Decision): Unit = {
    val columns = visible(relation, decision).map(_.name)
    if (!columns.exists(same(_, name))) throw QueryCompilationErrors.unresolvedColumnError(name, columns)
    if (decision.mask(name).isDefined) throw Failure.Denied(s"Column $name is masked for you and cannot be written")
  }

  private def mayStayEmpty(column: Attribute, decision: Decision): Unit =
    if (!column.nullable && !column.metadata.contains(CURRENT_DEFAULT_COLUMN_METADATA_KEY))
      throw Failure.Denied(s"You may not insert into ${decision.table}: it needs values that you may not give")

  private def same(one: String, other: String): Boolean = spark.sessionState.conf.resolver(one, other)
}

object Inserts {
  def isChecked(query: LogicalPlan): Boolean = query match {
    case Filter(_: RowCheck, _) => true
    case Project(_, child) => isChecked(child)
    case _ => false
  }
}
