package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation, UnresolvedTable, UnresolvedTableOrView}
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

/**
 * `t.snapshots` and `t.branch_b` mean those of the table t in the current schema. Iceberg alone takes `t` for a schema there
 * and finds them only by their full names. Runs on what Spark's own lookup has left unresolved: a real table wins.
 */
final case class ShortNames(spark: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case short @ UnresolvedRelation(ShortNames.InTable(name), _, _) => short.copy(multipartIdentifier = here(name))
    case short @ UnresolvedTable(ShortNames.InTable(name), _, _) => short.copy(multipartIdentifier = here(name))
    case short @ UnresolvedTableOrView(ShortNames.InTable(name), _, _) => short.copy(multipartIdentifier = here(name))
    case travel @ RelationTimeTravel(short @ UnresolvedRelation(ShortNames.InTable(name), _, _), _, _) =>
      travel.copy(relation = short.copy(multipartIdentifier = here(name)))
    case insert: InsertIntoStatement => insert.table match {
      case short @ UnresolvedRelation(ShortNames.InTable(name), _, _) => insert.copy(table = short.copy(multipartIdentifier = here(name)))
      case _ => insert
    }
  }

  private def here(name: Seq[String]): Seq[String] = {
    val manager = spark.sessionState.catalogManager
    manager.currentCatalog.name +: (manager.currentNamespace.toSeq ++ name)
  }
}

object ShortNames {
  private val metadataTables = org.apache.iceberg.MetadataTableType.values.map(_.name.toLowerCase(java.util.Locale.ROOT)).toSet
  private val prefixes = Seq("branch_", "tag_", "snapshot_id_", "at_timestamp_")

  /** Whether a name can mean something inside a table. */
  def isPart(name: String): Boolean = {
    val lower = name.toLowerCase(java.util.Locale.ROOT)
    isMetadata(lower) || prefixes.exists(lower.startsWith)
  }

  /** Of a name in lower case. */
  def isMetadata(part: String): Boolean = part == "changes" || metadataTables(part)

  /** A name of two parts whose second one lies inside a table. */
  private object InTable {
    def unapply(name: Seq[String]): Option[Seq[String]] = name match {
      case Seq(_, part) if isPart(part) => Some(name)
      case _ => None
    }
  }
}
