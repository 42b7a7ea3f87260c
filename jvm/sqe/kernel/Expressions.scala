package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What an expression's meaning may depend on, beside its inputs. */
final case class Setting(timeZone: String, neverFails: Boolean)

/**
 * Expressions, by tables of what is known to mean the same. What is in none of them is refused, so a new function of Spark's is
 * refused until somebody has thought about it.
 */
final class Expressions(setting: Setting, subquery: LogicalPlan => String) {
  private val tables: Seq[PartialFunction[Expression, String]] = Seq(
    Conditions.table(apply),
    Arithmetic.table(apply, setting),
    Casts.table(apply, setting),
    Texts.table(apply, setting),
    Patterns.table(apply),
    Moments.table(apply, setting),
    Nested.table(apply),
    Jsons.table(apply),
    Aggregates.table(apply, setting),
    { case scalar: ScalarSubquery if scalar.outerAttrs.isEmpty => s"(${subquery(scalar.plan)})" })

  def apply(expression: Expression): String = {
    expression match {
      // A temporary view keeps the zone that its session had when it was made.
      case zoned: TimeZoneAwareExpression if zoned.timeZoneId.exists(_ != setting.timeZone) => Refused("time zone of a view")
      case _ =>
    }
    if (setting.neverFails && MayFail.itself(expression)) Refused("what can fail beside rows that a policy hides")
    val text = tables.collectFirst { case table if table.isDefinedAt(expression) => table(expression) }
      .getOrElse(Refused(s"function ${expression.prettyName.takeWhile(_ != '(')}"))
    if (text.length > Expressions.mostSigns) Refused("very long expression")
    text
  }
}

object Expressions {
  /** Many functions have their argument in several places, so that what is nested deeply could grow without end. */
  private val mostSigns = 4 << 20
}
