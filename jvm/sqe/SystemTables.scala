package org.apache.spark.sql.sqe

import java.sql.{DatabaseMetaData, Types}

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogManager
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

  private def made(schema: String, name: String, columns: Seq[(String, DataType)])(make: LocalTable.Only => Seq[Seq[Any]]): (String, LocalTable) =
    name -> new LocalTable(s"system.$schema.$name", columns: _*) {
      override protected def rows(only: LocalTable.Only): Seq[Seq[Any]] = make(only)
    }

  private def texts(names: String): Seq[(String, DataType)] = names.split(" ").toSeq.map(_ -> text)

  private lazy val metadata: Map[String, LocalTable] = Map(
    made("metadata", "catalogs", texts("catalog_name connector_id connector_name"))(_ => lakes.map(lake => Seq(lake.name, lake.name, "iceberg"))),
    made("metadata", "table_comments", texts("catalog_name schema_name table_name comment"))(only =>
      each(only, "catalog_name", "schema_name", "table_name")(_.comments(_))),
    made("metadata", "materialized_views",
      texts("catalog_name schema_name name storage_catalog storage_schema storage_table freshness") ++ Seq("last_fresh_time" -> TimestampType) ++
        texts("comment definition"))(_ => Nil),
    made("metadata", "table_properties", texts(properties))(_ => lakes.flatMap(lake => tableProperties.map { case (name, kind, about) =>
      Seq(lake.name, name, null, kind, about)
    })),
    made("metadata", "schema_properties", texts(properties))(_ => lakes.map(lake => Seq(lake.name, "location", null, "varchar", "Location of the schema's tables"))),
    made("metadata", "column_properties", texts(properties))(_ => Nil),
    made("metadata", "analyze_properties", texts(properties))(_ => Nil),
    made("metadata", "materialized_view_properties", texts(properties))(_ => Nil))

  private val properties = "catalog_name property_name default_value type description"

  private val tableProperties = Seq(
    ("partitioning", "array(varchar)", "Partition transforms"), ("format", "varchar", "File format of the table"),
    ("format_version", "integer", "Iceberg table format version"), ("compression_codec", "varchar", "Compression codec of the files"),
    ("location", "varchar", "File system location of the table"))

  private lazy val jdbc: Map[String, LocalTable] = Map(
    made("jdbc", "catalogs", texts("table_cat"))(_ => lakes.map(lake => Seq(lake.name))),
    made("jdbc", "schemas", texts("table_schem table_catalog"))(only =>
      asked("schemata", only, "table_catalog", "table_schem", "").map(row => Seq(row(1), row.head))),
    made("jdbc", "tables", texts("table_cat table_schem table_name table_type remarks type_cat type_schem type_name self_referencing_col_name ref_generation"))(only =>
      asked("tables", only, "table_cat", "table_schem", "table_name").map(row =>
        row.take(3) ++ Seq(if (row(3) == "VIEW") "VIEW" else "TABLE", null, null, null, null, null, null))),
    made("jdbc", "table_types", texts("table_type"))(_ => Seq(Seq("TABLE"), Seq("VIEW"))),
    made("jdbc", "columns", columns(
      "table_cat table_schem table_name column_name *data_type type_name *column_size *buffer_length *decimal_digits *num_prec_radix *nullable remarks column_def " +
        "*sql_data_type *sql_datetime_sub *char_octet_length *ordinal_position is_nullable scope_catalog scope_schema scope_table *source_data_type " +
        "is_autoincrement is_generatedcolumn"))(only => each(only, "table_cat", "table_schem", "table_name")(_.columns(_)).map((column _).tupled)),
    made("jdbc", "types", columns(
      "type_name *data_type *precision literal_prefix literal_suffix create_params *nullable ?case_sensitive *searchable ?unsigned_attribute ?fixed_prec_scale " +
        "?auto_increment local_type_name *minimum_scale *maximum_scale *sql_data_type *sql_datetime_sub *num_prec_radix"))(_ => TrinoType.all.map(typeRow)),
    // Trino has no such things either; its driver asks for their columns.
    empty("attributes", "type_cat type_schem type_name attr_name *data_type attr_type_name *attr_size *decimal_digits *num_prec_radix *nullable remarks attr_def " +
      "*sql_data_type *sql_datetime_sub *char_octet_length *ordinal_position is_nullable scope_catalog scope_schema scope_table *source_data_type"),
    empty("procedures", "procedure_cat procedure_schem procedure_name remarks *procedure_type specific_name"),
    empty("procedure_columns", "procedure_cat procedure_schem procedure_name column_name *column_type *data_type type_name *precision *length *scale *radix *nullable " +
      "remarks column_def *sql_data_type *sql_datetime_sub *char_octet_length *ordinal_position is_nullable specific_name"),
    empty("pseudo_columns", "table_cat table_schem table_name column_name *data_type *column_size *decimal_digits *num_prec_radix column_usage remarks *char_octet_length *is_nullable"),
    empty("super_tables", "table_cat table_schem table_name supertable_name"),
    empty("super_types", "type_cat type_schem type_name supertype_cat supertype_schem supertype_name"),
    empty("udts", "type_cat type_schem type_name class_name data_type remarks base_type"))

  private def empty(name: String, names: String): (String, LocalTable) = made("jdbc", name, columns(names))(_ => Nil)

  /** Names of columns: texts, with a `*` numbers, with a `?` truth values. */
  private def columns(names: String): Seq[(String, DataType)] = names.split(" ").toSeq.map {
    case name if name.startsWith("*") => name.tail -> number
    case name if name.startsWith("?") => name.tail -> BooleanType
    case name => name -> text
  }

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

  /** What each catalog's `information_schema` tells, with the conditions that it understands. */
  private def each[T](only: LocalTable.Only, catalog: String, schema: String, name: String)(
      tell: (InformationSchema, LocalTable.Only) => Seq[T]): Seq[T] = {
    val conditions = (only.get(schema).map("table_schema" -> _) ++ only.get(name).map("table_name" -> _)).toMap
    lakes.filter(lake => only.get(catalog).forall(_(lake.name))).flatMap(lake =>
      try tell(lake.information, conditions)
      catch {
        case needed: Failure.PolicyNeeded => throw needed
        case NonFatal(_) => Nil
      })
  }

  /** Rows of that table in each catalog's `information_schema`. */
  private def asked(table: String, only: LocalTable.Only, catalog: String, schema: String, name: String): Seq[Seq[Any]] =
    each(only, catalog, schema, name) { (information, conditions) =>
      val known = if (table == "schemata") conditions.map { case (_, values) => "schema_name" -> values } else conditions
      information.table(table).map(_.asInstanceOf[LocalTable].read(known)).getOrElse(Nil)
    }

  private def column(table: Seq[Any], position: Int, column: StructField): Seq[Any] = {
    val kind = TrinoType.of(column.dataType)
    val (nullable, isNullable) = if (column.nullable) (DatabaseMetaData.columnNullable, "YES") else (DatabaseMetaData.columnNoNulls, "NO")
    table ++ Seq(column.name, kind.jdbc.toLong, kind.name, kind.size, 0L, kind.digits, kind.radix, nullable.toLong, column.getComment(),
      column.getCurrentDefaultValue(), None, None, kind.octets, position.toLong, isNullable, null, null, null, None, null, null)
  }

  private def typeRow(kind: TrinoType): Seq[Any] = {
    val searchable = if (kind.jdbc == Types.JAVA_OBJECT || kind.jdbc == Types.ARRAY) DatabaseMetaData.typePredNone else DatabaseMetaData.typeSearchable
    Seq(kind.name, kind.jdbc.toLong, kind.size, null, null, null, DatabaseMetaData.typeNullable.toLong, false, searchable.toLong, None, false, None,
      null, 0L, 0L, None, None, kind.radix)
  }
}
