package org.apache.spark.sql.sqe.policy

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.LeafExecNode

/**
 * Holds a table's or view's name until the policy has been applied to what it names. Never resolved: no parent can bind a
 * column or expand a `*` before the hidden columns are gone.
 */
final case class PendingRelation(child: LogicalPlan, name: Seq[String], writes: Set[String]) extends UnaryNode {
  override def output: Seq[Attribute] = Nil
  override lazy val resolved: Boolean = false
  override protected def withNewChildInternal(newChild: LogicalPlan): PendingRelation = copy(child = newChild)
}

/** An INSERT whose target's columns are not known yet; becomes Spark's own once they are, with only those that may be written. */
final case class PendingInsert(target: LogicalPlan, query: LogicalPlan, columns: InsertColumns) extends BinaryNode {
  override def left: LogicalPlan = target
  override def right: LogicalPlan = query
  override def output: Seq[Attribute] = Nil
  override lazy val resolved: Boolean = false
  override protected def withNewChildrenInternal(newTarget: LogicalPlan, newQuery: LogicalPlan): PendingInsert =
    copy(target = newTarget, query = newQuery)
}

/** What an INSERT says beside its target and its rows. */
final case class InsertColumns(
    partition: Map[String, Option[String]],
    named: Seq[String],
    overwrite: Boolean,
    ifPartitionNotExists: Boolean,
    byName: Boolean)

/**
 * A table as its user may see it: `Project(visible columns and masks, Filter(row filter, table))`. The optimizer knows no such
 * node and moves nothing through it: `Barrier` lets pass what cannot tell of invisible rows. Has no metadata columns (`_file`,
 * `_pos`), gives no constraints away, and shows nothing below it in a plan's text.
 */
final case class SecuredRelation(child: LogicalPlan, table: String, filtered: Boolean) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override def metadataOutput: Seq[Attribute] = Nil
  override protected lazy val validConstraints: ExpressionSet = ExpressionSet()
  /** Estimates are for the planner, and of what is left: who may see a part only is shown none of them (`SecuredExplain`). */
  override def stats: Statistics = child.stats
  override protected def stringArgs: Iterator[Any] = Iterator(table)
  override def generateTreeString(
      depth: Int,
      lastChildren: java.util.ArrayList[Boolean],
      append: String => Unit,
      verbose: Boolean,
      prefix: String,
      addSuffix: Boolean,
      maxFields: Int,
      printNodeId: Boolean,
      printOutputColumns: Boolean,
      indent: Int): Unit = {
    append("   " * (indent + depth))
    append(s"SecuredRelation $table\n")
  }
  override protected def withNewChildInternal(newChild: LogicalPlan): SecuredRelation = copy(child = newChild)
}

/** Rows that the server itself brought: files that a client's rows were spooled to. */
final case class ServerRows(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override def metadataOutput: Seq[Attribute] = Nil
  override protected def withNewChildInternal(newChild: LogicalPlan): ServerRows = copy(child = newChild)
}

/** What EXPLAIN plans with in place of a restricted table: nothing of the policy is there to be shown. */
final case class ExplainedTable(output: Seq[Attribute], table: String) extends LeafNode {
  override def computeStats(): Statistics = Statistics(sizeInBytes = conf.defaultSizeInBytes)
  override protected def stringArgs: Iterator[Any] = Iterator(table, output)
}

final case class ExplainedTableExec(output: Seq[Attribute], table: String) extends LeafExecNode {
  override protected def stringArgs: Iterator[Any] = Iterator(table, output)
  override protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException("only explained")
}

object PendingRelation {
  def of(relation: UnresolvedRelation): PendingRelation = {
    val needed = Option(relation.options.get(UnresolvedRelation.REQUIRED_WRITE_PRIVILEGES)).toSeq.flatMap(_.split(','))
    PendingRelation(relation, relation.multipartIdentifier, needed.map(_.trim.toLowerCase(java.util.Locale.ROOT)).toSet)
  }
}
