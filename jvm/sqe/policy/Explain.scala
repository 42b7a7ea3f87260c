package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.{CommandExecutionMode, ExplainMode}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.sqe.Failure
import org.apache.spark.sql.sqe.kernel.NativeExplain
import org.apache.spark.sql.types.StringType

/** EXPLAIN of somebody with a policy: restricted tables are planned as tables of which nothing is known but their columns. */
final case class SecuredExplain(explained: LogicalPlan, mode: ExplainMode) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Seq(AttributeReference("plan", StringType, nullable = true)())

  override def run(session: SparkSession): Seq[Row] = {
    val state = session.asInstanceOf[classic.SparkSession].sessionState
    val staged = explained.transform { case call: ExecutableDuringAnalysis => call.stageForExplain() }
    try Explain.on(Seq(Row(NativeExplain.text(state.executePlan(staged, CommandExecutionMode.SKIP), mode))))
    catch { case hidden: Explain.NotShown => Seq(Row(s"== Plan ==\nA change of ${hidden.table}; its plan is not shown\n")) }
  }

  override protected def stringArgs: Iterator[Any] = Iterator(mode.name)
}

object Explain {
  /** The plan of a change would show the policy's expressions. */
  final class NotShown(val table: String) extends RuntimeException

  private val flag = ThreadLocal.withInitial[java.lang.Boolean](() => false)

  def now: Boolean = flag.get && !Trusted.now

  /** The steps of a plan count the rows that they met, those of others too. */
  def mayMeasure(plan: LogicalPlan): Unit = plan.collectWithSubqueries { case secured: SecuredRelation => secured.table }.headOption
    .foreach(table => throw Failure.Denied(s"EXPLAIN ANALYZE is not allowed on $table, of which you may see a part only"))

  def on[T](body: => T): T = {
    val before = flag.get
    flag.set(true)
    try body
    finally flag.set(before)
  }
}
