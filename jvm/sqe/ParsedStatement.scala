package org.apache.spark.sql.sqe

import java.util.{ArrayDeque, Collections, IdentityHashMap}

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, PosParameter, UnresolvedProcedure, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.command._
import org.apache.spark.sql.types.DataType

/**
 * What Python learns of a parsed statement and decides by: the class of the statement, the classes of all nodes inside it, and
 * what a few statements say. Everything that hangs in the plan is looked at, not only Spark's `children`: CTEs, the target of an
 * INSERT, the query of a view and what `IDENTIFIER(…)` will build are not among those, and one of them could run a program.
 */
final class ParsedStatement(plan: LogicalPlan) {
  private val built = new IdentityHashMap[PlanWithUnresolvedIdentifier, LogicalPlan]
  private val root = ParsedStatement.root(plan, build)

  def facts: Map[String, Any] = Map(
    "node" -> name(root),
    "nodes" -> nodes.filterNot(_ eq root).map(name).distinct,
    "parameters" -> parameters,
    "asks_system" -> everything.exists {
      case relation: UnresolvedRelation => relation.multipartIdentifier.size == 3 && relation.multipartIdentifier.head.equalsIgnoreCase("system")
      case _ => false
    },
    "details" -> details)

  /** How many values its `?` want. */
  private def parameters: Int = root match {
    case ExplainCommand(explained, _) => new ParsedStatement(explained).parameters
    case _ => everything.collect { case PosParameter(position) => position }.distinct.size
  }

  private def nodes: Seq[LogicalPlan] = everything.collect { case node: LogicalPlan => node }

  private def build(late: PlanWithUnresolvedIdentifier): LogicalPlan = built.computeIfAbsent(late, ParsedStatement.build(_))

  /** All nodes and expressions. With a stack of its own: an expression of ten thousand terms is as deep as that. */
  private[sqe] lazy val everything: Seq[TreeNode[_]] = {
    val seen = Collections.newSetFromMap(new IdentityHashMap[Any, java.lang.Boolean])
    val open = new ArrayDeque[Any]
    val found = ArrayBuffer.empty[TreeNode[_]]
    def look(items: Iterator[Any]): Unit = items.foreach(item => if (item != null) open.push(item))
    open.push(plan)
    while (!open.isEmpty) {
      val item = open.pop()
      if (seen.add(item)) item match {
        case late: PlanWithUnresolvedIdentifier => look(Iterator(late.identifierExpr, build(late)) ++ late.children)
        case explain: ExplainCommand => found += explain // what it explains is judged as a statement of its own
        case node: TreeNode[_] =>
          found += node
          look(node.productIterator ++ node.children.iterator ++ node.innerChildren.iterator)
        case _: DataType => ()
        case many: Iterable[_] => look(many.iterator)
        case parts: Product => look(parts.productIterator)
        case _ => ()
      }
    }
    found.toSeq
  }

  private def name(node: LogicalPlan): String = node.getClass.getSimpleName.stripSuffix("$")

  private def details: Map[String, Any] = root match {
    case SetCommand(Some((key, value))) => Map("key" -> key, "value" -> value)
    case ResetCommand(key) => Map("key" -> key)
    case ShowCatalogsCommand(pattern) => Map("pattern" -> pattern)
    case insert: InsertIntoStatement if Parameters.isOneRow(insert) => Map("one_row" -> true)
    case view: CreateViewCommand => Map("view" -> view.viewType.toString)
    case call: Call => Map("procedure" -> procedure(call), "arguments" -> call.args.map(argument))
    case ExplainCommand(explained, _) => Map("explained" -> new ParsedStatement(explained).facts)
    case _ => Map("places" -> places)
  }

  private def procedure(call: Call): String = call.procedure match {
    case unresolved: UnresolvedProcedure => unresolved.nameParts.last
    case _ => ""
  }

  /** The name of a named argument, nothing for a positional one. */
  private def argument(value: Expression): Option[String] = value match {
    case NamedArgumentExpression(key, _) => Some(key)
    case _ => None
  }

  /** What of the statement chooses a folder for files: LOCATION, or a property that stands for one. OPTIONS are properties, too. */
  private def places: Seq[String] = {
    def of(spec: TableSpecBase): Seq[String] = spec match {
      case parsed: UnresolvedTableSpec =>
        parsed.location.map(_ => "location").toSeq ++ parsed.properties.keys ++ parsed.optionExpression.options.map(_._1)
      case resolved: TableSpec =>
        resolved.location.map(_ => "location").toSeq ++ resolved.properties.keys ++ resolved.options.keys
      case _ => Nil
    }
    root match {
      case create: CreateTable => of(create.tableSpec)
      case create: CreateTableAsSelect => of(create.tableSpec)
      case replace: ReplaceTable => of(replace.tableSpec)
      case replace: ReplaceTableAsSelect => of(replace.tableSpec)
      case like: CreateTableLikeCommand => like.fileFormat.locationUri.map(_ => "location").toSeq ++ like.properties.keys
      case _: SetTableLocation | _: SetNamespaceLocation => Seq("location")
      case set: SetTableProperties => set.properties.keys.toSeq
      case create: CreateNamespace => create.properties.keys.toSeq
      case set: SetNamespaceProperties => set.properties.keys.toSeq
      case _ => Nil
    }
  }
}

object ParsedStatement {
  /** What is done, below what the parser wraps around it: `WITH … INSERT`, `INSERT INTO IDENTIFIER(…)`. */
  @tailrec def root(plan: LogicalPlan, build: PlanWithUnresolvedIdentifier => LogicalPlan = build): LogicalPlan = plan match {
    case late: PlanWithUnresolvedIdentifier => root(build(late), build)
    case ctes: UnresolvedWith => root(ctes.child, build)
    case other => other
  }

  /** Which node it becomes does not depend on the name, so any name shows it. */
  private def build(late: PlanWithUnresolvedIdentifier): LogicalPlan = late.planBuilder(standIn, late.children)

  private[sqe] val standIn = Seq("x")
}
