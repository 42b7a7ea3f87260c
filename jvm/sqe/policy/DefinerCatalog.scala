package org.apache.spark.sql.sqe.policy

import java.util

import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The catalog of a policy's lookup tables and of a definer's view: reads tables for whoever may not see them. That a relation
 * has it is the proof that a policy or a view put it there; no statement can.
 */
final class DefinerCatalog(catalog: TableCatalog) extends TableCatalog {
  override def name(): String = catalog.name
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {}
  override def loadTable(table: Identifier): Table = Trusted(catalog.loadTable(table))
  override def loadTable(table: Identifier, version: String): Table = Trusted(catalog.loadTable(table, version))
  override def loadTable(table: Identifier, timestamp: Long): Table = Trusted(catalog.loadTable(table, timestamp))
  override def listTables(namespace: Array[String]): Array[Identifier] = readOnly
  override def createTable(
      table: Identifier, columns: Array[Column], partitions: Array[Transform], properties: util.Map[String, String]): Table = readOnly
  override def alterTable(table: Identifier, changes: TableChange*): Table = readOnly
  override def dropTable(table: Identifier): Boolean = readOnly
  override def renameTable(from: Identifier, to: Identifier): Unit = readOnly
  override def equals(other: Any): Boolean = other match {
    case same: DefinerCatalog => same.name() == name()
    case _ => false
  }
  override def hashCode: Int = name().hashCode

  private def readOnly: Nothing = throw new UnsupportedOperationException("read only")
}

object DefinerCatalog {
  def of(catalog: CatalogPlugin): CatalogPlugin = catalog match {
    case done: DefinerCatalog => done
    case tables: TableCatalog => new DefinerCatalog(tables)
    case other => other
  }
}
