package org.apache.spark.sql.sqe

import java.util.Locale
import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.iceberg.catalog.{Namespace, TableIdentifier}
import org.apache.iceberg.exceptions.ForbiddenException
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.spark.internal.Logging
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, Table, View}
import org.apache.spark.sql.sqe.policy.ShownViews
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType, StructField, StructType}

/**
 * `information_schema` of one catalog: what the session's user can list there, asked of the catalog when it is read. A condition
 * on schema and table names narrows what is asked for.
 */
final class InformationSchema(catalog: LakeCatalog, spark: SparkSession) extends Logging {
  import InformationSchema._

  def table(name: String): Option[Table] = name.toLowerCase(Locale.ROOT) match {
    case "schemata" => Some(new Listed("schemata", Seq("catalog_name", "schema_name"))(only =>
        schemas(only.get("schema_name")).map(schema => Seq(catalog.name, dotted(schema)))))
    case "tables" => Some(new Listed("tables", Seq("table_catalog", "table_schema", "table_name", "table_type"))(only =>
        relations(only).map { case (name, kind) => named(name) :+ kind }))
    case "views" => Some(new Listed("views", Seq("table_catalog", "table_schema", "table_name", "view_definition"))(only =>
        Failure.PolicyNeeded.together(relations(only).collect { case (name, "VIEW") => name })(name => readable(shown(name).query).map(named(name) :+ _)).flatten))
    case "columns" => Some(new Columns("columns", IntegerType, _.catalogString))
    case InformationSchema.columnsForTrino => Some(new Columns(InformationSchema.columnsForTrino, LongType, TrinoType.of(_).name))
    case "table_privileges" => Some(new Listed("table_privileges",
        Seq("grantor", "grantor_type", "grantee", "grantee_type", "table_catalog", "table_schema", "table_name", "privilege_type", "is_grantable", "with_hierarchy"))(_ => Nil))
    case _ => None
  }

  private final class Listed(table: String, columns: Seq[String])(make: LocalTable.Only => Seq[Seq[Any]])
    extends LocalTable(s"${catalog.name}.$name.$table", columns.map(_ -> StringType): _*) {
    override protected def rows(only: LocalTable.Only): Seq[Seq[Any]] = make(only)
  }

  private final class Columns(table: String, position: DataType, typeName: DataType => String) extends LocalTable(
      s"${catalog.name}.$name.$table",
      "table_catalog" -> StringType, "table_schema" -> StringType, "table_name" -> StringType, "column_name" -> StringType,
      "ordinal_position" -> position, "column_default" -> StringType, "is_nullable" -> StringType, "data_type" -> StringType,
      "comment" -> StringType) {
    override protected def rows(only: LocalTable.Only): Seq[Seq[Any]] = atOnce(relations(only)) { case (name, kind) =>
      columnsOf(name, kind).fields.toSeq.zipWithIndex.map { case (column, index) =>
        named(name) ++ Seq(column.name, if (position == LongType) Long.box(index + 1L) else Int.box(index + 1), column.getCurrentDefaultValue(), if (column.nullable) "YES" else "NO",
          typeName(column.dataType), column.getComment())
      }
    }
  }

  /** What `information_schema.columns` has, with the column itself in place of its type's name. */
  private[sqe] def columns(only: LocalTable.Only): Seq[(Seq[Any], Int, StructField)] = atOnce(relations(only)) { case (name, kind) =>
    columnsOf(name, kind).fields.toSeq.zipWithIndex.map { case (column, index) => (named(name), index + 1, column) }
  }

  /** Tables and views with their comments. */
  private[sqe] def comments(only: LocalTable.Only): Seq[Seq[Any]] = atOnce(relations(only)) { case (name, kind) =>
    val comment =
      if (kind == "VIEW") shown(name).properties.get("comment")
      else catalog.icebergCatalog.loadTable(TableIdentifier.of(Namespace.of(name.namespace: _*), name.name)).properties.get("comment")
    Seq(named(name) :+ comment)
  }

  private def shown(view: Identifier): View = ShownViews.of(catalog, spark, view)

  private def columnsOf(name: Identifier, kind: String): StructType = if (kind == "VIEW") shown(name).schema
  else {
    val all = SparkSchemaUtil.convert(catalog.icebergCatalog.loadTable(TableIdentifier.of(Namespace.of(name.namespace: _*), name.name)).schema)
    val visible = catalog.guard.visibleColumns(name, all.fieldNames)
    StructType(all.filter(column => visible(column.name)))
  }

  private def schemas(only: Option[String => Boolean]): Seq[Array[String]] = {
    def below(parent: Array[String]): Seq[Array[String]] = {
      val children = readable(if (parent.isEmpty) catalog.listNamespaces() else catalog.listNamespaces(parent)).getOrElse(Array.empty)
      Failure.PolicyNeeded.together(children.toSeq)(child => child +: below(child)).flatten
    }
    below(Array.empty).filter(schema => only.forall(_(dotted(schema)))).sortBy(dotted)
  }

  /** Tables and views that the session's user may see, with one question to the policy for all of them. */
  private def relations(only: LocalTable.Only): Seq[(Identifier, String)] = {
    def wanted(names: Array[Identifier]) = names.filter(name => only.get("table_name").forall(_(name.name))).toSet
    val found = schemas(only.get("table_schema")).flatMap { schema =>
      val views = readable(catalog.viewsAsSpelt(schema)).map(wanted).getOrElse(Set.empty)
      val tables = readable(catalog.tablesAsSpelt(schema)).map(wanted).getOrElse(Set.empty)
      ((tables -- views).map(_ -> "BASE TABLE") ++ views.map(_ -> "VIEW")).toSeq.sortBy { case (name, kind) => (name.name, kind) }
    }
    val seen = catalog.guard.visible(found.map(_._1))
    found.filter { case (name, _) => seen(name) }
  }

  private def named(table: Identifier): Seq[Any] = Seq(catalog.name, dotted(table.namespace), table.name)

  private def dotted(schema: Array[String]): String = schema.mkString(".")

  /** Several at a time: each is a question to the catalog and a file to read, and a thousand tables are a thousand of them. */
  private def atOnce[T, R](items: Seq[T])(make: T => Seq[R]): Seq[R] =
    if (items.size < 2) items.flatMap(item => readable(make(item)).getOrElse(Nil))
    else {
      val pool = Executors.newFixedThreadPool(math.min(parallel, items.size))
      try {
        val asked = items.map(item => pool.submit((() => readable(make(item)).getOrElse(Nil)): Callable[Seq[R]]): Future[Seq[R]])
        val answers = asked.map(future => Try(future.get))
        val undecided = answers.collect { case Failed(_: ExecutionException, needed: Failure.PolicyNeeded) => needed.tables }.flatten
        if (undecided.nonEmpty) throw new Failure.PolicyNeeded(undecided)
        answers.flatMap(_.get)
      } finally pool.shutdownNow()
    }

  /** What is forbidden, gone meanwhile or damaged is not listed: it must not hide all others. */
  private def readable[T](body: => T): Option[T] =
    try Some(body)
    catch {
      case _: ForbiddenException => None
      case needed: Failure.PolicyNeeded => throw needed
      case NonFatal(failure) if !failure.isInstanceOf[InterruptedException] && !Thread.currentThread.isInterrupted =>
        logWarning(s"a part of the information schema of ${catalog.name} cannot be read: ${failure.getMessage}")
        None
    }
}

object InformationSchema {
  private object Failed {
    def unapply(answer: Try[_]): Option[(Throwable, Throwable)] = answer.failed.toOption.map(failure => failure -> failure.getCause)
  }

  val name = "information_schema"
  val tables: Seq[String] = Seq("columns", "schemata", "table_privileges", "tables", "views")
  /** `columns` with Trino's names of types: what statements in Trino's dialect read under that name. Not listed. */
  val columnsForTrino = "columns_for_trino"
  private val parallel = 8

  def is(namespace: Array[String]): Boolean = namespace.length == 1 && namespace.head.equalsIgnoreCase(name)
}
