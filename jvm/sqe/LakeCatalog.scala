package org.apache.spark.sql.sqe

import java.util
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import org.apache.iceberg.catalog.{Catalog, TableIdentifier}
import org.apache.iceberg.exceptions.{AlreadyExistsException, BadRequestException, ForbiddenException, NotFoundException, NoSuchNamespaceException => NoSuchSchema}
import org.apache.iceberg.formats.PageSkipping
import org.apache.iceberg.hadoop.HadoopCatalog
import org.apache.iceberg.jdbc.UncheckedSQLException
import org.apache.iceberg.rest.RESTCatalog
import org.apache.iceberg.spark.{Spark3Util, SparkCatalog}
import org.apache.iceberg.spark.source.{KeptPlans, SparkChangelogTable}
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.sqe.policy.{CatalogGuard, DefinerView}
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
 * What the session's policy denies is not there either, and nothing is changed without the right to (`CatalogGuard`).
 *
 * It has an `information_schema`, `"t$snapshots"` beside `t.snapshots`, procedures of SQE's own, and DROP SCHEMA … CASCADE.
 */
final class LakeCatalog extends SparkCatalog {
  private val spelling = new Spelling(this)
  private[sqe] lazy val information = new InformationSchema(this, SparkSession.active)
  private var lowerCase = false
  private val plans = new KeptPlans
  private var session: String = _
  private[sqe] val guard = new CatalogGuard(this, () => session)

  override protected def buildIcebergCatalog(name: String, options: CaseInsensitiveStringMap): Catalog = {
    session = options.get("sqe.session")
    PageSkipping.install()
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

  // Tables.

  override def loadTable(table: Identifier): Table =
    if (InformationSchema.is(table.namespace)) information.table(table.name).getOrElse(throw new NoSuchTableException(table))
    else loaded(table)(parted(table, now = true)(name => respelt(name)(hidden(new NoSuchTableException(name))(super.loadTable(name)))(super.loadTable)) match {
      case changes: SparkChangelogTable => new Changelog(changes)
      case found => plans.of(found)
    })

  override def loadTable(table: Identifier, version: String): Table = loaded(table)(
    parted(table)(name => respelt(name)(hidden(new NoSuchTableException(name))(super.loadTable(name, version)))(super.loadTable(_, version))))

  override def loadTable(table: Identifier, timestamp: Long): Table = loaded(table)(
    parted(table)(name => respelt(name)(hidden(new NoSuchTableException(name))(super.loadTable(name, timestamp)))(super.loadTable(_, timestamp))))

  private def loaded(table: Identifier)(load: => Table): Table = guard.seen(table, guard.hidingFailures(table)(load))

  override def tableExists(table: Identifier): Boolean = isTable(table) && guard.sees(storedTable(table))

  private def isTable(table: Identifier): Boolean =
    (try super.tableExists(table)
    catch { case Unseen() => false }) || spelling.ofTable(table).isDefined

  /** The names that rights are decided for. */
  private[sqe] def storedTable(table: Identifier): Identifier = inItsLetters(spelling.ofTable(table).getOrElse(table))

  private[sqe] def storedView(view: Identifier): Identifier = inItsLetters(spelling.ofView(view).getOrElse(view))

  override def capabilities: util.Set[TableCatalogCapability] = util.Set.of(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE)

  override def createTable(asked: Identifier, info: TableInfo): Table = {
    val made = placed(asked)
    guard.mayCreate(made)
    val table =
      if (ColumnDefaults.in(info)) {
        try ColumnDefaults.create(icebergCatalog, buildIdentifier(made), info)
        catch { case _: AlreadyExistsException => throw new TableAlreadyExistsException(asked) }
        super.loadTable(made)
      } else super.createTable(made, info)
    guard.made(made)
    table
  }

  override def stageCreate(table: Identifier, info: TableInfo): StagedTable = {
    ColumnDefaults.refuse(info)
    val made = placed(table)
    guard.mayCreate(made)
    guard.made(made)
    super.stageCreate(made, info)
  }

  override def stageReplace(table: Identifier, info: TableInfo): StagedTable = {
    ColumnDefaults.refuse(info)
    guard.mayReplace(storedTable(table), isTable(table))
    guard.made(storedTable(table))
    respelt(table)(super.stageReplace(table, info))(super.stageReplace(_, info))
  }

  override def stageCreateOrReplace(table: Identifier, info: TableInfo): StagedTable = {
    ColumnDefaults.refuse(info)
    val made = placed(table)
    guard.mayReplace(made, isTable(made))
    guard.made(made)
    super.stageCreateOrReplace(made, info)
  }

  override def alterTable(table: Identifier, changes: TableChange*): Table = {
    guard.mayAlter(storedTable(table))
    if (ColumnDefaults.in(changes)) {
      ColumnDefaults.alter(Spark3Util.toIcebergTable(loadTable(table)), changes)
      loadTable(table)
    } else respelt(table)(super.alterTable(table, changes: _*))(super.alterTable(_, changes: _*))
  }

  override def dropTable(table: Identifier): Boolean =
    dropping(storedTable(table))(unlessMalformed(super.dropTable(table)) || spelling.ofTable(table).exists(super.dropTable))

  override def purgeTable(table: Identifier): Boolean =
    dropping(storedTable(table))(unlessMalformed(super.purgeTable(table)) || spelling.ofTable(table).exists(super.purgeTable))

  override def invalidateTable(table: Identifier): Unit =
    try super.invalidateTable(table)
    catch { case Unseen() => }

  override def renameTable(from: Identifier, to: Identifier): Unit = {
    val stored = storedTable(from)
    guard.mayRename(stored, inItsLetters(to))
    respelt(from)(super.renameTable(from, to))(super.renameTable(_, to))
    guard.renamed(stored, inItsLetters(to))
  }

  // Views.

  override def loadView(view: Identifier): View = guard.seenView(view, storedView(view)) {
    val found = asStored(view)
    DefinerView.loaded(found, body(storedView(view), found), guard.policy)
  }

  private def asStored(view: Identifier): View =
    try hidden(new NoSuchViewException(view))(super.loadView(view))
    catch {
      case missing: NoSuchViewException => super.loadView(spelling.ofView(view).getOrElse(throw missing))
    }

  private def body(name: Identifier, view: View): DefinerView.Body = DefinerView.Body(
    this.name, name, view.query, view.currentCatalog +: view.currentNamespace.toSeq, view.schema.fieldNames.toSeq, view.queryColumnNames.toSeq)

  override def dropView(view: Identifier): Boolean =
    dropping(storedView(view))(unlessMalformed(super.dropView(view)) || spelling.ofView(view).exists(super.dropView))

  private def dropping(stored: Identifier)(drop: => Boolean): Boolean = {
    guard.mayDrop(stored)
    val gone = drop
    if (gone) guard.dropped(stored)
    gone
  }

  override def viewExists(view: Identifier): Boolean = isView(view) && guard.sees(storedView(view))

  private def isView(view: Identifier): Boolean =
    (try super.viewExists(view)
    catch { case Unseen() => false }) || spelling.ofView(view).isDefined

  override def createView(view: ViewInfo): View = {
    val made = inItsLetters(spelling.ofNewView(view.ident))
    guard.mayCreate(made)
    val body = DefinerView.Body(
      name, made, view.sql, Option(view.currentCatalog).getOrElse(name) +: view.currentNamespace.toSeq, view.schema.fieldNames.toSeq,
      view.queryColumnNames.toSeq)
    val created = super.createView(new ViewInfo(
      made, view.sql, view.currentCatalog, view.currentNamespace, view.schema, view.queryColumnNames, view.columnAliases,
      view.columnComments, DefinerView.recorded(body, view.properties, guard.maker, None)))
    guard.made(made)
    created
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
    val made = inItsLetters(spelling.ofNewView(view))
    guard.mayReplace(made, isView(made))
    val body = DefinerView.Body(
      name, made, sql, Option(currentCatalog).getOrElse(name) +: currentNamespace.toSeq, schema.fieldNames.toSeq, queryColumnNames.toSeq)
    val recorded = DefinerView.recorded(body, properties, guard.maker, if (isView(made)) Some(asStored(made)) else None)
    guard.made(made)
    super.replaceView(made, sql, currentCatalog, currentNamespace, schema, queryColumnNames, columnAliases, columnComments, recorded)
  }

  override def alterView(view: Identifier, changes: ViewChange*): View = {
    guard.mayAlter(storedView(view))
    val (comments, others) = ViewComments.among(changes)
    DefinerView.mayChange(others)
    if (comments.nonEmpty) comment(storedView(view), comments)
    if (others.nonEmpty) super.alterView(storedView(view), others: _*) else super.loadView(storedView(view))
  }

  /** What is not told stays as it is: Iceberg keeps the properties of a view that is replaced, and a definer's signature knows no comments. */
  private def comment(name: Identifier, comments: Map[String, String]): Unit = {
    val view = super.loadView(name)
    super.replaceView(
      name, view.query, view.currentCatalog, view.currentNamespace, ViewComments.in(view.schema, comments), view.queryColumnNames,
      view.columnAliases, view.columnComments, new util.HashMap[String, String])
  }

  override def renameView(from: Identifier, to: Identifier): Unit = {
    val stored = storedView(from)
    guard.mayRename(stored, inItsLetters(to))
    DefinerView.mayRename(asStored(stored))
    super.renameView(stored, to)
    guard.renamed(stored, inItsLetters(to))
  }

  // Schemas, and what is in them.

  override def listTables(namespace: Array[String]): Array[Identifier] =
    if (InformationSchema.is(namespace)) InformationSchema.tables.map(Identifier.of(Array(InformationSchema.name), _)).toArray
    else guard.visible(stored(namespace), allTables(namespace), inside(namespace))

  override def listTableSummaries(namespace: Array[String]): Array[TableSummary] = {
    val seen = listTables(namespace).toSet
    super.listTableSummaries(stored(namespace)).filter(summary => seen(summary.identifier))
  }

  override def listViews(namespace: String*): Array[Identifier] =
    if (InformationSchema.is(namespace.toArray)) Array.empty
    else guard.visible(stored(namespace.toArray), allViews(namespace.toArray), inside(namespace.toArray))

  override def listNamespaces(): Array[Array[String]] = guard.visibleNamespaces(super.listNamespaces(), inside)

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] =
    guard.visibleNamespaces(hidden(new NoSuchNamespaceException(namespace))(super.listNamespaces(inItsLetters(namespace))), inside)

  override def namespaceExists(namespace: Array[String]): Boolean =
    InformationSchema.is(namespace) || (isNamespace(namespace) && sees(namespace))

  private def isNamespace(namespace: Array[String]): Boolean = existsAsSpelt(namespace) || spelling.ofNamespace(namespace).isDefined

  private def sees(namespace: Array[String]): Boolean = guard.seesNamespace(stored(namespace), inside(namespace))

  private def stored(namespace: Array[String]): Array[String] = inItsLetters(spelling.ofNamespace(namespace).getOrElse(namespace))

  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] =
    if (InformationSchema.is(namespace)) util.Map.of()
    else {
      val metadata = in(namespace)(found => super.loadNamespaceMetadata(inItsLetters(found)))
      if (sees(namespace)) metadata else throw new NoSuchNamespaceException(namespace)
    }

  override def createNamespace(namespace: Array[String], metadata: util.Map[String, String]): Unit = {
    guard.mayOnNamespace(inItsLetters(namespace), "create")
    super.createNamespace(inItsLetters(namespace), metadata)
  }

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = hiddenUnlessSeen(namespace) {
    guard.mayOnNamespace(stored(namespace), "alter")
    super.alterNamespace(stored(namespace), changes: _*)
  }

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = hiddenUnlessSeen(namespace) {
    val found = stored(namespace)
    guard.mayOnNamespace(found, "drop")
    if (cascade && existsAsSpelt(found)) {
      guard.mayDropAll(found, everythingIn(found))
      dropAllIn(found)
    }
    val gone = super.dropNamespace(found, cascade)
    if (gone) guard.dropped(found)
    gone
  }

  private def everythingIn(namespace: Array[String]): Array[Identifier] =
    super.listTables(namespace) ++ super.listViews(namespace.toIndexedSeq: _*) ++ super.listNamespaces(namespace).flatMap(everythingIn)

  /** Iceberg drops empty schemas only. */
  private def dropAllIn(namespace: Array[String]): Unit = {
    super.listNamespaces(namespace).foreach { child =>
      dropAllIn(child)
      super.dropNamespace(child, false)
    }
    super.listViews(namespace.toIndexedSeq: _*).foreach(view => if (super.dropView(view)) guard.dropped(view))
    super.listTables(namespace).foreach(table => if (super.dropTable(table)) guard.dropped(table))
  }

  /** Some catalogs list what is in a schema that is not there: nothing. */
  private def allTables(namespace: Array[String]): Array[Identifier] = listed(namespace) { found =>
    val tables = super.listTables(inItsLetters(found))
    if (tables.isEmpty && found.nonEmpty && !existsAsSpelt(found)) throw new NoSuchNamespaceException(found)
    tables
  }

  private def allViews(namespace: Array[String]): Array[Identifier] =
    listed(namespace)(found => super.listViews(inItsLetters(found).toIndexedSeq: _*))

  /** Tables and views, whoever may see them. */
  private def inside(namespace: Array[String]): Array[Identifier] =
    try allTables(namespace) ++ allViews(namespace)
    catch { case _: NoSuchNamespaceException => Array.empty }

  private def listed(namespace: Array[String])(list: Array[String] => Array[Identifier]): Array[Identifier] =
    try in(namespace)(list)
    catch { case _: NoSuchSchema => throw new NoSuchNamespaceException(namespace) }

  // Procedures.

  override def listProcedures(namespace: Array[String]): Array[Identifier] = {
    val found = super.listProcedures(namespace)
    if (found.isEmpty) found
    else (found ++ OwnProcedures.names.map(Identifier.of(Array("system"), _))).sortBy(_.name)
  }

  override def loadProcedure(procedure: Identifier): UnboundProcedure = {
    guard.mayCall()
    OwnProcedures.find(this, procedure) match {
      case Some(own) => own
      case None => super.loadProcedure(procedure) // not in a closure: its class is closed to us, and only a direct call may pass
    }
  }

  // Names.

  override protected def buildIdentifier(name: Identifier): TableIdentifier = super.buildIdentifier(inItsLetters(name))

  private def inItsLetters(name: Identifier): Identifier =
    if (lowerCase) Identifier.of(inItsLetters(name.namespace), name.name.toLowerCase(Locale.ROOT)) else name

  private def inItsLetters(namespace: Array[String]): Array[String] =
    if (lowerCase) namespace.map(_.toLowerCase(Locale.ROOT)) else namespace

  private[sqe] def existsAsSpelt(namespace: Array[String]): Boolean =
    try super.namespaceExists(inItsLetters(namespace))
    catch { case Unseen() => false }

  private[sqe] def tablesAsSpelt(namespace: Array[String]): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace))(super.listTables(inItsLetters(namespace)))

  private[sqe] def viewsAsSpelt(namespace: Array[String]): Array[Identifier] =
    hidden(new NoSuchNamespaceException(namespace))(super.listViews(inItsLetters(namespace).toIndexedSeq: _*))

  private[sqe] def namespacesAsSpelt(parent: Array[String]): Array[Array[String]] =
    if (parent.isEmpty) super.listNamespaces() else super.listNamespaces(inItsLetters(parent))

  /** A part of a table, when the name means one; a table that another engine has called so is found, too. */
  private def parted(name: Identifier, now: Boolean = false)(load: Identifier => Table): Table = name match {
    case InsideTable(table, part) =>
      try InsideTable.load(table, part, now, load)
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
    if (icebergCatalog.isInstanceOf[HadoopCatalog] && !isNamespace(table.namespace)) throw new NoSuchNamespaceException(table.namespace)
    else inItsLetters(spelling.ofNew(table))

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
    catch {
      case _: ForbiddenException | _: Failure.Denied if !namespaceExists(namespace) => throw new NoSuchNamespaceException(namespace)
    }
}

object LakeCatalog {
  private val doors = new ConcurrentHashMap[String, Object]

  /** For each database its own queue: one that hangs holds up nobody else. */
  private def oneAtATime[T](database: String)(body: => T): T =
    doors.computeIfAbsent(database, _ => new Object).synchronized(body)
}
