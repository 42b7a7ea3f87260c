package org.apache.spark.sql.sqe.policy

import java.util

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{Column, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform

/**
 * What DESCRIBE and SHOW tell of a restricted table: its visible columns, and no property, statistic or partition that speaks
 * of others. It can be neither read nor written.
 */
final class VisibleTable(table: Table, decision: Decision) extends Table {
  override def name(): String = decision.table

  override def columns(): Array[Column] = table.columns.filterNot(column => decision.isHidden(column.name))

  override def partitioning(): Array[Transform] =
    table.partitioning.filterNot(_.references.exists(reference => decision.isHidden(reference.fieldNames.head)))

  override def properties(): util.Map[String, String] =
    table.properties.asScala.filter { case (key, _) => VisibleTable.harmless(key) }.asJava

  override def capabilities(): util.Set[TableCapability] = util.Set.of()
}

object VisibleTable {
  /** The rest may hold column names, bounds, places and the ids of snapshots. */
  private[policy] val harmless = Set("provider", "format", "format-version", "comment", "owner")

  def apply(table: Table, decision: Decision): Table = if (decision.restricted) new VisibleTable(table, decision) else table
}
