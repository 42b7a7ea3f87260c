package org.apache.spark.sql.sqe.kernel

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.types._

/**
 * Whether an expression can fail, on Spark or in the kernel, for some value. What is not listed can.
 *
 * Two things follow. A condition that can fail is looked at in Spark's order among others ([[InSparksOrder]]). And nothing that can fail runs in the kernel together with rows that a policy hides: the kernel may look at a row before
 * the policy's filter does, and a failure would tell of that row.
 */
object MayFail {
  def apply(expression: Expression): Boolean = expression.exists(itself)

  /** For a row. A subquery is computed once, before the rows are looked at, on both sides. */
  def forRow(expression: Expression): Boolean = expression.exists {
    case _: ScalarSubquery => false
    case other => itself(other)
  }

  def itself(expression: Expression): Boolean = expression match {
    case _: Alias | _: AttributeReference | _: Literal | _: SortOrder => false
    case _: BinaryComparison | _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: In | _: InSet => false
    case _: CaseWhen | _: If | _: Coalesce | _: KnownNotNull | _: KnownNullable | _: KnownFloatingPointNormalized | _: NormalizeNaNAndZero => false
    case _: DynamicPruning | _: BloomFilterMightContain | _: IsNaN => false
    case _: GetStructField | _: GetArrayStructFields | _: GetMapValue | _: Size | _: MapKeys | _: MapValues | _: MapEntries => false
    case _: ArrayContains | _: ArrayPosition | _: ArraysOverlap | _: ArrayMin | _: ArrayMax | _: SortArray | _: ArrayDistinct | _: ArrayJoin | _: Slice => false
    case _: CreateArray | _: CreateNamedStruct | _: NamedLambdaVariable | _: LambdaFunction | _: ArrayTransform | _: ArrayFilter | _: ArrayExists => false
    case _: Explode | _: PosExplode | _: Inline => false
    case GetArrayItem(_, _, fails) => fails
    case ElementAt(of, index, _, fails) => of.dataType.isInstanceOf[ArrayType] && (fails || !index.isInstanceOf[Literal] || index.eval() == 0)
    case subquery: ScalarSubquery => !isOneRow(subquery.plan) || subquery.plan.exists(_.expressions.exists(apply))
    case operation @ (_: Add | _: Subtract | _: Multiply) => operation.dataType match {
      case DoubleType => false
      case result: DecimalType => !fits(operation.asInstanceOf[BinaryArithmetic], result)
      case _ => true
    }
    case cast: Cast => !widens(cast.child.dataType, cast.dataType)
    case _: Like | _: StartsWith | _: EndsWith | _: Contains | _: Substring | _: Length | _: Concat => false
    case _: StringTrim | _: StringTrimLeft | _: StringTrimRight => false
    case _: Year | _: Quarter | _: Month | _: DayOfMonth | _: DayOfYear | _: DayOfWeek => false
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: BitwiseNot | _: ShiftRight | _: Sqrt => false
    case rounded @ (_: Floor | _: Ceil) => rounded.children.head.dataType == DoubleType
    case _: ConcatWs | _: StringLPad | _: StringRPad | _: StringSplit | _: StringSplitSQL | _: SubstringIndex | _: StringLocate | _: OctetLength | _: WeekDay => false
    case _: Md5 | _: Sha1 | _: Sha2 | _: Signum | _: StringTranslate => false
    case _: WindowExpression | _: WindowSpecDefinition | _: SpecifiedWindowFrame | _: RowNumber | _: Rank | _: DenseRank | _: Lag | _: Lead | _: NthValue => false
    case extreme @ (_: Min | _: Max) => NativeTypes.isFloat(extreme.dataType)
    case _: AggregateExpression | _: Count | _: BitAndAgg | _: BitOrAgg | _: BitXorAgg | _: ListAgg | _: CollectList | _: CollectSet => false
    case sum: Sum => !sum.dataType.isInstanceOf[DecimalType] || sum.dataType.asInstanceOf[DecimalType].precision >= 38
    case average: Average => average.child.dataType match {
      case of: DecimalType => of.precision + 14 > 38 // ten more digits of a sum, four of a division
      case _ => true
    }
    case _ => true
  }

  /** On Spark, too. The others fail in the kernel alone, where only Spark knows the answer. */
  def onSpark(expression: Expression): Boolean = expression match {
    case average: Average if average.child.dataType.isInstanceOf[DecimalType] => itself(average)
    case _: Upper | _: Lower | _: Average | _: StringReplace | _: StringInstr | _: DateDiff | _: LastDay | _: WeekOfYear | _: TruncDate | _: TruncTimestamp => false
    case _: Min | _: Max | _: Floor | _: Ceil | _: GetJsonObject | _: DateFormatClass | _: Reverse | _: StringRepeat | _: InitCap | _: FromUnixTime | _: Percentile | _: Last => false
    case _: SecondWithFraction | _: YearOfWeek | _: DayName | _: MonthName | _: UnixDate | _: TimestampDiff | _: UnixTimestamp | _: ToUnixTimestamp | _: UnixSeconds => false
    case _: RLike | _: RegExpExtract | _: RegExpReplace | _: Hour | _: Minute | _: Second | _: PercentRank | _: CumeDist | _: NTile | _: First | _: Greatest | _: Least | _: UnaryPositive => false
    case cast: Cast if cast.dataType.isInstanceOf[StringType] || cast.child.dataType == TimestampType || cast.child.dataType == TimestampNTZType => false
    case other => itself(other)
  }

  /** More than one row would be an error. */
  @tailrec private def isOneRow(plan: LogicalPlan): Boolean = plan match {
    case Project(_, child) => isOneRow(child)
    case aggregate: Aggregate => aggregate.groupingExpressions.isEmpty
    case _ => false
  }

  /** Spark's result type has room for every result: it was not cut to 38 digits. */
  private def fits(operation: BinaryArithmetic, result: DecimalType): Boolean = (operation.left.dataType, operation.right.dataType) match {
    case (left: DecimalType, right: DecimalType) =>
      val needed = operation match {
        case _: Multiply => left.precision + right.precision + 1
        case _ => math.max(left.precision - left.scale, right.precision - right.scale) + math.max(left.scale, right.scale) + 1
      }
      needed <= result.precision
    case _ => false
  }

  private def widens(from: DataType, to: DataType): Boolean = (from, to) match {
    case (same, other) if same == other => true
    case (_: IntegralType, DoubleType) | (FloatType, DoubleType) | (_: DecimalType, DoubleType) => true
    case (narrow: IntegralType, wide: IntegralType) => wide.defaultSize >= narrow.defaultSize
    case (narrow: IntegralType, wide: DecimalType) => wide.precision - wide.scale >= DecimalType.forType(narrow).precision
    case (narrow: DecimalType, wide: DecimalType) => wide.scale >= narrow.scale && wide.precision - wide.scale >= narrow.precision - narrow.scale
    case (_: IntegralType | _: DecimalType | BooleanType, _: StringType) | (_: StringType, BinaryType) | (BooleanType, _: IntegralType) | (_: IntegralType, BooleanType) => true
    case _ => false
  }
}
