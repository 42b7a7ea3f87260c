package org.apache.spark.sql.sqe

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{MetadataTableType, MetadataTableUtils}
import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.connector.catalog.{Identifier, Table}
import org.apache.spark.sql.types.StringType

/** `"t$snapshots"`: Trino's names for what lies inside a table, beside Iceberg's `t.snapshots`. */
object InsideTable {
  private val ours = Set("properties", "column_stats")

  /** The table and the part that a name means; the part in lower case. */
  def unapply(name: Identifier): Option[(Identifier, String)] = split(name.name).map { case (table, part) => Identifier.of(name.namespace, table) -> part }

  def split(name: String): Option[(String, String)] = {
    val at = name.lastIndexOf('$')
    val part = name.substring(at + 1).toLowerCase(Locale.ROOT)
    if (at > 0 && (ShortNames.isMetadata(part) || ours(part))) Some(name.substring(0, at) -> part) else None
  }

  /** `now`: not of an earlier version. Then the table itself is asked for: Iceberg would ask the catalog for a schema `t` first. */
  def load(table: Identifier, part: String, now: Boolean, iceberg: Identifier => Table): Table =
    if (!ours(part) && !(now && MetadataTableType.from(part) != null)) iceberg(Identifier.of(table.namespace :+ table.name, part))
    else iceberg(table) match {
      case found: SparkTable if !ours(part) =>
        new SparkTable(MetadataTableUtils.createMetadataTableInstance(found.table, MetadataTableType.from(part)))
      case found: SparkTable if part == "properties" => new Properties(s"$table$$properties", found)
      case found: SparkTable => new ColumnStats(s"$table$$column_stats", found.table)
      case _ => throw new Failure.Refused("Only Iceberg tables have this")
    }

  /** One that is read as a part of a table, and whose rights are the table's. */
  trait Part {
    /** Iceberg's name of the table, and its columns. */
    def whole: String
    def wholeColumns: Seq[String]
  }

  private final class Properties(name: String, table: SparkTable) extends LocalTable(name, "key" -> StringType, "value" -> StringType) with Part {
    override def whole: String = table.table.name
    override def wholeColumns: Seq[String] = table.table.schema.columns.asScala.toSeq.map(_.name)
    override protected def rows(only: LocalTable.Only): Seq[Seq[Any]] =
      table.table.properties.asScala.toSeq.sorted.map { case (key, value) => Seq(key, value) }
  }
}
