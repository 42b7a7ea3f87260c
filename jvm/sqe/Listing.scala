package org.apache.spark.sql.sqe

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.sqe.policy.{SessionPolicy, ShownViews, TableName}
import org.apache.spark.sql.types.StructType

/** Names and schemas for the doors' metadata calls, straight from the catalog: no statement, no job. */
object Listing {
  private def catalog(spark: SparkSession, name: String): CatalogPlugin = spark.sessionState.catalogManager.catalog(name)

  /** All namespaces, nested ones with their dotted names. */
  def namespaces(spark: SparkSession, name: String): Seq[String] = catalog(spark, name) match {
    case nested: SupportsNamespaces =>
      def below(parent: Array[String]): Seq[Array[String]] = {
        val children = if (parent.isEmpty) nested.listNamespaces() else nested.listNamespaces(parent)
        Failure.PolicyNeeded.together(children.toSeq)(child => child +: below(child)).flatten
      }
      below(Array.empty).map(_.mkString(".")).distinct.sorted
    case _ => Nil
  }

  def tables(spark: SparkSession, name: String, namespace: String): Seq[Map[String, String]] = {
    val parts = namespace.split('.')
    val (views, tables) = catalog(spark, name) match {
      case both: TableCatalog with ViewCatalog => (names(both.listViews(parts.toIndexedSeq: _*)), names(both.listTables(parts)))
      case only: TableCatalog => (Set.empty[String], names(only.listTables(parts)))
      case _ => (Set.empty[String], Set.empty[String])
    }
    ((tables -- views).map(_ -> "TABLE") ++ views.map(_ -> "VIEW")).toSeq.sorted.map { case (table, kind) => Map("name" -> table, "type" -> kind) }
  }

  def schema(spark: SparkSession, name: String, namespace: String, table: String): String = {
    val identifier = Identifier.of(namespace.split('.'), table)
    val found: StructType = catalog(spark, name) match {
      case lake: LakeCatalog =>
        try CatalogV2Util.v2ColumnsToStructType(lake.loadTable(identifier).columns())
        catch { case _: NoSuchTableException => ShownViews.of(lake, spark, identifier).schema() }
      case only: TableCatalog => CatalogV2Util.v2ColumnsToStructType(only.loadTable(identifier).columns())
      case _ => new StructType
    }
    val visible = SessionPolicy.binding(spark).fold(found) { policy =>
      val decision = policy.decision(TableName.of(name, identifier))
      StructType(found.filterNot(field => decision.isHidden(field.name)))
    }
    ArrowSchema.encode(CharVarcharUtils.replaceCharVarcharWithStringInSchema(visible), spark.sessionState.conf.sessionLocalTimeZone)
  }

  /** Field id, name and type of each column; a view's have no ids. */
  def columns(spark: SparkSession, name: String, namespace: String, table: String): Seq[Seq[Any]] = {
    val identifier = Identifier.of(namespace.split('.'), table)
    catalog(spark, name) match {
      case lake: LakeCatalog => Try(lake.loadTable(identifier)).map {
          case iceberg: SparkTable => iceberg.table.schema.columns.asScala.toSeq.zip(iceberg.columns).map { case (field, column) =>
              Seq[Any](field.fieldId, field.name, column.dataType.sql)
            }
          case other => other.columns.toSeq.map(column => Seq[Any](0, column.name, column.dataType.sql))
        }.getOrElse(lake.loadView(identifier).schema.fields.toSeq.map(field => Seq[Any](0, field.name, field.dataType.sql)))
      case _ => Nil
    }
  }

  private def names(identifiers: Array[Identifier]): Set[String] = identifiers.map(_.name).toSet
}
