package org.apache.spark.sql.sqe

import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, NoSuchViewException}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.types.StructType

/**
 * The columns of a table by Iceberg's field ids, which renames keep: policies that name columns or tags are made from them.
 * Straight from the catalog and so without any policy; for decisions only, never for an answer to a user.
 */
object ColumnFacts {
  def of(spark: SparkSession, catalog: String, namespace: String, table: String): Seq[Seq[Any]] = {
    val identifier = Identifier.of(namespace.split('.'), table)
    spark.sessionState.catalogManager.catalog(catalog) match {
      case both: TableCatalog with ViewCatalog =>
        try columns(both.loadTable(identifier))
        catch {
          case missing: NoSuchTableException =>
            try columns(both.loadView(identifier).schema)
            catch { case _: NoSuchViewException => throw missing }
        }
      case only: TableCatalog => columns(only.loadTable(identifier))
      case _ => throw new NoSuchTableException(identifier)
    }
  }

  private def columns(table: Table): Seq[Seq[Any]] = table match {
    case iceberg: SparkTable =>
      val schema = iceberg.table.schema
      SparkSchemaUtil.convert(schema).fields.toSeq.map(field => Seq(schema.findField(field.name).fieldId, field.name, field.dataType.sql))
    case other => columns(CatalogV2Util.v2ColumnsToStructType(other.columns()))
  }

  private def columns(schema: StructType): Seq[Seq[Any]] = schema.fields.toSeq.map(field => Seq(0, field.name, field.dataType.sql))
}
