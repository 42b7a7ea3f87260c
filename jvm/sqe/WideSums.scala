package org.apache.spark.sql.sqe

import java.math.{BigDecimal, BigInteger}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.trees.TreePattern.{AVERAGE, SUM}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.types._

/**
 * Sums and averages of decimals without an object a row. Spark adds decimals of more than 18 digits, which is what every sum of
 * TPC-H's prices is, as `BigDecimal`s. Here the unscaled values, which are longs, are added up in two longs of 128 bits together;
 * a product of two such decimals has its 128 bits from one multiplication. `try_sum` stays Spark's.
 *
 * A strategy, and not a rule of the optimizer: the native kernel looks at an aggregate first and knows `sum` and `avg`. Planned by Spark's
 * own strategy at once, not later: adaptive execution finds a step again by the aggregate that stands in the optimized plan.
 */
final case class WideSums(session: SparkSession) extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate if aggregate.containsAnyPattern(SUM, AVERAGE) =>
      val wide = aggregate.aggregateExpressions.map(widened)
      if (wide.corresponds(aggregate.aggregateExpressions)(_ eq _)) Nil
      else session.sessionState.planner.Aggregation(aggregate.copy(aggregateExpressions = wide))
    case _ => Nil
  }

  private def widened(result: NamedExpression): NamedExpression = result.transform {
    case whole @ AggregateExpression(sum @ Sum(Wide(high, low), _), _, false, _, _) if sum.evalContext.evalMode == EvalMode.ANSI =>
      again(whole, WideSum(high, low, whole.dataType.asInstanceOf[DecimalType]))
    case whole @ AggregateExpression(average @ Average(child @ Wide(high, low), EvalMode.ANSI), _, false, _, _) =>
      val count = again(whole, Count(child))
      val sum = again(whole, WideSum(high, low, average.sumDataType.asInstanceOf[DecimalType]))
      val result = average.dataType.asInstanceOf[DecimalType]
      // As `Average` itself ends.
      If(EqualTo(count, Literal(0L)), Literal(null, result), DecimalDivideWithOverflowCheck(
        sum, count.cast(DecimalType.LongDecimal), result, average.getContextOrNull(), nullOnOverflow = false))
  }.asInstanceOf[NamedExpression]

  private def again(whole: AggregateExpression, function: AggregateFunction): AggregateExpression =
    whole.copy(aggregateFunction = function, resultId = NamedExpression.newExprId)

  /** The high and the low 64 bits of an expression's unscaled value. */
  private object Wide {
    def unapply(expression: Expression): Option[(Expression, Expression)] = expression match {
      case random if !random.deterministic => None // both halves must be those of one number
      // The exact type of a product; a longer one would be rounded or could overflow by itself.
      case Multiply(Long18(left), Long18(right), _) if digits(expression) < DecimalType.MAX_PRECISION =>
        Some((HighProduct(left, right), Multiply(left, right, EvalMode.LEGACY)))
      // `price * (1 - discount) * (1 + tax)`: with all of its digits behind the point, or Spark would round it.
      case outer @ Multiply(inner @ Multiply(Long18(one), Long18(two), _), Long18(three), _)
          if outer.evalContext.evalMode == EvalMode.ANSI && digits(inner) < DecimalType.MAX_PRECISION &&
            scale(expression) == scale(inner) + scale(expression.children(1)) =>
        Some((ProductOfThree(one, two, three, high = true), ProductOfThree(one, two, three, high = false)))
      case Long18(value) => Some((ShiftRight(value, Literal(63)), value))
      case _ => None
    }
  }

  private object Long18 {
    def unapply(expression: Expression): Option[Expression] =
      if (digits(expression) <= Decimal.MAX_LONG_DIGITS) Some(UnscaledValue(expression)) else None
  }

  private def scale(expression: Expression): Int = expression.dataType.asInstanceOf[DecimalType].scale

  private def digits(expression: Expression): Int = expression.dataType match {
    case decimal: DecimalType => decimal.precision
    case _ => Int.MaxValue
  }
}

/** The sum of 128-bit numbers, each given by its halves, as a decimal. */
final case class WideSum(left: Expression, right: Expression, dataType: DecimalType)
    extends DeclarativeAggregate with BinaryLike[Expression] {
  override def nullable: Boolean = true
  override def prettyName: String = "wide_sum"

  private lazy val high = AttributeReference("high", LongType, nullable = false)()
  private lazy val low = AttributeReference("low", LongType, nullable = false)()
  private lazy val some = AttributeReference("some", BooleanType, nullable = false)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(high, low, some)
  override lazy val initialValues: Seq[Expression] = Seq(Literal(0L), Literal(0L), Literal(false))

  override lazy val updateExpressions: Seq[Expression] = {
    val added = Seq(HighSum(Seq(high, low, left, right)), Add(low, right, EvalMode.LEGACY), Literal(true))
    if (!right.nullable) added
    else added.zip(aggBufferAttributes).map { case (next, same) => If(IsNull(right), same, next) }
  }

  override lazy val mergeExpressions: Seq[Expression] = Seq(
    HighSum(Seq(high.left, low.left, high.right, low.right)), Add(low.left, low.right, EvalMode.LEGACY), Or(some.left, some.right))

  override lazy val evaluateExpression: Expression = If(some, WideDecimal(high, low, dataType), Literal(null, dataType))

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): WideSum =
    copy(left = newLeft, right = newRight)
}

/** The high half of a product of two longs. */
final case class HighProduct(left: Expression, right: Expression) extends BinaryExpression {
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = LongType
  override protected def nullSafeEval(one: Any, other: Any): Any =
    Math.multiplyHigh(one.asInstanceOf[Long], other.asInstanceOf[Long])
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    defineCodeGen(context, code, (one, other) => s"java.lang.Math.multiplyHigh($one, $other)")
  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): HighProduct =
    copy(left = newLeft, right = newRight)
}

/** One half of a product of three longs that is a decimal of 38 digits; longer ones fail as Spark's do. */
final case class ProductOfThree(first: Expression, second: Expression, third: Expression, high: Boolean) extends TernaryExpression {
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = LongType
  override protected def nullSafeEval(one: Any, two: Any, three: Any): Any =
    WideNumbers.product(one.asInstanceOf[Long], two.asInstanceOf[Long], three.asInstanceOf[Long], high)
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    defineCodeGen(context, code, (one, two, three) => s"org.apache.spark.sql.sqe.WideNumbers.product($one, $two, $three, $high)")
  override protected def withNewChildrenInternal(one: Expression, two: Expression, three: Expression): ProductOfThree =
    copy(first = one, second = two, third = three)
}

/** The high half of the sum of two 128-bit numbers: `children` are the halves of both, none of them null. */
final case class HighSum(children: Seq[Expression]) extends Expression {
  override def nullable: Boolean = false
  override def dataType: DataType = LongType
  override def eval(row: InternalRow): Any = {
    val Seq(high, low, otherHigh, otherLow) = children.map(_.eval(row).asInstanceOf[Long])
    WideNumbers.highSum(high, low, otherHigh, otherLow)
  }
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val halves = children.map(_.genCode(context))
    val call = s"org.apache.spark.sql.sqe.WideNumbers.highSum(${halves.map(_.value).mkString(", ")})"
    code.copy(code = halves.map(_.code).reduce(_ + _) + code"long ${code.value} = $call;", isNull = FalseLiteral)
  }
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): HighSum = copy(newChildren)
}

final case class WideDecimal(left: Expression, right: Expression, dataType: DecimalType) extends BinaryExpression {
  override def nullIntolerant: Boolean = true
  override protected def nullSafeEval(high: Any, low: Any): Any =
    WideNumbers.decimal(high.asInstanceOf[Long], low.asInstanceOf[Long], dataType.precision, dataType.scale)
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    defineCodeGen(context, code, (high, low) =>
      s"org.apache.spark.sql.sqe.WideNumbers.decimal($high, $low, ${dataType.precision}, ${dataType.scale})")
  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): WideDecimal =
    copy(left = newLeft, right = newRight)
}

/** What generated code calls. */
object WideNumbers {
  /** Fails beyond 128 bits, which is beyond all decimals, too. */
  def highSum(high: Long, low: Long, otherHigh: Long, otherLow: Long): Long = {
    val carry = ((low & otherLow) | ((low | otherLow) & ~(low + otherLow))) >>> 63
    val sum = high + otherHigh + carry
    // Overflown when both had the same sign and the sum has the other one; the carry is part of the number.
    if (((high ^ sum) & (otherHigh ^ sum)) < 0) throw overflow else sum
  }

  def product(one: Long, two: Long, three: Long, high: Boolean): Long = {
    val both = one * two
    if (Math.multiplyHigh(one, two) == both >> 63) { if (high) Math.multiplyHigh(both, three) else both * three }
    else {
      val whole = Seq(one, two, three).map(BigInteger.valueOf).reduce(_ multiply _)
      Decimal(new BigDecimal(whole)).toPrecision(DecimalType.MAX_PRECISION, 0)
      if (high) whole.shiftRight(64).longValue else whole.longValue
    }
  }

  def decimal(high: Long, low: Long, precision: Int, scale: Int): Decimal = {
    val whole = BigInteger.valueOf(high).shiftLeft(64).add(new BigInteger(java.lang.Long.toUnsignedString(low)))
    val sum = Decimal(new BigDecimal(whole, scale))
    if (sum.changePrecision(precision, scale)) sum else throw overflow
  }

  private def overflow: Throwable =
    org.apache.spark.sql.errors.QueryExecutionErrors.overflowInSumOfDecimalError(null, "try_sum")
}
