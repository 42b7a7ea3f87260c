package org.apache.spark.sql.sqe

import java.util
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import org.apache.iceberg.catalog.{Catalog, TableIdentifier}
import org.apache.iceberg.exceptions.{BadRequestException, ForbiddenException, NotFoundException, NoSuchNamespaceException => NoSuchSchema}
import org.apache.iceberg.hadoop.HadoopCatalog
import org.apache.iceberg.jdbc.UncheckedSQLException
import org.apache.iceberg.rest.RESTCatalog
import org.apache.iceberg.spark.SparkCatalog
import org.apache.iceberg.spark.source.SparkChangelogTable
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Iceberg's catalog for Spark, with these differences.
 *
 * The name that a JDBC catalog writes into its rows need not be the name that a session knows it by (`stored-name`): a
 * warehouse made as `lake` is the same warehouse when it is mounted as `sales`.
 *
 * The driver of a JDBC catalog's database comes with the catalog (`driver-jar`, `driver-class`).
 *
 * What a catalog forbids looks like what it does not have: "forbidden" would tell that it exists.
 *
 * Names do not depend on case, while catalogs compare them exactly: what is not found under its own spelling is looked for
 * among its neighbours. A table that is spelt as it was made never pays for that. Where a catalog knows small letters only
 * (`lower-case-names`), all names are given to it in those.
 *
 * It has an `information_schema`, `"t$snapshots"` beside `t.snapshots`, procedures of SQE's own, and DROP SCHEMA … CASCADE.
 */
final class LakeCatalog extends SparkCatalog {
  private val spelling = new Spelling(this)
  private lazy val information = new InformationSchema(this)
  private var lowerCase = false

  override protected def buildIcebergCatalog(name: String, options: CaseInsensitiveStringMap): Catalog = {
    Option(options.get("driver-jar")).foreach(DatabaseDrivers.add(_, options.get("driver-class")))
    lowerCase = options.getBoolean("lower-case-names", false)
    val stored = options.getOrDefault("stored-name", name)
    if (options.get("type") != "jdbc") super.buildIcebergCatalog(stored, options)
    // Iceberg looks whether its tables are there, then makes them: two sessions that come first to a new database get in each
    // other's way. In this process one waits for the other; a second try is for the other process.
    else LakeCatalog.oneAtATime(options.get("uri")) {
      try super.buildIcebergCatalog(stored, options)
      catch { case _: UncheckedSQLException => super.buildIcebergCatalog(stored, options) }
    }
  }

  override def loadTable(table: Identifier): Table =
    if (InformationSchema.is(table.namespace)) information.table(table.name).getOrElse(throw new NoSuchTableException(table))
    else parted(table)(name => respelt(name)(hidden(new NoSuchTableException(name))(super.loadTable(name)))(super.loadTable)) match {
      case changes: SparkChangelogTable => new Changelog(changes)
      case found => found
    }

  override def loadTable(table: Identifier, version: String): Table =
    parted(table)(name => respelt(name)(hidden(new NoSuchTableException(name))(super.loadTable(name, version)))(super.loadTable(_, version)))

  override def loadTable(table: Identifier, timestamp: Long): Table =
    parted(table)(name => respelt(name)(hidden(new NoSuchTableException(name))(super.loadTable(name, timestamp)))(super.loadTable(_, timestamp)))

  override def tableExists(table: Identifier): Boolean =
    (try super.tableExists(table)
    catch { case Unseen() => false }) || spelling.ofTable(table).isDefined

  override def loadView(view: Identifier): View =
    try hidden(new NoSuchViewException(view))(super.loadView(view))
    catch {
      case missing: NoSuchViewException => super.loadView(spelling.ofView(view).getOrElse(throw missing))
    }

  override def capabilities: util.Set[TableCatalogCapability] = util.Set.of(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE)

  override def createTable(table: Identifier, info: TableInfo): Table =
    if (ColumnDefaults.in(info)) {
      val name = placed(table)
      try ColumnDefaults.create(icebergCatalog, buildIdentifier(name), info)
      catch { case _: org.apache.iceberg.exceptions.AlreadyExistsException => throw new TableAlreadyExistsException(table) }
      loadTable(name)
    } else super.createTable(placed(table), info)

  override def stageCreate(table: Identifier, info: TableInfo): StagedTable = {
    ColumnDefaults.refuse(info)
    super.stageCreate(placed(table), info)
  }

  override def stageReplace(table: Identifier, info: TableInfo): StagedTable = {
    ColumnDefaults.refuse(info)
    respelt(table)(super.stageReplace(table, info))(super.stageReplace(_, info))
  }

  override def stageCreateOrReplace(table: Identifier, info: TableInfo): StagedTable = {
    ColumnDefaults.refuse(info)
    super.stageCreateOrReplace(placed(table), info)
  }

  override def alterTable(table: Identifier, changes: TableChange*): Table =
    if (ColumnDefaults.in(changes)) {
      ColumnDefaults.alter(org.apache.iceberg.spark.Spark3Util.toIcebergTable(loadTable(table)), changes)
      loadTable(table)
    } else respelt(table)(super.alterTable(table, changes: _*))(super.alterTable(_, changes: _*))

  override def dropTable(table: Identifier): Boolean = unlessMalformed(super.dropTable(table)) || spelling.ofTable(table).exists(super.dropTable)

  override def purgeTable(table: Identifier): Boolean = unlessMalformed(super.purgeTable(table)) || spelling.ofTable(table).exists(super.purgeTable)

  override def invalidateTable(table: Identifier): Unit =
    try super.invalidateTable(table)
    catch { case Unseen() => }

  override def renameTable(from: Identifier, to: Identifier): Unit =
    respelt(from)(super.renameTable(from, to))(super.renameTable(_, to))

  override def dropView(view: Identifier): Boolean = unlessMalformed(super.dropView(view)) || spelling.ofView(view).exists(super.dropView)

  override def viewExists(view: Identifier): Boolean =
    (try super.viewExists(view)
    catch { case Unseen() => false }) || spelling.ofView(view).isDefined

  override def createView(view: ViewInfo): View = super.createView(new ViewInfo(
    spelling.ofNewView(view.ident), view.sql, view.currentCatalog, view.currentNamespace, view.schema, view.queryColumnNames,
    view.columnAliases, view.columnComments, view.properties))

  override def replaceView(
      view: Identifier,
      sql: String,
      currentCatalog: String,
      currentNamespace: Array[String],
      schema: StructType,
      queryColumnNames: Array[String],
      columnAliases: Array[String],
      columnComments: Array[String],
      properties: util.Map[String, String]): View = super.replaceView(
    spelling.ofNewView(view), sql, currentCatalog, currentNamespace, schema, queryColumnNames, columnAliases, columnComments, properties)

  override def alterView(view: Identifier, changes: ViewChange*): View =
    super.alterView(spelling.ofView(view).getOrElse(view), changes: _*)

  override def renameView(from: Identifier, to: Identifier): Unit = super.renameView(spelling.ofView(from).getOrElse(from), to)

  /** Some catalogs list what is in a schema that is not there: nothing. */
  override def listTables(namespace: Array[String]): Array[Identifier] =
    if (InformationSchema.is(namespace)) InformationSchema.tables.map(Identifier.of(Array(InformationSchema.name), _)).toArray
    else in(namespace) { found =>
      val tables = super.listTables(inItsLetters(found))
      if (tables.isEmpty && found.nonEmpty && !existsAsSpelt(found)) throw new NoSuchNamespaceException(found)
      tables
    }

  override def listViews(namespace: String*): Array[Identifier] =
    if (InformationSchema.is(namespace.toArray)) Array.empty
    else in(namespace.toArray)(found => super.listViews(inItsLetters(found).toIndexedSeq: _*))

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    hidden(new NoSuchNamespaceException(namespace))(super.listNamespaces(inItsLetters(namespace)))

  override def namespaceExists(namespace: Array[String]): Boolean =
    InformationSchema.is(namespace) || existsAsSpelt(namespace) || spelling.ofNamespace(namespace).isDefined

  override def createNamespace(namespace: Array[String], metadata: util.Map[String, String]): Unit =
    super.createNamespace(inItsLetters(namespace), metadata)

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] =
    if (InformationSchema.is(namespace)) util.Map.of() else in(namespace)(found => super.loadNamespaceMetadata(inItsLetters(found)))

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    hiddenUnlessSeen(namespace)(super.alterNamespace(spelling.ofNamespace(namespace).getOrElse(inItsLetters(namespace)), changes: _*))

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean =
    hiddenUnlessSeen(namespace) {
      val found = spelling.ofNamespace(namespace).getOrElse(inItsLetters(namespace))
      if (cascade && existsAsSpelt(found)) dropAllIn(found)
      super.dropNamespace(found, cascade)
    }

  /** Iceberg drops empty schemas only. */
  private def dropAllIn(namespace: Array[String]): Unit = {
    super.listNamespaces(namespace).foreach { child =>
      dropAllIn(child)
      super.dropNamespace(child, false)
    }
    super.listViews(namespace.toIndexedSeq: _*).foreach(super.dropView(_))
    super.listTables(namespace).foreach(super.dropTable(_))
  }

  override def listProcedures(namespace: Array[String]): Array[Identifier] = {
    val found = super.listProcedures(namespace)
    if (found.isEmpty) found
    else (found ++ OwnProcedures.names.map(Identifier.of(Array("system"), _))).sortBy(_.name)
  }

  override def loadProcedure(procedure: Identifier): UnboundProcedure =
    OwnProcedures.find(this, procedure) match {
      case Some(own) => own
      case None => super.loadProcedure(procedure) // not in a closure: its class is closed to us, and only a direct call may pass
    }

  override protected def buildIdentifier(name: Identifier): TableIdentifier =
    super.buildIdentifier(if (lowerCase) Identifier.of(inItsLetters(name.namespace), name.name.toLowerCase(Locale.ROOT)) else name)

  private def inItsLetters(namespace: Array[String]): Array[String] =
    if (lowerCase) namespace.map(_.toLowerCase(Locale.ROOT)) else namespace

  private[sqe] def existsAsSpelt(namespace: Array[String]): Boolean =
    try super.namespaceExists(inItsLetters(namespace))
    catch { case Unseen() => false }

  private[sqe] def tablesAsSpelt(namespace: Array[String]): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace))(super.listTables(inItsLetters(namespace)))

  private[sqe] def viewsAsSpelt(namespace: Array[String]): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace))(super.listViews(inItsLetters(namespace).toIndexedSeq: _*))

  /** A part of a table, when the name means one; a table that another engine has called so is found, too. */
  private def parted(name: Identifier)(load: Identifier => Table): Table = name match {
    case InsideTable(table, part) =>
      try InsideTable.load(this, table, part, load)
      catch { case _: NoSuchTableException | _: NoSuchNamespaceException | _: NoSuchSchema => load(name) }
    case _ => load(name)
  }

  private def respelt[T](table: Identifier)(asSpelt: => T)(again: Identifier => T): T =
    try asSpelt
    catch {
      // A catalog without capital letters may call a name that has some a bad request.
      case missing @ (_: NoSuchTableException | _: NoSuchNamespaceException | _: NoSuchSchema | _: BadRequestException) =>
        spelling.ofTable(table).map(again).getOrElse(throw missing)
    }

  /** The answer for a namespace, or for the one that is meant by it. */
  private def in[T](namespace: Array[String])(ask: Array[String] => T): T =
    try hidden(new NoSuchNamespaceException(namespace))(ask(namespace))
    catch {
      case missing @ (_: NoSuchNamespaceException | _: NoSuchSchema) => ask(spelling.ofNamespace(namespace).getOrElse(throw missing))
    }

  /** Iceberg's Hadoop catalog makes the schema of a new table when it is missing, and so a misspelt one. */
  private def placed(table: Identifier): Identifier =
    if (icebergCatalog.isInstanceOf[HadoopCatalog] && !namespaceExists(table.namespace)) throw new NoSuchNamespaceException(table.namespace)
    else spelling.ofNew(table)

  private def unlessMalformed(dropped: => Boolean): Boolean =
    try dropped
    catch { case _: BadRequestException => false }

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
    catch { case _: ForbiddenException if !namespaceExists(namespace) => throw new NoSuchNamespaceException(namespace) }
}

object LakeCatalog {
  private val doors = new ConcurrentHashMap[String, Object]

  /** For each database its own queue: one that hangs holds up nobody else. */
  private def oneAtATime[T](database: String)(body: => T): T =
    doors.computeIfAbsent(database, _ => new Object).synchronized(body)
}
