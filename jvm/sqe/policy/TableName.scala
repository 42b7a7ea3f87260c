package org.apache.spark.sql.sqe.policy

import java.util.Locale.ROOT

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{BaseMetadataTable, MetadataTableType}
import org.apache.iceberg.spark.source.{SparkChangelogTable, SparkTable}
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, StagedTable, Table}
import org.apache.spark.sql.connector.write.RowLevelOperationTable
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.sqe.{Failure, InsideTable, LocalTable}

/**
 * The names that decisions are made for: `catalog.schema.table` with the session's own name of the catalog, a part in
 * backticks when it holds a dot or a backtick, so that no two tables share a name. Branches, tags and snapshots of a table
 * have its name.
 */
object TableName {
  private val inside = MetadataTableType.values.map(_.name.toLowerCase(ROOT)).toSet + SparkChangelogTable.TABLE_NAME
  private val selectors = Seq("branch_", "tag_", "snapshot_id_", "at_timestamp_")

  def of(catalog: String, identifier: Identifier): String = of((catalog +: identifier.namespace.toSeq) :+ identifier.name)

  def of(parts: Seq[String]): String = parts.map { part =>
    if (part.exists(letter => letter == '.' || letter == '`')) s"`${part.replace("`", "``")}`" else part
  }.mkString(".")

  /** The table that a loaded one is, or lies inside of. Refused when that cannot be told. */
  def of(catalog: CatalogPlugin, identifier: Identifier, table: Table): String = {
    val asked = identifier.namespace.toSeq :+ identifier.name
    stored(table) match {
      case None => of(catalog.name +: asked)
      case Some(name) =>
        val parts = meant(identifier).flatMap(spelt(name, _)).headOption
          .getOrElse(throw new Failure.Refused("The table's own name does not fit the name that it was asked by"))
        of(catalog.name +: parts)
    }
  }

  /** What a name may mean: the table that is called so, or one that it lies inside of (`t.files`, `"t$files"`). */
  def meant(identifier: Identifier): Seq[Seq[String]] = {
    val asked = identifier.namespace.toSeq :+ identifier.name
    asked +: (Seq(asked.init).filter(_ => mayLieInside(identifier.name)) ++ InsideTable.split(identifier.name).map(asked.init :+ _._1))
  }

  /** The parts that were asked for, in the letters of the table's own name; None when it does not end in them. */
  private def spelt(name: String, asked: Seq[String]): Option[Seq[String]] = {
    val end = asked.mkString(".")
    val start = name.length - end.length
    if (asked.isEmpty || start < 1 || name.charAt(start - 1) != '.' || !name.substring(start).equalsIgnoreCase(end)) None
    else {
      val starts = asked.scanLeft(start)((at, part) => at + part.length + 1)
      Some(starts.zip(asked).map { case (at, part) => name.substring(at, at + part.length) })
    }
  }

  def of(relation: DataSourceV2Relation): String = (relation.catalog, relation.identifier) match {
    case (Some(catalog), Some(identifier)) => of(catalog, identifier, relation.table)
    case _ => throw new Failure.Refused("Tables outside the configured catalogs are not available")
  }

  /** `information_schema` and `system`: the server's own words, which say to each session only what it may know. */
  def isServers(table: Table): Boolean = table.isInstanceOf[LocalTable] && !table.isInstanceOf[InsideTable.Part]

  /** Whether a table shows more than the rows of its snapshot: files and bounds, past changes. */
  def isMetadata(table: Table): Boolean = table match {
    case rows: RowLevelOperationTable => isMetadata(rows.table)
    case _: SparkChangelogTable | _: InsideTable.Part => true
    case spark: SparkTable => spark.table.isInstanceOf[BaseMetadataTable]
    case _ => false
  }

  /** The columns that the table itself has now, also for what lies inside of it or in its past. */
  def columns(table: Table): Seq[String] = table match {
    case spark: SparkTable => (spark.table match {
        case metadata: BaseMetadataTable => metadata.table
        case whole => whole
      }).schema.columns.asScala.toSeq.map(_.name)
    case part: InsideTable.Part => part.wholeColumns
    case other => other.columns.toSeq.map(_.name)
  }

  /** Whether a name's last part may lie inside the table that the parts before it name. */
  def mayLieInside(part: String): Boolean = {
    val lower = part.toLowerCase(ROOT)
    inside(lower) || selectors.exists(lower.startsWith)
  }

  /** What Iceberg calls the table, with a name of the catalog that may not be the session's. */
  private def stored(table: Table): Option[String] = table match {
    case visible: VisibleTable => Some(visible.name)
    case _: StagedTable => None // not there yet: it has the name that it was asked by
    case rows: RowLevelOperationTable => stored(rows.table)
    case part: InsideTable.Part => Some(part.whole)
    case spark: SparkTable => spark.table match {
      case metadata: BaseMetadataTable => Some(metadata.table.name)
      case whole => Some(whole.name)
    }
    case other => throw new Failure.Refused(s"Tables of this kind are not available (${other.getClass.getSimpleName})")
  }
}
