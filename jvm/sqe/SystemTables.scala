package org.apache.spark.sql.sqe

import java.sql.Types
import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, Identifier}
import org.apache.spark.sql.types._

/**
 * The tables of the catalog `system`, under Trino's names. `runtime` is what Python hands over; `metadata` and `jdbc` are what
 * `information_schema` of each of the session's catalogs tells, and so what its user can see there.
 */
object SystemTables {
  private val text = StringType
  private val number = LongType

  private val runtime: Map[String, LocalTable] = Seq(
    new SystemCatalog.Given("queries",
      "query_id" -> text, "state" -> text, "user" -> text, "source" -> text, "query" -> text, "statement" -> text,
      "created" -> TimestampType, "elapsed_ms" -> number, "rows" -> number, "bytes" -> number, "affected_rows" -> number,
      "error_code" -> text, "error_message" -> text),
    new SystemCatalog.Given("tasks",
      "node_id" -> text, "task_id" -> text, "query_id" -> text, "state" -> text, "splits" -> number, "running_splits" -> number,
      "completed_splits" -> number, "output_rows" -> number, "created" -> TimestampType),
    new SystemCatalog.Given("nodes",
      "node_id" -> text, "http_uri" -> text, "node_version" -> text, "coordinator" -> BooleanType, "state" -> text)
  ).map(table => table.name.split('.').last -> table).toMap

  private def made(schema: String, name: String, columns: Seq[(String, DataType)])(make: Map[String, Set[String]] => Seq[Seq[Any]]): (String, LocalTable) =
    name -> new LocalTable(s"system.$schema.$name", columns: _*) {
      override protected def rows(only: Map[String, Set[String]]): Seq[Seq[Any]] = make(only)
    }

  private def texts(names: String): Seq[(String, DataType)] = names.split(" ").toSeq.map(_ -> text)

  private lazy val metadata: Map[String, LocalTable] = Map(
    made("metadata", "catalogs", texts("catalog_name connector_id connector_name"))(_ => lakes.map(lake => Seq(lake.name, lake.name, "iceberg"))),
    made("metadata", "table_comments", texts("catalog_name schema_name table_name comment"))(only =>
      asked("tables", only, "catalog_name", "schema_name", "table_name").map(row => row.take(3) :+ comment(row))),
    made("metadata", "materialized_views", texts("catalog_name schema_name name definition"))(_ => Nil))

  private lazy val jdbc: Map[String, LocalTable] = Map(
    made("jdbc", "catalogs", texts("table_cat"))(_ => lakes.map(lake => Seq(lake.name))),
    made("jdbc", "schemas", texts("table_schem table_catalog"))(only =>
      asked("schemata", only, "table_catalog", "table_schem", "").map(row => Seq(row(1), row.head))),
    made("jdbc", "tables", texts("table_cat table_schem table_name table_type remarks type_cat type_schem type_name self_referencing_col_name ref_generation"))(only =>
      asked("tables", only, "table_cat", "table_schem", "table_name").map(row =>
        row.take(3) ++ Seq(if (row(3) == "VIEW") "VIEW" else "TABLE", null, null, null, null, null, null))),
    made("jdbc", "table_types", texts("table_type"))(_ => Seq(Seq("TABLE"), Seq("VIEW"))),
    made("jdbc", "columns", texts("table_cat table_schem table_name column_name") ++ Seq("data_type" -> number, "type_name" -> text,
      "column_size" -> number, "decimal_digits" -> number, "num_prec_radix" -> number, "nullable" -> number, "remarks" -> text, "column_def" -> text,
      "ordinal_position" -> number, "is_nullable" -> text))(only =>
      asked("columns", only, "table_cat", "table_schem", "table_name").map(column)),
    made("jdbc", "types", Seq("type_name" -> text, "data_type" -> number, "nullable" -> number))(_ => types.map { case (name, code) => Seq(name, code, 1L) }))

  private def all: Map[String, Map[String, LocalTable]] = Map("runtime" -> runtime, "metadata" -> metadata, "jdbc" -> jdbc)

  val schemas: Seq[String] = Seq("jdbc", "metadata", "runtime")

  def names(schema: String): Seq[String] = all(schema).keys.toSeq.sorted

  def find(schema: String, table: String): Option[LocalTable] = all(schema).get(table)

  private def spark: SparkSession = SparkSession.active

  /** Those that answer: one that is down hides no other. */
  private def lakes: Seq[LakeCatalog] = {
    val prefix = "spark.sql.catalog."
    val manager: CatalogManager = spark.sessionState.catalogManager
    val configured = spark.sessionState.conf.getAllConfs.keys.filter(key => key.startsWith(prefix) && key.indexOf('.', prefix.length) < 0)
    configured.map(_.substring(prefix.length)).toSeq.sorted.flatMap(name => Try(manager.catalog(name)).toOption).collect { case lake: LakeCatalog => lake }
  }

  /** Rows of that table in each catalog's `information_schema`, with the conditions that it understands. */
  private def asked(table: String, only: Map[String, Set[String]], catalog: String, schema: String, name: String): Seq[Seq[Any]] = {
    val conditions = (only.get(schema).map((if (table == "schemata") "schema_name" else "table_schema") -> _) ++ only.get(name).map("table_name" -> _)).toMap
    lakes.filter(lake => only.get(catalog).forall(_(lake.name))).flatMap(lake =>
      Try(lake.loadTable(Identifier.of(Array(InformationSchema.name), table)).asInstanceOf[LocalTable].read(conditions)).getOrElse(Nil))
  }

  private def comment(row: Seq[Any]): String = Try {
    val lake = spark.sessionState.catalogManager.catalog(row.head.toString).asInstanceOf[LakeCatalog]
    lake.loadTable(Identifier.of(row(1).toString.split('.'), row(2).toString)).properties.get("comment")
  }.getOrElse(null)

  /** Of `information_schema.columns`: catalog, schema, table, column, position, default, nullable, type, comment. */
  private def column(row: Seq[Any]): Seq[Any] = {
    val name = row(7).toString
    val kind = Try(DataType.fromDDL(name)).getOrElse(StringType)
    val (size, digits) = kind match {
      case decimal: DecimalType => (Some(decimal.precision.toLong), Some(decimal.scale.toLong))
      case _ => (None, None)
    }
    row.take(4) ++ Seq(code(kind), name, size, digits, size.map(_ => 10L), if (row(6) == "YES") 1L else 0L, row(8), row(5), row(4).asInstanceOf[Int].toLong, row(6))
  }

  private val types: Seq[(String, Long)] = Seq("boolean" -> Types.BOOLEAN, "tinyint" -> Types.TINYINT, "smallint" -> Types.SMALLINT, "int" -> Types.INTEGER,
    "bigint" -> Types.BIGINT, "float" -> Types.REAL, "double" -> Types.DOUBLE, "decimal" -> Types.DECIMAL, "string" -> Types.VARCHAR, "binary" -> Types.VARBINARY,
    "date" -> Types.DATE, "timestamp" -> Types.TIMESTAMP_WITH_TIMEZONE, "timestamp_ntz" -> Types.TIMESTAMP, "array" -> Types.ARRAY, "struct" -> Types.JAVA_OBJECT,
    "map" -> Types.JAVA_OBJECT, "variant" -> Types.JAVA_OBJECT).map { case (name, code) => name -> code.toLong }

  private def code(kind: DataType): Long =
    types.toMap.getOrElse(kind.catalogString.takeWhile(char => char.isLetter || char == '_').toLowerCase(Locale.ROOT), Types.JAVA_OBJECT.toLong)
}
