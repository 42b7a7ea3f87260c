package org.apache.spark.sql.sqe

import java.util
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{NoSuchFunctionException, NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.types.{LongType, StringType, TimestampType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The catalog `system`: what the server knows of itself. Its rows come from Python, which decides who may see which, and are
 * handed over for one statement before it runs. Functions under that name (`system.bucket(16, id)`) are those that the current
 * catalog has in its own `system`, as Iceberg's documentation writes them.
 */
final class SystemCatalog extends TableCatalog with SupportsNamespaces with FunctionCatalog {
  override def name(): String = "system"

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {}

  override def listNamespaces(): Array[Array[String]] = Array(Array("runtime"))

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] = if (isRuntime(namespace)) Array.empty else missing(namespace)

  override def namespaceExists(namespace: Array[String]): Boolean = isRuntime(namespace)

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] =
    if (isRuntime(namespace)) util.Map.of() else missing(namespace)

  override def listTables(namespace: Array[String]): Array[Identifier] =
    if (isRuntime(namespace)) Array(Identifier.of(Array("runtime"), "queries")) else missing(namespace)

  override def loadTable(table: Identifier): Table =
    if (isRuntime(table.namespace) && table.name.equalsIgnoreCase("queries")) SystemCatalog.Queries else throw new NoSuchTableException(table)

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

  private def isRuntime(namespace: Array[String]): Boolean = namespace.length == 1 && namespace.head.equalsIgnoreCase("runtime")

  private def missing(namespace: Array[String]): Nothing = throw new NoSuchNamespaceException(namespace)

  private def readOnly: Nothing = throw new Failure.Refused("The catalog system cannot be changed")
}

object SystemCatalog {
  private val given = new ConcurrentHashMap[String, Seq[util.Map[String, Any]]]
  private val statement = new ThreadLocal[String]

  /** For the statement with this id. */
  def give(execution: String, queries: Seq[util.Map[String, Any]]): Unit = given.put(execution, queries)

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

  private object Queries extends LocalTable(
      "system.runtime.queries",
      "query_id" -> StringType, "state" -> StringType, "user" -> StringType, "source" -> StringType, "query" -> StringType,
      "statement" -> StringType, "created" -> TimestampType, "elapsed_ms" -> LongType, "rows" -> LongType, "bytes" -> LongType,
      "affected_rows" -> LongType, "error_code" -> StringType, "error_message" -> StringType) {
    override protected def rows(only: Map[String, Set[String]]): Seq[Seq[Any]] = {
      val queries = Option(statement.get).flatMap(id => Option(given.get(id)))
        .getOrElse(throw new Failure.Refused("system.runtime.queries can be read by its own name only, not through a view"))
      queries.map(query => schema.fields.toSeq.map(field => (query.get(field.name), field.dataType) match {
        case (number: Number, LongType | TimestampType) => number.longValue
        case (value, _) => value
      }))
    }
  }
}
