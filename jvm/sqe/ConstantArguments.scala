package org.apache.spark.sql.sqe

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.{Parameter, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Call, LocalRelation, LogicalPlan, OneRowRelation, Project}
import org.apache.spark.sql.classic.SparkSession

/**
 * `older_than => current_timestamp() - INTERVAL 1 DAY`: worked out before the procedure is looked for. Spark 4.1 binds a procedure
 * whose arguments take two rounds of analysis before they are all there, and then counts them wrongly.
 */
object ConstantArguments {
  def in(session: SparkSession, call: Call): Call = call.copy(args = call.args.map {
    case named: NamedArgumentExpression => named.copy(value = constant(session, named.value))
    case other => constant(session, other)
  })

  private def constant(session: SparkSession, value: Expression): Expression =
    if (value.isInstanceOf[Literal] || !isPlain(value)) value else Try(folded(session, value)).toOption.flatten.getOrElse(value)

  /** Of literals and arithmetic with them: what asks for tables, or waits for a parameter, is left as it is. */
  private def isPlain(value: Expression): Boolean = value.exists(_.isInstanceOf[BinaryArithmetic]) && !value.exists {
    case _: PlanExpression[_] | _: Parameter => true
    case function: UnresolvedFunction => !Set("current_timestamp", "now", "current_date", "localtimestamp")(function.nameParts.last.toLowerCase(java.util.Locale.ROOT))
    case _ => false
  }

  private[sqe] def folded(session: SparkSession, value: Expression): Option[Expression] = {
    val plan: LogicalPlan = Project(Seq(Alias(value, "value")()), OneRowRelation())
    session.sessionState.executePlan(plan).optimizedPlan match {
      case Project(Seq(Alias(literal: Literal, _)), _) => Some(literal)
      case LocalRelation(Seq(column), Seq(row), _, _) => Some(Literal(row.get(0, column.dataType), column.dataType))
      case _ => None
    }
  }
}
