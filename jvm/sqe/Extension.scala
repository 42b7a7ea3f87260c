package org.apache.spark.sql.sqe

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** What SQE adds to every Spark session. */
class Extension extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectResolutionRule(_ => StopWhenCancelled)
    extensions.injectOptimizerRule(_ => StopWhenCancelled)
    extensions.injectPreCBORule(_ => StopWhenCancelled)
  }
}

/**
 * Makes planning cancellable. Spark's analyzer and optimizer never look at the interrupt flag, so a statement whose plan
 * takes minutes could not be stopped; this rule runs in every iteration of their fixed points and does look.
 */
object StopWhenCancelled extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (Thread.currentThread.isInterrupted) throw new Failure.Cancelled else plan
}
