package org.apache.spark.sql.sqe.policy

import java.util.Locale.ROOT

import org.apache.iceberg.spark.Spark3Util
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{ResolvedProcedure, UnresolvedProcedure}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical.Call
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, LookupCatalog}
import org.apache.spark.sql.connector.catalog.procedures.{BoundProcedure, ProcedureParameter, UnboundProcedure}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.sqe.{Failure, LakeCatalog}
import org.apache.spark.sql.types.StructType

/**
 * CALL. Spark runs a procedure while it analyzes the statement, so it is judged before: a procedure works on a whole table,
 * for somebody who may maintain it and sees all of it.
 */
final class Procedures(spark: SparkSession, policy: SessionPolicy) extends LookupCatalog {
  override protected lazy val catalogManager: CatalogManager = spark.sessionState.catalogManager

  def allowed(call: Call): Call = call.procedure match {
    case ResolvedProcedure(_, _, _: TrustedProcedure | _: TrustedBoundProcedure) => call
    case UnresolvedProcedure(CatalogAndIdentifier(catalog: LakeCatalog, procedure)) =>
      def trusted = call.copy(procedure =
        ResolvedProcedure(catalog, procedure, new TrustedProcedure(Trusted(catalog.loadProcedure(procedure)), policy)))
      def refused = Failure.Denied(s"The procedure ${procedure.name} is not allowed to users with a policy")
      if (Procedures.harmless(procedure.name.toLowerCase(ROOT))) return trusted
      val actions = Procedures.actions.getOrElse(procedure.name.toLowerCase(ROOT), throw refused)
      val target = Spark3Util.catalogAndIdentifier("the procedure's table", spark, tableOf(call), catalog)
      val decision = policy.decision(tableName(target))
      if (!actions.exists(decision.allows)) decision.require(actions.head)
      decision.requireUnrestricted(s"The procedure ${procedure.name}")
      trusted
    case _ => throw new Failure.Refused("Procedures outside the configured catalogs are not available")
  }

  /** As it is stored: a procedure finds its table in any spelling. */
  private def tableName(target: Spark3Util.CatalogAndIdentifier): String = target.catalog match {
    case lake: LakeCatalog => TableName.of(lake, target.identifier, lake.loadTable(target.identifier))
    case _ => throw new Failure.Refused("Tables outside the configured catalogs are not available")
  }

  /** The argument `table`, by its name or in the first place. As a text: an expression could mean another table when it runs. */
  private def tableOf(call: Call): String = {
    def text(value: Expression): String = value match {
      case Literal(name, _) if name != null => name.toString
      case _ => throw new Failure.Refused("The table of a procedure must be written as a text")
    }
    call.args.collectFirst { case NamedArgumentExpression(name, value) if name.equalsIgnoreCase("table") => text(value) }
      .orElse(call.args.headOption.filterNot(_.isInstanceOf[NamedArgumentExpression]).map(text))
      .getOrElse(throw new Failure.Refused("The procedure wants the name of a table"))
  }
}

object Procedures {
  /** Of no table. */
  private val harmless = Set("refresh_catalog_cache")

  private val maintaining = Seq("maintain", "alter")

  /** By procedure, what a user must be allowed: one of these. Each has its table as the first argument or the one named `table`. */
  private val actions: Map[String, Seq[String]] = Map(
    "ancestors_of" -> Seq("select"),
    "table_health" -> Seq("select"),
    "create_changelog_view" -> Seq("select")) ++
    Seq("rollback_to_snapshot", "rollback_to_timestamp", "set_current_snapshot", "cherrypick_snapshot", "publish_changes", "fast_forward",
      "expire_snapshots", "remove_orphan_files", "rewrite_data_files", "rewrite_manifests", "rewrite_position_delete_files",
      "compute_table_stats", "compute_partition_stats").map(_ -> maintaining)
}

/** A procedure that was allowed: it alone can be loaded and runs with the rights to the whole table. */
final class TrustedProcedure(procedure: UnboundProcedure, policy: SessionPolicy) extends UnboundProcedure {
  override def name(): String = procedure.name
  override def description(): String = procedure.description
  override def bind(inputType: StructType): BoundProcedure = new TrustedBoundProcedure(procedure.bind(inputType), policy)
}

final class TrustedBoundProcedure(procedure: BoundProcedure, policy: SessionPolicy) extends BoundProcedure {
  override def name(): String = procedure.name
  override def description(): String = procedure.description
  override def parameters(): Array[ProcedureParameter] = procedure.parameters
  override def isDeterministic: Boolean = procedure.isDeterministic
  override def call(input: InternalRow): java.util.Iterator[Scan] = policy.procedure(procedure.call(input))
}
