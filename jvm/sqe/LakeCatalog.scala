package org.apache.spark.sql.sqe

import java.util

import org.apache.iceberg.catalog.Catalog
import org.apache.iceberg.exceptions.{BadRequestException, ForbiddenException, NotFoundException, NoSuchNamespaceException => NoSuchSchema}
import org.apache.iceberg.rest.RESTCatalog
import org.apache.iceberg.spark.SparkCatalog
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.sqe.policy.CatalogGuard
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Iceberg's catalog for Spark, with four differences.
 *
 * The name that a JDBC catalog writes into its rows need not be the name that a session knows it by (`stored-name`): a
 * warehouse made as `lake` is the same warehouse when it is mounted as `sales`.
 *
 * What a catalog forbids looks like what it does not have: "forbidden" would tell that it exists.
 *
 * Names do not depend on case, while catalogs compare them exactly: what is not found under its own spelling is looked for
 * among its neighbours. A table that is spelt as it was made never pays for that.
 *
 * What the session's policy denies is not there either, and nothing is changed without the right to (`CatalogGuard`).
 */
final class LakeCatalog extends SparkCatalog {
  private val spelling = new Spelling(this)
  private var session: String = _
  private val guard = new CatalogGuard(this, () => session)

  override protected def buildIcebergCatalog(name: String, options: CaseInsensitiveStringMap): Catalog = {
    session = options.get("sqe.session")
    super.buildIcebergCatalog(options.getOrDefault("stored-name", name), options)
  }

  // Tables.

  override def loadTable(table: Identifier): Table =
    loaded(table)(respelt(table)(hidden(new NoSuchTableException(table))(super.loadTable(table)))(super.loadTable))

  override def loadTable(table: Identifier, version: String): Table =
    loaded(table)(respelt(table)(hidden(new NoSuchTableException(table))(super.loadTable(table, version)))(super.loadTable(_, version)))

  override def loadTable(table: Identifier, timestamp: Long): Table =
    loaded(table)(respelt(table)(hidden(new NoSuchTableException(table))(super.loadTable(table, timestamp)))(super.loadTable(_, timestamp)))

  private def loaded(table: Identifier)(load: => Table): Table = guard.seen(table, guard.hidingFailures(table)(load))

  override def tableExists(table: Identifier): Boolean = isTable(table) && guard.sees(storedTable(table))

  private def isTable(table: Identifier): Boolean =
    (try super.tableExists(table)
    catch { case Unseen() => false }) || spelling.ofTable(table).isDefined

  /** The name that rights are decided for. */
  private[sqe] def storedTable(table: Identifier): Identifier = spelling.ofTable(table).getOrElse(table)

  private[sqe] def storedView(view: Identifier): Identifier = spelling.ofView(view).getOrElse(view)

  override def loadView(view: Identifier): View = guard.seenView(view, storedView(view)) {
    try hidden(new NoSuchViewException(view))(super.loadView(view))
    catch {
      case missing: NoSuchViewException => super.loadView(spelling.ofView(view).getOrElse(throw missing))
    }
  }

  override def createTable(table: Identifier, info: TableInfo): Table = {
    val made = spelling.ofNew(table)
    guard.mayCreate(made)
    super.createTable(made, info)
  }

  override def stageCreate(table: Identifier, info: TableInfo): StagedTable = {
    val made = spelling.ofNew(table)
    guard.mayCreate(made)
    super.stageCreate(made, info)
  }

  override def stageReplace(table: Identifier, info: TableInfo): StagedTable = {
    guard.mayReplace(storedTable(table), isTable(table))
    respelt(table)(super.stageReplace(table, info))(super.stageReplace(_, info))
  }

  override def stageCreateOrReplace(table: Identifier, info: TableInfo): StagedTable = {
    val made = spelling.ofNew(table)
    guard.mayReplace(made, isTable(made))
    super.stageCreateOrReplace(made, info)
  }

  override def alterTable(table: Identifier, changes: TableChange*): Table = {
    guard.mayAlter(storedTable(table))
    respelt(table)(super.alterTable(table, changes: _*))(super.alterTable(_, changes: _*))
  }

  override def dropTable(table: Identifier): Boolean = {
    guard.mayDrop(storedTable(table))
    super.dropTable(table) || spelling.ofTable(table).exists(super.dropTable)
  }

  override def purgeTable(table: Identifier): Boolean = {
    guard.mayDrop(storedTable(table))
    super.purgeTable(table) || spelling.ofTable(table).exists(super.purgeTable)
  }

  override def renameTable(from: Identifier, to: Identifier): Unit = {
    guard.mayRename(storedTable(from), to)
    respelt(from)(super.renameTable(from, to))(super.renameTable(_, to))
  }

  // Views.

  override def dropView(view: Identifier): Boolean = {
    guard.mayDrop(storedView(view))
    super.dropView(view) || spelling.ofView(view).exists(super.dropView)
  }

  override def viewExists(view: Identifier): Boolean = isView(view) && guard.sees(storedView(view))

  private def isView(view: Identifier): Boolean =
    (try super.viewExists(view)
    catch { case Unseen() => false }) || spelling.ofView(view).isDefined

  override def createView(view: ViewInfo): View = {
    val made = spelling.ofNewView(view.ident)
    guard.mayCreate(made)
    super.createView(new ViewInfo(
      made, view.sql, view.currentCatalog, view.currentNamespace, view.schema, view.queryColumnNames, view.columnAliases,
      view.columnComments, view.properties))
  }

  override def replaceView(
      view: Identifier,
      sql: String,
      currentCatalog: String,
      currentNamespace: Array[String],
      schema: StructType,
      queryColumnNames: Array[String],
      columnAliases: Array[String],
      columnComments: Array[String],
      properties: util.Map[String, String]): View = {
    val made = spelling.ofNewView(view)
    guard.mayReplace(made, isView(made))
    super.replaceView(made, sql, currentCatalog, currentNamespace, schema, queryColumnNames, columnAliases, columnComments, properties)
  }

  override def alterView(view: Identifier, changes: ViewChange*): View = {
    guard.mayAlter(storedView(view))
    super.alterView(storedView(view), changes: _*)
  }

  override def renameView(from: Identifier, to: Identifier): Unit = {
    guard.mayRename(storedView(from), to)
    super.renameView(storedView(from), to)
  }

  // Schemas, and what is in them.

  override def listTables(namespace: Array[String]): Array[Identifier] =
    guard.visible(namespace, listed(namespace)(super.listTables), inside(namespace))

  override def listTableSummaries(namespace: Array[String]): Array[TableSummary] = {
    val seen = listTables(namespace).toSet
    super.listTableSummaries(stored(namespace)).filter(summary => seen(summary.identifier))
  }

  override def listViews(namespace: String*): Array[Identifier] =
    guard.visible(namespace.toArray, listed(namespace.toArray)(found => super.listViews(found.toIndexedSeq: _*)), inside(namespace.toArray))

  override def listNamespaces(): Array[Array[String]] = guard.visibleNamespaces(super.listNamespaces(), inside)

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    guard.visibleNamespaces(hidden(new NoSuchNamespaceException(namespace))(super.listNamespaces(namespace)), inside)

  override def namespaceExists(namespace: Array[String]): Boolean = isNamespace(namespace) && sees(namespace)

  private def isNamespace(namespace: Array[String]): Boolean = existsAsSpelt(namespace) || spelling.ofNamespace(namespace).isDefined

  private def sees(namespace: Array[String]): Boolean = guard.seesNamespace(stored(namespace), inside(namespace))

  private def stored(namespace: Array[String]): Array[String] = spelling.ofNamespace(namespace).getOrElse(namespace)

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] = {
    val metadata = in(namespace)(super.loadNamespaceMetadata)
    if (sees(namespace)) metadata else throw new NoSuchNamespaceException(namespace)
  }

  override def createNamespace(namespace: Array[String], metadata: util.Map[String, String]): Unit = {
    guard.mayOnNamespace(namespace, "create")
    super.createNamespace(namespace, metadata)
  }

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = hiddenUnlessSeen(namespace) {
    guard.mayOnNamespace(stored(namespace), "alter")
    super.alterNamespace(stored(namespace), changes: _*)
  }

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = hiddenUnlessSeen(namespace) {
    guard.mayOnNamespace(stored(namespace), "drop")
    super.dropNamespace(stored(namespace), cascade)
  }

  /** Tables and views, whoever may see them. */
  private def inside(namespace: Array[String]): Array[Identifier] =
    try listed(namespace)(super.listTables) ++ listed(namespace)(found => super.listViews(found.toIndexedSeq: _*))
    catch { case _: NoSuchNamespaceException => Array.empty }

  private def listed(namespace: Array[String])(list: Array[String] => Array[Identifier]): Array[Identifier] =
    try in(namespace)(list)
    catch { case _: NoSuchSchema => throw new NoSuchNamespaceException(namespace) }

  private[sqe] def namespacesAsSpelt(parent: Array[String]): Array[Array[String]] =
    if (parent.isEmpty) super.listNamespaces() else super.listNamespaces(parent)

  // Procedures.

  override def loadProcedure(procedure: Identifier): UnboundProcedure = {
    guard.mayCall()
    super.loadProcedure(procedure)
  }

  private[sqe] def existsAsSpelt(namespace: Array[String]): Boolean =
    try super.namespaceExists(namespace)
    catch { case Unseen() => false }

  private[sqe] def tablesAsSpelt(namespace: Array[String]): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace))(super.listTables(namespace))

  private[sqe] def viewsAsSpelt(namespace: Array[String]): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace))(super.listViews(namespace.toIndexedSeq: _*))

  private def respelt[T](table: Identifier)(asSpelt: => T)(again: Identifier => T): T =
    try asSpelt
    catch {
      case missing @ (_: NoSuchTableException | _: NoSuchNamespaceException | _: NoSuchSchema) => spelling.ofTable(table).map(again).getOrElse(throw missing)
    }

  /** The answer for a namespace, or for the one that is meant by it. */
  private def in[T](namespace: Array[String])(ask: Array[String] => T): T =
    try hidden(new NoSuchNamespaceException(namespace))(ask(namespace))
    catch {
      case missing @ (_: NoSuchNamespaceException | _: NoSuchSchema) => ask(spelling.ofNamespace(namespace).getOrElse(throw missing))
    }

  private def hidden[T](missing: => Exception)(body: => T): T =
    try body
    catch { case Unseen() => throw missing }

  /** What is looked for is forbidden, or has a name that the catalog finds malformed or has no address for. */
  private object Unseen {
    def unapply(failure: Throwable): Boolean = failure match {
      case _: ForbiddenException => true
      case _: BadRequestException | _: NotFoundException => icebergCatalog.isInstanceOf[RESTCatalog]
      case _ => false
    }
  }

  /** Who sees a schema may learn that changing it is forbidden. */
  private def hiddenUnlessSeen[T](namespace: Array[String])(body: => T): T =
    try body
    catch {
      case _: ForbiddenException | _: Failure.Denied if !namespaceExists(namespace) => throw new NoSuchNamespaceException(namespace)
    }
}
