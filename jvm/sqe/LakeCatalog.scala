package org.apache.spark.sql.sqe

import java.util

import org.apache.iceberg.catalog.Catalog
import org.apache.iceberg.exceptions.ForbiddenException
import org.apache.iceberg.spark.SparkCatalog
import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException, NoSuchViewException}
import org.apache.spark.sql.connector.catalog.{Identifier, NamespaceChange, Table, View}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Iceberg's catalog for Spark, with two differences. The name that a JDBC catalog writes into its rows need not be the name
 * that a session knows it by (`stored-name`): a warehouse made as `lake` is the same warehouse when it is mounted as `sales`.
 * And what a catalog forbids looks like what it does not have: "forbidden" would tell that it exists.
 */
final class LakeCatalog extends SparkCatalog {
  override protected def buildIcebergCatalog(name: String, options: CaseInsensitiveStringMap): Catalog =
    super.buildIcebergCatalog(options.getOrDefault("stored-name", name), options)

  override def loadTable(table: Identifier): Table = hidden(new NoSuchTableException(table))(super.loadTable(table))

  override def loadTable(table: Identifier, version: String): Table =
    hidden(new NoSuchTableException(table))(super.loadTable(table, version))

  override def loadTable(table: Identifier, timestamp: Long): Table =
    hidden(new NoSuchTableException(table))(super.loadTable(table, timestamp))

  override def loadView(view: Identifier): View = hidden(new NoSuchViewException(view))(super.loadView(view))

  override def listTables(namespace: Array[String]): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace))(super.listTables(namespace))

  override def listViews(namespace: String*): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace.toArray))(super.listViews(namespace: _*))

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    hidden(new NoSuchNamespaceException(namespace))(super.listNamespaces(namespace))

  override def namespaceExists(namespace: Array[String]): Boolean =
    try super.namespaceExists(namespace)
    catch { case _: ForbiddenException => false }

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] =
    hidden(new NoSuchNamespaceException(namespace))(super.loadNamespaceMetadata(namespace))

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    hiddenUnlessSeen(namespace)(super.alterNamespace(namespace, changes: _*))

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean =
    hiddenUnlessSeen(namespace)(super.dropNamespace(namespace, cascade))

  private def hidden[T](missing: => Exception)(body: => T): T =
    try body
    catch { case _: ForbiddenException => throw missing }

  /** Who sees a schema may learn that changing it is forbidden. */
  private def hiddenUnlessSeen[T](namespace: Array[String])(body: => T): T =
    try body
    catch { case _: ForbiddenException if !namespaceExists(namespace) => throw new NoSuchNamespaceException(namespace) }
}
