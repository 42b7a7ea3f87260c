package org.apache.spark.sql.sqe

import java.util

import org.apache.spark.sql.catalyst.analysis.{NoSuchFunctionException, NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Spark's built-in catalog, empty. The one that Spark has makes tables of any data source over any path of the server
 * (`CREATE TABLE spark_catalog.default.t USING csv LOCATION '/etc/…'`), and all sessions share it.
 */
final class NoSessionCatalog extends CatalogExtension {
  override def name(): String = CatalogManager.SESSION_CATALOG_NAME

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {}

  override def setDelegateCatalog(delegate: CatalogPlugin): Unit = {}

  override def defaultNamespace(): Array[String] = Array("default")

  override def listNamespaces(): Array[Array[String]] = Array.empty

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] = missing(namespace)

  override def namespaceExists(namespace: Array[String]): Boolean = false

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] = missing(namespace)

  override def createNamespace(namespace: Array[String], metadata: util.Map[String, String]): Unit = missing(namespace)

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = missing(namespace)

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = missing(namespace)

  override def listTables(namespace: Array[String]): Array[Identifier] = missing(namespace)

  override def loadTable(table: Identifier): Table = throw new NoSuchTableException(table)

  override def createTable(table: Identifier, info: TableInfo): Table = missing(table.namespace)

  override def alterTable(table: Identifier, changes: TableChange*): Table = throw new NoSuchTableException(table)

  override def dropTable(table: Identifier): Boolean = false

  override def renameTable(from: Identifier, to: Identifier): Unit = throw new NoSuchTableException(from)

  override def listFunctions(namespace: Array[String]): Array[Identifier] = Array.empty

  override def loadFunction(function: Identifier): UnboundFunction = throw new NoSuchFunctionException(function)

  private def missing(namespace: Array[String]): Nothing = throw new NoSuchNamespaceException(namespace)
}
