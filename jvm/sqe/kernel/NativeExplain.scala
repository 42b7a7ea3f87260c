package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{ExecutableDuringAnalysis, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{CommandExecutionMode, ExplainMode, QueryExecution}
import org.apache.spark.sql.execution.command.{ExplainCommand, LeafRunnableCommand}
import org.apache.spark.sql.sqe.policy.SessionPolicy
import org.apache.spark.sql.types.StringType

/** Spark's EXPLAIN, and what of the plan is native, and why the rest is not. */
final case class NativeExplain(explained: LogicalPlan, mode: ExplainMode) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Seq(AttributeReference("plan", StringType, nullable = true)())

  override def run(session: SparkSession): Seq[Row] = {
    val state = session.asInstanceOf[classic.SparkSession].sessionState
    val staged = explained.transform { case call: ExecutableDuringAnalysis => call.stageForExplain() }
    Seq(Row(NativeExplain.text(state.executePlan(staged, CommandExecutionMode.SKIP), mode)))
  }

  override protected def stringArgs: Iterator[Any] = Iterator(mode.name)
}

object NativeExplain {
  def text(query: => QueryExecution, mode: ExplainMode): String = {
    val ((text, executed), refusals) = Kernel.noting {
      val planned = query
      val shown = planned.explainString(mode)
      (shown, scala.util.Try(planned.executedPlan).toOption)
    }
    val native = executed.toSeq.flatMap(NativeShare.fragments).size
    if (native == 0 && refusals.isEmpty) text
    else {
      val parts = if (native == 0) "nothing" else if (refusals.isEmpty) "the whole query" else s"$native part${if (native == 1) "" else "s"}"
      (Seq(text.stripLineEnd, "", "== Native ==", parts) ++ refusals.map(reason => s"not $reason")).mkString("", "\n", "\n")
    }
  }
}

/** Sessions without a policy; the others have `SecuredExplain`. */
final case class ExplainNative(session: classic.SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case ExplainCommand(explained, mode) if KernelSettings.mode(session) != "off" && SessionPolicy.binding(session).isEmpty => NativeExplain(explained, mode)
    case other => other
  }
}
