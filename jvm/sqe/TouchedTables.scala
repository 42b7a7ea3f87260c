package org.apache.spark.sql.sqe

import java.util.{ArrayDeque, Collections, IdentityHashMap, Locale}

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.iceberg.BaseMetadataTable
import org.apache.iceberg.spark.source.{SparkChangelogTable, SparkTable}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, NamedArgumentExpression, PlanExpression}
import org.apache.spark.sql.catalyst.plans.logical.{ParsedStatement => _, _}
import org.apache.spark.sql.catalyst.plans.logical.views.ResolvedV2View
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, Table}
import org.apache.spark.sql.connector.write.RowLevelOperationTable
import org.apache.spark.sql.execution.command.{CreateTableLikeCommand, DescribeQueryCommand, ExplainCommand}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.sqe.files.{FileReader, GuardedFileSystem}
import org.apache.spark.sql.sqe.policy.Verifier
import org.apache.spark.sql.types.StringType

/** Tables by their full names, and every catalog that was asked, all as the session calls them. */
final case class Touched(reads: Seq[String] = Nil, writes: Seq[String] = Nil, catalogs: Seq[String] = Nil) {
  def facts: Map[String, Any] = Map("reads" -> reads, "writes" -> writes, "catalogs" -> catalogs)
}

/**
 * Which tables a statement reads and writes, for the audit log. From the analyzed plan, so that views, CTEs and subqueries are
 * looked into; a statement whose analysis failed or says nothing (EXPLAIN, CALL) is judged by the names that it was written with.
 * The target of an UPDATE, DELETE or MERGE counts as written only. Never in the way: what goes wrong here is logged, not thrown.
 */
object TouchedTables extends Logging {
  private val mostFiles = 100

  def analyzed(spark: SparkSession, parsed: LogicalPlan, plan: LogicalPlan): Touched = guarded {
    val found = new Found(spark)
    ParsedStatement.root(parsed) match {
      case like: CreateTableLikeCommand => found.read(found.absolute(like.sourceTable.nameParts))
      case _: Call | _: ExplainCommand | _: DescribeQueryCommand => new Named(found).look(parsed)
      case _ =>
    }
    val walk = new Analyzed(found)
    walk.look(plan)
    if (walk.shortAliases.nonEmpty) new Named(found).lookForViews(parsed, walk.shortAliases.toSet)
    found.result
  }

  /** What the statement names, for one that got no further. */
  def named(spark: SparkSession, parsed: LogicalPlan): Touched = guarded {
    val found = new Found(spark)
    new Named(found).look(parsed)
    found.result
  }

  def written(name: Seq[String]): Touched = Touched(writes = Seq(quoted(name)), catalogs = name.take(1))

  private def guarded(body: => Touched): Touched =
    try body
    catch {
      case NonFatal(e) =>
        logWarning("the tables of a statement could not be told", e)
        Touched()
    }

  private def quoted(name: Seq[String]): String = name.map(quoteIfNeeded).mkString(".")

  /** Commands that only look at the table they name. All others change it. */
  private def onlyLooks(command: LogicalPlan): Boolean = command match {
    case _: DescribeRelation | _: DescribeColumn | _: ShowColumns | _: ShowCreateTable | _: ShowPartitions | _: ShowTableProperties |
        _: ShowTablePartition | _: RefreshTable => true
    case _ => false
  }

  private final class Found(val spark: SparkSession) {
    private val reads, writes, catalogs = mutable.TreeSet.empty[String]

    def read(name: Seq[String]): Unit = add(reads, name)

    def write(name: Seq[String]): Unit = add(writes, name)

    def catalog(name: String): Unit = catalogs += name

    /** One that lies in no catalog. */
    def file(name: String): Unit = reads += name

    private def add(names: mutable.Set[String], name: Seq[String]): Unit = if (name.nonEmpty) {
      names += quoted(name)
      catalogs += name.head
    }

    def result: Touched = Touched(reads.toSeq, writes.toSeq, catalogs.toSeq)

    /** The full name of one that was written short. No catalog is loaded for it but the current one. */
    def absolute(name: Seq[String], home: Option[String] = None): Seq[String] = {
      val manager = spark.sessionState.catalogManager
      def catalog = home.getOrElse(manager.currentCatalog.name)
      if (name.size > 1 && isCatalog(name.head)) name
      else if (name.size > 1) catalog +: name
      else catalog +: (manager.currentNamespace.toSeq ++ name)
    }

    def isCatalog(name: String): Boolean = spark.sessionState.conf.contains(s"spark.sql.catalog.$name")

    def isTemporary(name: Seq[String]): Boolean = spark.sessionState.catalog.isTempView(name)
  }

  /** Shows every node of a plan, those of subqueries too. With a stack of its own: plans can be deep. */
  private final class Walk(show: LogicalPlan => Unit) {
    private val seen = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    private val open = new ArrayDeque[LogicalPlan]

    def look(plan: LogicalPlan): Unit = {
      open.push(plan)
      while (!open.isEmpty) {
        val node = open.pop()
        if (seen.add(node)) {
          show(node)
          push(node.children)
          push(node.innerChildren)
          if (node.containsPattern(PLAN_EXPRESSION)) node.expressions.foreach(subqueries)
        }
      }
    }

    def leaveOut(plan: LogicalPlan): Unit = seen.add(plan)

    private def push(nodes: Seq[TreeNode[_]]): Unit = nodes.foreach {
      case plan: LogicalPlan => open.push(plan)
      case _ =>
    }

    private def subqueries(expression: Expression): Unit =
      if (expression.containsPattern(PLAN_EXPRESSION)) expression.foreach {
        case subquery: PlanExpression[_] => push(Seq(subquery.plan))
        case _ =>
      }
  }

  private final class Analyzed(found: Found) {
    private val walk = new Walk(take)

    /** Above a query: those of subqueries, and those of views that the statement names without their schema. */
    val shortAliases = mutable.Set.empty[String]

    def look(plan: LogicalPlan): Unit = walk.look(plan)

    private def take(node: LogicalPlan): Unit = {
      node match {
        case relation: DataSourceV2Relation => relation.table match {
          case _: RowLevelOperationTable => () // the target of a rewritten UPDATE, DELETE or MERGE, read to be written
          case _ => nameOf(relation).foreach(found.read)
        }
        case LogicalRelation(files: HadoopFsRelation, _, _, _, _) if FileReader.made(files) =>
          files.location.rootPaths.take(TouchedTables.mostFiles).foreach(path => found.file(GuardedFileSystem.address(path).shown))
        case view: View if !view.isTempView => found.read(view.desc.identifier.nameParts)
        // Iceberg puts a view's query below an alias with the view's name; above a relation the alias is the table's own.
        case alias: SubqueryAlias if alias.identifier.qualifier.nonEmpty && !alias.child.isInstanceOf[DataSourceV2Relation] =>
          found.read(found.absolute(alias.identifier.qualifier :+ alias.identifier.name))
        case SubqueryAlias(alias, _: Project) => shortAliases += alias.name
        case write: RowLevelWrite => target(write.originalTable)
        case write: V2WriteCommand => target(write.table)
        case delete: DeleteFromTable => target(delete.table)
        case update: UpdateTable => target(update.table)
        case merge: MergeIntoTable => target(merge.targetTable)
        case rename: RenameTable => renamed(rename)
        case command: LeafCommand => Verifier.namedTable(command).foreach(name => found.write(found.absolute(name)))
        case namespace: ResolvedNamespace => found.catalog(namespace.catalog.name)
        case _ =>
      }
      if (node.isInstanceOf[Command]) (node.children.iterator ++ node.innerChildren.iterator).foreach {
        case plan: LogicalPlan => handle(plan).foreach(name => if (onlyLooks(node)) found.read(name) else found.write(name))
        case _ =>
      }
    }

    /** The plan of a target is not looked at again: it is no read. */
    private def target(plan: LogicalPlan): Unit = EliminateSubqueryAliases(plan) match {
      case relation: DataSourceV2Relation =>
        nameOf(relation).foreach(found.write)
        walk.leaveOut(plan)
        walk.leaveOut(relation)
      case _ =>
    }

    private def renamed(rename: RenameTable): Unit = rename.child match {
      case from: ResolvedTable =>
        val to = rename.newName
        val inPlace = if (to.size == 1) from.identifier.namespace.toSeq ++ to else to
        found.write(found.absolute(inPlace, Some(from.catalog.name)))
      case _ =>
    }

    private def handle(plan: LogicalPlan): Option[Seq[String]] = plan match {
      case table: ResolvedTable => Some(fullName(table.catalog, table.identifier, table.table))
      case view: ResolvedPersistentView => Some(fullName(view.catalog, view.identifier))
      case view: ResolvedV2View => Some(fullName(view.catalog, view.identifier))
      case name: ResolvedIdentifier => Some(fullName(name.catalog, name.identifier))
      case _ => None
    }

    private def nameOf(relation: DataSourceV2Relation): Option[Seq[String]] =
      for (catalog <- relation.catalog; identifier <- relation.identifier) yield fullName(catalog, identifier, relation.table)
  }

  /** What a parsed statement names. Views are not looked into, and all that an EXPLAIN names counts as read. */
  private final class Named(found: Found) {
    def look(parsed: LogicalPlan): Unit = ParsedStatement.root(parsed) match {
      case ExplainCommand(explained, _) => everything(explained, onlyReads = true)
      case describe: DescribeQueryCommand => everything(describe.plan, onlyReads = true)
      case call: Call => procedure(call)
      case _ => everything(parsed, onlyReads = false)
    }

    def lookForViews(parsed: LogicalPlan, aliases: Set[String]): Unit = {
      val queries = mutable.Set.empty[String]
      val named = mutable.Set.empty[Seq[String]]
      new Walk({
        case relation: UnresolvedRelation if aliases(relation.multipartIdentifier.last) => named += relation.multipartIdentifier
        case ctes: UnresolvedWith => queries ++= ctes.cteRelations.map(_._1.toLowerCase(Locale.ROOT))
        case _ =>
      }).look(parsed)
      for (name <- named if !isQuery(name, queries) && !found.isTemporary(name)) found.read(found.absolute(name))
    }

    /** What WITH names. */
    private def namesOfQueries(nodes: Seq[TreeNode[_]]): Set[String] =
      nodes.collect { case ctes: UnresolvedWith => ctes.cteRelations.map(_._1.toLowerCase(Locale.ROOT)) }.flatten.toSet

    private def isQuery(name: Seq[String], queries: collection.Set[String]): Boolean = name.size == 1 && queries(name.head.toLowerCase(Locale.ROOT))

    private def everything(parsed: LogicalPlan, onlyReads: Boolean): Unit = {
      val nodes = new ParsedStatement(parsed).everything
      val root = ParsedStatement.root(parsed)
      val queries = namesOfQueries(nodes)
      val late = nodes.exists(_.isInstanceOf[PlanWithUnresolvedIdentifier])
      val targets = targetOf(root).toSeq.flatMap(_.collect { case relation: UnresolvedRelation => relation })
      def name(parts: Seq[String], writes: Boolean): Unit =
        // IDENTIFIER(…) is not worked out before analysis; the parser's stand-in for it is no table.
        if (!(late && parts == ParsedStatement.standIn) && !found.isTemporary(parts))
          if (writes && !onlyReads) found.write(found.absolute(parts)) else found.read(found.absolute(parts))
      nodes.foreach {
        case relation: UnresolvedRelation if targets.exists(_ eq relation) => name(relation.multipartIdentifier, writes = true)
        case relation: UnresolvedRelation if isQuery(relation.multipartIdentifier, queries) => ()
        case relation: UnresolvedRelation => name(relation.multipartIdentifier, writes = false)
        case table: UnresolvedTable => name(table.multipartIdentifier, !onlyLooks(root))
        case either: UnresolvedTableOrView => name(either.multipartIdentifier, !onlyLooks(root))
        case view: UnresolvedView => name(view.multipartIdentifier, !onlyLooks(root))
        case identifier: UnresolvedIdentifier => name(identifier.nameParts, writes = true)
        case like: CreateTableLikeCommand =>
          name(like.sourceTable.nameParts, writes = false)
          name(like.targetTable.nameParts, writes = true)
        case command: LeafCommand => Verifier.namedTable(command).foreach(name(_, writes = true))
        case _ =>
      }
    }

    private def targetOf(root: LogicalPlan): Option[LogicalPlan] = root match {
      case insert: InsertIntoStatement => Some(insert.table)
      case delete: DeleteFromTable => Some(delete.table)
      case update: UpdateTable => Some(update.table)
      case merge: MergeIntoTable => Some(merge.targetTable)
      case _ => None
    }

    private def procedure(call: Call): Unit = call.procedure match {
      case unresolved: UnresolvedProcedure =>
        val catalog = unresolved.nameParts.headOption.filter(name => unresolved.nameParts.size > 1 && found.isCatalog(name))
        val procedure = unresolved.nameParts.last.toLowerCase(Locale.ROOT)
        catalog.foreach(found.catalog)
        for ((value, index) <- call.args.zipWithIndex) tableArgument(procedure, value, index).foreach { case (key, text) =>
          val name = found.absolute(found.spark.sessionState.sqlParser.parseMultipartIdentifier(text), catalog)
          if (key == "source_table" || TouchedTables.lookingProcedures(procedure)) found.read(name) else found.write(name)
        }
      case _ =>
    }

    /** The argument's name and its text, when it is one that names a table. */
    private def tableArgument(procedure: String, value: Expression, index: Int): Option[(String, String)] = value match {
      case NamedArgumentExpression(key, Literal(text, _: StringType)) if text != null =>
        Some(key.toLowerCase(Locale.ROOT) -> text.toString).filter { case (name, _) => name == "table" || name == "source_table" }
      case Literal(text, _: StringType) if text != null =>
        val order = if (procedure == "snapshot") Seq("source_table", "table") else Seq("table")
        order.lift(index).map(_ -> text.toString)
      case _ => None
    }
  }

  private val lookingProcedures = Set("ancestors_of", "create_changelog_view")

  private def fullName(catalog: CatalogPlugin, identifier: Identifier): Seq[String] =
    catalog.name +: (identifier.namespace.toSeq :+ identifier.name)

  /** Of what lies inside a table (`t.snapshots`, `t.branch_b`), the table. */
  private def fullName(catalog: CatalogPlugin, identifier: Identifier, table: Table): Seq[String] = {
    val name = fullName(catalog, identifier)
    if (isPart(table)) InsideTable.split(identifier.name).map { case (base, _) => name.init :+ base }.getOrElse(name.init)
    else if (identifier.namespace.nonEmpty && liesInside(table, identifier.name)) name.init else name
  }

  private def isPart(table: Table): Boolean = table match {
    case _: InsideTable.Part => true
    case iceberg: SparkTable => iceberg.table.isInstanceOf[BaseMetadataTable]
    case _ => table.isInstanceOf[SparkChangelogTable]
  }

  private def liesInside(table: Table, part: String): Boolean = table match {
    case RowLevelOperationTable(inner, _) => inner match {
      case plain: Table => liesInside(plain, part)
      case null => false
    }
    case _: SparkChangelogTable => true
    case iceberg: SparkTable => iceberg.table match {
      case _: BaseMetadataTable => true
      case plain => ShortNames.isPart(part) && !plain.name.toLowerCase(Locale.ROOT).endsWith("." + part.toLowerCase(Locale.ROOT))
    }
    case _ => false
  }
}
