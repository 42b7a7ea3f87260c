package org.apache.spark.sql.sqe

import org.apache.spark.{InterruptibleIterator, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FilterExec, GenerateExec, ProjectExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec

/**
 * Rows for an aggregate that keeps them (`collect_list`), until its task is to end. Spark's own loop never looks: a statement
 * that was cancelled, or whose other task died of lack of memory, would go on to fill the heap for everybody.
 *
 * Also between two UNNESTs, which Spark compiles into one loop that ends with the first one's row: ten million rows of one row
 * would all be in the heap before the first of them leaves.
 */
case class StoppableRows(child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] =
    child.execute().mapPartitionsInternal(rows => new InterruptibleIterator(TaskContext.get(), rows))

  override protected def withNewChildInternal(newChild: SparkPlan): StoppableRows = copy(child = newChild)
}

object StoppableRows extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = plan => plan.transform {
    case aggregate: BaseAggregateExec if keepsRows(aggregate) && !aggregate.child.isInstanceOf[StoppableRows] =>
      aggregate.withNewChildren(Seq(StoppableRows(aggregate.child)))
    case generate: GenerateExec if generates(generate.child) => generate.withNewChildren(Seq(StoppableRows(generate.child)))
  }

  private def generates(plan: SparkPlan): Boolean = plan match {
    case _: GenerateExec => true
    case _: ProjectExec | _: FilterExec => generates(plan.children.head)
    case _ => false
  }

  private def keepsRows(aggregate: BaseAggregateExec): Boolean =
    aggregate.aggregateExpressions.exists(_.aggregateFunction.isInstanceOf[TypedImperativeAggregate[_]])
}
