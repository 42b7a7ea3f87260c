package org.apache.spark.sql.sqe.policy

import java.util.Locale.ROOT

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{Schema, Table => IcebergTable}
import org.apache.iceberg.spark.source.SparkTable
import org.apache.iceberg.util.SnapshotUtil
import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeReference, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.sqe.Failure

/** A loaded table with its policy applied. One without restrictions stays exactly what Spark made of it. */
final class SecureTable(spark: SparkSession, policy: SessionPolicy) {
  def apply(relation: DataSourceV2Relation): LogicalPlan = if (TableName.isServers(relation.table)) relation
  else {
    val decision = policy.decision(TableName.of(relation))
    decision.require("select")
    if (!decision.restricted) relation
    else {
      if (TableName.isMetadata(relation.table)) decision.requireUnrestricted("Reading metadata")
      if (!relation.options.isEmpty) throw Failure.Denied(s"Reading ${decision.table} with options is not allowed to you")
      val parts = spark.sessionState.sqlParser.parseMultipartIdentifier(decision.table)
      val secured = new PolicyText(spark, parts).secured(decision, withNamesOfNow(relation, decision))
      if (Explain.now) ExplainedTable(secured.output.map(_.newInstance()), decision.table)
      else SecuredRelation(secured, decision.table, decision.rowFilter.isDefined)
    }
  }

  /**
   * The relation with the names that its columns have now, which the policy speaks of: a past snapshot has those of its time. A
   * column that is no more is left out, because no policy can speak of it.
   */
  private def withNamesOfNow(relation: DataSourceV2Relation, decision: Decision): LogicalPlan = relation.table match {
    case table: SparkTable =>
      val now = table.table.schema
      val known = now.columns.asScala.map(_.name.toLowerCase(ROOT)).toSet
      if (!(decision.hidden ++ decision.masks.keySet).subsetOf(known)) throw new Failure.PolicyUnusable(decision.table)
      val before = schemaOf(table, relation).columns.asScala
      val names = before.map(field => field.name -> Option(now.findField(field.fieldId)).map(_.name)).toMap
      val columns: Seq[Option[NamedExpression]] = relation.output.map { column =>
        names.getOrElse(column.name, throw new Failure.PolicyUnusable(decision.table)).map {
          case same if same == column.name => column
          case other => Alias(column, other)()
        }
      }
      if (columns.forall(_.exists(_.isInstanceOf[AttributeReference]))) relation
      // No predicate on a renamed column may reach Iceberg 1.12, which looks for it in the new schema and lists all columns in its error.
      else SecuredRelation(Project(columns.flatten, relation), decision.table, filtered = true)
    case _ => throw new Failure.Refused("Tables of this kind are not available")
  }

  private def schemaOf(table: SparkTable, relation: DataSourceV2Relation): Schema = {
    def has(schema: Schema): Boolean = schema.columns.asScala.map(_.name) == relation.output.map(_.name)
    val iceberg: IcebergTable = table.table
    val past = Option(table.snapshotId).filter(_ => table.branch == null && travels(relation))
    val schema = past.fold(iceberg.schema)(snapshot => SnapshotUtil.schemaFor(iceberg, snapshot))
    if (has(schema)) schema else throw new Failure.Refused("The table changed while the statement was planned")
  }

  private def travels(relation: DataSourceV2Relation): Boolean =
    relation.timeTravelSpec.isDefined || relation.identifier.exists(name => TableName.mayLieInside(name.name))
}
