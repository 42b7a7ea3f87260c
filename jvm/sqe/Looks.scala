package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.QueryExecution

/**
 * Statements that only look at what a catalog has, the short way: analysed (where the policy decides) and then asked. As a command
 * they would be optimized, explained for the UI and told to listeners first, which takes longer than what they ask for.
 */
object Looks {
  /** None: the statement is none of them. */
  def rows(spark: SparkSession, analyzed: LogicalPlan): Option[Seq[InternalRow]] =
    if (isLook(analyzed)) Some(QueryExecution.createSparkPlan(spark.sessionState.planner, analyzed.clone()).executeCollect().toSeq) else None

  private def isLook(plan: LogicalPlan): Boolean = plan match {
    case _: ShowTables | _: ShowColumns | _: ShowTableProperties | _: ShowCreateTable => true
    case describe: DescribeRelation => describe.partitionSpec.isEmpty
    case _ => false
  }
}
