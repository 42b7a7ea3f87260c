package org.apache.spark.sql.sqe

import java.util

import org.apache.iceberg.MetadataColumns
import org.apache.iceberg.spark.source.SparkChangelogTable
import org.apache.spark.sql.connector.catalog.{MetadataColumn, SupportsMetadataColumns, SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * `t.changes`. Iceberg 1.12 looks for `_change_type` and its like among the table's own columns when they are in a condition,
 * and makes rows with all three of them whichever were selected: such conditions stay with Spark, and all three are read.
 */
final class Changelog(table: SparkChangelogTable) extends Table with SupportsRead with SupportsMetadataColumns with InsideTable.Part {
  override def name: String = table.name

  override def whole: String = table.name.stripSuffix(s".${SparkChangelogTable.TABLE_NAME}")

  override def wholeColumns: Seq[String] = schema.fieldNames.toSeq.filterNot(Changelog.columns)

  override def schema: StructType = table.schema

  override def capabilities: util.Set[TableCapability] = table.capabilities

  override def metadataColumns: Array[MetadataColumn] = table.metadataColumns

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new Builder(table.newScanBuilder(options))

  private final class Builder(iceberg: ScanBuilder) extends ScanBuilder with SupportsPushDownV2Filters with SupportsPushDownRequiredColumns {
    override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
      val (own, rest) = predicates.partition(_.references.exists(column => Changelog.columns(column.fieldNames.head)))
      own ++ (iceberg match {
        case filtering: SupportsPushDownV2Filters => filtering.pushPredicates(rest)
        case _ => rest
      })
    }

    override def pushedPredicates: Array[Predicate] = iceberg match {
      case filtering: SupportsPushDownV2Filters => filtering.pushedPredicates
      case _ => Array.empty
    }

    override def pruneColumns(required: StructType): Unit = iceberg match {
      case pruning: SupportsPushDownRequiredColumns =>
        val (own, data) = schema.partition(field => Changelog.columns(field.name))
        val wanted = required.filterNot(field => Changelog.columns(field.name))
        pruning.pruneColumns(StructType((if (wanted.isEmpty) data.take(1) else wanted) ++ own))
      case _ =>
    }

    override def build(): Scan = iceberg.build()
  }
}

object Changelog {
  private val columns = Set(MetadataColumns.CHANGE_TYPE, MetadataColumns.CHANGE_ORDINAL, MetadataColumns.COMMIT_SNAPSHOT_ID).map(_.name)
}
