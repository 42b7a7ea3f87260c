package org.apache.spark.sql.sqe

import java.util
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{NoSuchFunctionException, NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.types.{DataType, LongType, TimestampType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The catalog `system`: what the server knows of itself. Its rows come from Python, which decides who may see which, and are
 * handed over for one statement before it runs. Functions under that name (`system.bucket(16, id)`) are those that the current
 * catalog has in its own `system`, as Iceberg's documentation writes them.
 */
final class SystemCatalog extends TableCatalog with SupportsNamespaces with FunctionCatalog {
  override def name(): String = "system"

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {}

  override def listNamespaces(): Array[Array[String]] = SystemTables.schemas.map(Array(_)).toArray

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] = if (namespaceExists(namespace)) Array.empty else missing(namespace)

  override def namespaceExists(namespace: Array[String]): Boolean = schemaOf(namespace).isDefined

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] =
    if (namespaceExists(namespace)) util.Map.of() else missing(namespace)

  override def listTables(namespace: Array[String]): Array[Identifier] =
    schemaOf(namespace).map(schema => SystemTables.names(schema).map(Identifier.of(Array(schema), _)).toArray).getOrElse(missing(namespace))

  override def loadTable(table: Identifier): Table =
    schemaOf(table.namespace).flatMap(SystemTables.find(_, table.name.toLowerCase(Locale.ROOT))).getOrElse(throw new NoSuchTableException(table))

  override def createNamespace(namespace: Array[String], metadata: util.Map[String, String]): Unit = readOnly

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = readOnly

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = readOnly

  override def createTable(table: Identifier, info: TableInfo): Table = readOnly

  override def alterTable(table: Identifier, changes: TableChange*): Table = readOnly

  override def dropTable(table: Identifier): Boolean = readOnly

  override def renameTable(from: Identifier, to: Identifier): Unit = readOnly

  override def listFunctions(namespace: Array[String]): Array[Identifier] = Array.empty

  override def loadFunction(function: Identifier): UnboundFunction = SparkSession.active.sessionState.catalogManager.currentCatalog match {
    case current: FunctionCatalog if function.namespace.isEmpty => current.loadFunction(Identifier.of(Array("system"), function.name))
    case _ => throw new NoSuchFunctionException(function)
  }

  private def schemaOf(namespace: Array[String]): Option[String] =
    Some(namespace).filter(_.length == 1).map(_.head.toLowerCase(Locale.ROOT)).filter(SystemTables.schemas.contains)

  private def missing(namespace: Array[String]): Nothing = throw new NoSuchNamespaceException(namespace)

  private def readOnly: Nothing = throw new Failure.Refused("The catalog system cannot be changed")
}

object SystemCatalog {
  private type Rows = util.List[util.Map[String, Any]]

  private val given = new ConcurrentHashMap[String, Map[String, Any]]
  private val statement = new ThreadLocal[String]

  /** For the statement with this id: rows of `system.runtime`, by table. */
  def give(execution: String, tables: Map[String, Any]): Unit = given.put(execution, tables)

  /** Of a statement that has ended, also before it came to read them. */
  def forget(execution: String): Unit = given.remove(execution)

  /** How many statements have rows waiting for them. */
  def waiting: Int = given.size

  def during[T](execution: String)(body: => T): T = {
    statement.set(execution)
    try {
      val done = body
      given.remove(execution)
      done
    } catch {
      case again: Failure.PolicyNeeded => throw again // the statement comes again, for the same rows
      case failure: Throwable => given.remove(execution); throw failure
    } finally statement.remove()
  }

  /** A table whose rows came from Python. */
  final class Given(table: String, columns: (String, DataType)*) extends LocalTable(s"system.runtime.$table", columns: _*) {
    override protected def rows(only: LocalTable.Only): Seq[Seq[Any]] = reader(only)()

    /** Found now: what runs the plan later (an adapted part of it, in a thread of Spark's) does not know the statement. */
    override protected def reader(only: LocalTable.Only): () => Seq[Seq[Any]] = {
      val found = Option(statement.get).flatMap(id => Option(given.get(id))).flatMap(_.get(table))
        .getOrElse(throw new Failure.Refused(s"system.runtime.$table can be read by its own name only, not through a view"))
      () => found.asInstanceOf[Rows].asScala.toSeq.map(row => schema.fields.toSeq.map(field => (row.get(field.name), field.dataType) match {
        case (number: Number, LongType | TimestampType) => number.longValue
        case (value, _) => value
      }))
    }
  }
}
