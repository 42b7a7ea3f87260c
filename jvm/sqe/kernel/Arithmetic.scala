package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * Arithmetic. The kernel fails where Spark fails (overflow, division by zero); the statement then runs again on Spark, which says so in
 * its own words. So a kernel that fails too often is slow, but never wrong.
 *
 * | expression | why it is exact |
 * |---|---|
 * | integers `+ - *`, negation, `abs` | checked two's complement in both; the result is cast to Spark's type |
 * | `%`, `div` | truncated towards zero in both, exact of decimals and doubles, too; zero is an error |
 * | sign | of what is no zero and no NaN 1 or -1 |
 * | `&`, `|`, shiftright by a constant (GROUPING) | of two's complement, signs kept |
 * | `^`, `~` | likewise |
 * | round of a decimal or a whole number, floor, ceil of a decimal | half away from zero, in both; the next whole number |
 * | round of a double | Spark rounds its shortest decimal digits half away from zero: so do we, of numbers so small that a half has fifteen digits at most; others are an error here |
 * | floor, ceil of a double | the next whole number; one that is no BIGINT is an error here, and Spark's answer there |
 * | sqrt | one IEEE operation |
 * | doubles `+ - *` | one IEEE operation each, in the same order |
 * | double `/` | one IEEE operation; Spark's error for a divisor of zero is raised here too |
 * | decimal `+ - *` | exact; where 38 digits are not enough, whole numbers in 128 bits, rounded once with HALF_UP as Spark does; beyond 128 bits an error here |
 * | decimal `/` | whole numbers divided with HALF_UP. Spark rounds twice, first to 39 digits: a divisor so long that this could show is an error here, as is a number that does not fit 128 bits |
 */
object Arithmetic {
  def table(sql: Expression => String, setting: Setting): PartialFunction[Expression, String] = {
    case operation @ (_: Add | _: Subtract | _: Multiply) => plain(operation.asInstanceOf[BinaryArithmetic], sql, setting)
    case divide @ Divide(left, right, _) if left.dataType == DoubleType && divide.evalMode == EvalMode.TRY => s"(${sql(left)} / NULLIF(${sql(right)}, 0))"
    case Divide(left, right, _) if left.dataType == DoubleType => s"(${sql(left)} / ${notZero(sql(right))})"
    case divide: Divide => divided(divide, sql)
    case remainder: Remainder if isNumber(remainder.dataType) =>
      NativeTypes.cast(s"(${alike(remainder.left, remainder, sql)} % ${notZero(alike(remainder.right, remainder, sql))})", remainder.dataType)
    case divide: IntegralDivide if divide.left.dataType.isInstanceOf[IntegralType] =>
      NativeTypes.cast(s"(${sql(divide.left)} // ${notZero(sql(divide.right))})", divide.dataType)
    case minus: UnaryMinus if isNumber(minus.dataType) => NativeTypes.cast(s"(-${of34Digits(minus.child, sql)})", minus.dataType)
    case abs: Abs if isNumber(abs.dataType) => NativeTypes.cast(s"abs(${of34Digits(abs.child, sql)})", abs.dataType)
    case UnaryPositive(child) => sql(child)
    case and: BitwiseAnd => NativeTypes.cast(s"(${sql(and.left)} & ${sql(and.right)})", and.dataType)
    case or: BitwiseOr => NativeTypes.cast(s"(${sql(or.left)} | ${sql(or.right)})", or.dataType)
    case xor: BitwiseXor => NativeTypes.cast(s"xor(${sql(xor.left)}, ${sql(xor.right)})", xor.dataType)
    case BitwiseNot(child) => NativeTypes.cast(s"(~${sql(child)})", child.dataType)
    case Signum(child) if child.dataType == DoubleType =>
      val number = sql(child)
      s"(CASE WHEN isnan($number) OR $number = 0 THEN $number WHEN $number > 0 THEN CAST('1' AS DOUBLE) WHEN $number < 0 THEN CAST('-1' AS DOUBLE) END)"
    case Sqrt(child) => s"sqrt(${sql(child)})"
    case floor: Floor if isRounded(floor.child.dataType) => NativeTypes.cast(s"floor(${sql(floor.child)})", floor.dataType)
    case ceil: Ceil if isRounded(ceil.child.dataType) => NativeTypes.cast(s"ceil(${sql(ceil.child)})", ceil.dataType)
    case round @ Round(child, Literal(digits: Int, _), _) if digits >= 0 && child.dataType.isInstanceOf[IntegralType] && round.dataType == child.dataType => sql(child)
    case Round(child, Literal(digits: Int, _), _) if child.dataType == DoubleType && digits >= 0 && digits <= 12 =>
      val (number, to) = (sql(child), DecimalType(15, digits))
      s"(CASE WHEN isfinite($number) THEN ${Casts.nearest(Casts.byItsDigits(number, to), to)} ELSE $number END)"
    case ShiftRight(value, Literal(count: Int, _)) if count >= 0 && count < 31 => NativeTypes.cast(s"(${sql(value)} >> $count)", value.dataType)
    case Round(child, Literal(digits: Int, _), _) if digits >= 0 && child.dataType.isInstanceOf[DecimalType] => rounded(child, digits, sql)
  }

  /** A decimal with as many digits on either side of its point as the longer of both has: where that is no decimal, the kernel would take doubles. */
  private def alike(child: Expression, of: Remainder, sql: Expression => String): String = (of.left.dataType, of.right.dataType) match {
    case (left: DecimalType, right: DecimalType) =>
      val scale = math.max(left.scale, right.scale)
      val digits = math.max(left.precision - left.scale, right.precision - right.scale) + scale
      if (digits > DecimalType.MAX_PRECISION) Refused("remainder of many digits")
      NativeTypes.cast(sql(child), DecimalType(digits, scale))
    case _ => sql(child)
  }

  /** Spark turns the sign of a decimal in a calculation of 34 digits, which rounds longer ones: those are an error here. */
  private def of34Digits(child: Expression, sql: Expression => String): String = child.dataType match {
    case decimal: DecimalType if decimal.precision > 34 =>
      if (decimal.scale > 34) Refused("sign of a decimal of many digits")
      val text = sql(child)
      s"(CASE WHEN abs($text) >= CAST('1${"0" * (34 - decimal.scale)}' AS DECIMAL(${35 - decimal.scale},0)) THEN error('digits') ELSE $text END)"
    case _ => sql(child)
  }

  private def rounded(child: Expression, digits: Int, sql: Expression => String): String = {
    val to = Round(child, Literal(digits)).dataType
    if (to.asInstanceOf[DecimalType].scale != math.min(digits, decimal(child).scale)) Refused("round of many digits")
    NativeTypes.cast(sql(child), to)
  }

  private def plain(operation: BinaryArithmetic, sql: Expression => String, setting: Setting): String = {
    val (left, right) = (sql(operation.left), sql(operation.right))
    operation.dataType match {
      case result: DecimalType =>
        if (result.scale < exactScale(operation)) return cut(operation, left, right, result)
        if (result.scale > exactScale(operation)) Refused("decimal arithmetic of other digits")
        val (a, b) = if (setting.neverFails) (wide(left, operation.left), wide(right, operation.right)) else (left, right)
        NativeTypes.cast(s"($a ${operation.symbol} $b)", result)
      case result: IntegralType => NativeTypes.cast(s"($left ${operation.symbol} $right)", result)
      case DoubleType => s"($left ${operation.symbol} $right)"
      case other => Refused(s"arithmetic of type ${other.typeName}")
    }
  }

  /** In 128 bits from the start. The kernel would try 64 first and fail where they are not enough. */
  private def wide(text: String, side: Expression): String = s"CAST($text AS DECIMAL(38,${decimal(side).scale}))"

  /** Where Spark's result has fewer digits than the exact one. */
  private def cut(operation: BinaryArithmetic, left: String, right: String, result: DecimalType): String = {
    val exact = exactScale(operation)
    val (a, b) = (unscaled(left, decimal(operation.left)), unscaled(right, decimal(operation.right)))
    val whole = if (operation.isInstanceOf[Multiply]) s"$a * $b"
    else s"$a * ${huge(exact - decimal(operation.left).scale)} ${operation.symbol} $b * ${huge(exact - decimal(operation.right).scale)}"
    scaled(s"$halfUp($whole, ${huge(exact - result.scale)})", result)
  }

  private def exactScale(operation: BinaryArithmetic): Int = {
    val (left, right) = (decimal(operation.left).scale, decimal(operation.right).scale)
    if (operation.isInstanceOf[Multiply]) left + right else math.max(left, right)
  }

  private def decimal(side: Expression): DecimalType = side.dataType match {
    case decimal: DecimalType => decimal
    case _ => Refused("decimal arithmetic with another type")
  }

  private def divided(divide: Divide, sql: Expression => String): String = (divide.left.dataType, divide.right.dataType, divide.dataType) match {
    case (left: DecimalType, right: DecimalType, result: DecimalType) =>
      val digits = result.scale - left.scale + right.scale
      val by = unscaled(sql(divide.right), right)
      if (digits >= 0) scaled(s"$halfUp(${unscaled(sql(divide.left), left)} * ${huge(digits)}, ${divisor(by, result)})", result)
      else scaled(s"$halfUp(${unscaled(sql(divide.left), left)}, ${divisor(s"($by * ${huge(-digits)})", result)})", result)
    case _ => Refused("division of other types")
  }

  /** The macro that every instance has. Both signs count: HALF_UP rounds away from zero. */
  val halfUp = "half_up_division"
  val halfUpMacro: String = s"CREATE TEMP MACRO $halfUp(u, n) AS CASE WHEN (u < 0) <> (n < 0) THEN -((2 * abs(u) + abs(n)) // (2 * abs(n))) " +
    "ELSE (2 * abs(u) + abs(n)) // (2 * abs(n)) END"

  /** Two roundings differ from one only if the quotient is nearer to a half than 10^-39, so only if the divisor has 39 - scale digits. */
  private def divisor(whole: String, result: DecimalType): String =
    s"(CASE WHEN $whole = 0 OR abs($whole) >= ${huge(38 - result.scale)} THEN error('divisor') ELSE $whole END)"

  def huge(zeros: Int): String = s"CAST('1${"0" * zeros}' AS HUGEINT)"

  def unscaled(text: String, of: DecimalType): String =
    if (of.scale == 0) s"CAST($text AS HUGEINT)"
    else if (of.precision + of.scale > 38) s"CAST(replace(CAST($text AS VARCHAR), '.', '') AS HUGEINT)" // it always has all digits
    else s"CAST(CAST($text AS DECIMAL(38,${of.scale})) * CAST('1${"0" * of.scale}' AS DECIMAL(${of.scale + 1},0)) AS HUGEINT)"

  def scaled(whole: String, to: DecimalType): String =
    if (to.scale == 0) NativeTypes.cast(whole, to)
    else s"CAST(CAST($whole AS DECIMAL(38,0)) * CAST('0.${"0" * (to.scale - 1)}1' AS DECIMAL(${to.scale},${to.scale})) AS ${NativeTypes.name(to)})"

  private def notZero(text: String): String = s"(CASE WHEN $text = 0 THEN error('zero') ELSE $text END)"

  private def isRounded(dataType: DataType): Boolean = dataType == DoubleType || dataType.isInstanceOf[DecimalType]

  private def isNumber(dataType: DataType): Boolean = dataType match {
    case _: IntegralType | _: DecimalType | DoubleType => true
    case _ => false
  }
}
