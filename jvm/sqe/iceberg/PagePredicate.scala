package org.apache.iceberg.parquet

import java.math.BigDecimal
import java.util.{Set => Values}

import scala.jdk.CollectionConverters._

import org.apache.iceberg.Schema
import org.apache.iceberg.expressions._
import org.apache.iceberg.shaded.org.apache.parquet.filter2.compat.FilterCompat
import org.apache.iceberg.shaded.org.apache.parquet.filter2.predicate.{FilterApi, FilterPredicate, Operators}
import org.apache.iceberg.shaded.org.apache.parquet.filter2.predicate.Operators.{Column, SupportsEqNotEq, SupportsLtGt}
import org.apache.iceberg.shaded.org.apache.parquet.io.api.Binary
import org.apache.iceberg.shaded.org.apache.parquet.schema.{LogicalTypeAnnotation, MessageType, PrimitiveType, Type}
import org.apache.iceberg.shaded.org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.iceberg.shaded.org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.iceberg.types.Type.TypeID

/**
 * What of a scan's filter can be asked of the statistics of a file's pages: comparisons of whole numbers, decimals, dates, timestamps
 * and texts with constants. `None` says nothing, that is: all rows. Columns are found among those that are read, by their ids,
 * because names change.
 */
private object PagePredicate {
  def of(read: MessageType, schema: Schema, filter: Expression, caseSensitive: Boolean): Option[FilterCompat.Filter] = {
    val bound = Binder.bind(schema.asStruct, Expressions.rewriteNot(filter), caseSensitive)
    ExpressionVisitors.visit(bound, new PagePredicate(read.getFields.asScala.toSeq)).map(FilterCompat.get)
  }
}

private final class PagePredicate(fields: Seq[Type]) extends ExpressionVisitors.BoundExpressionVisitor[Option[FilterPredicate]] {
  private type Said = Option[FilterPredicate]

  override def alwaysTrue(): Said = None

  override def alwaysFalse(): Said = None

  override def not(inner: Said): Said = None

  override def and(left: Said, right: Said): Said = (left, right) match {
    case (Some(one), Some(other)) => Some(FilterApi.and(one, other))
    case _ => left.orElse(right)
  }

  override def or(left: Said, right: Said): Said = for (one <- left; other <- right) yield FilterApi.or(one, other)

  override def eq[T](column: BoundReference[T], value: Literal[T]): Said = compared(column, Seq(value.value))(_.equal)

  override def in[T](column: BoundReference[T], values: Values[T]): Said = compared(column, values.asScala.toSeq)(_.equal)

  override def lt[T](column: BoundReference[T], value: Literal[T]): Said = compared(column, Seq(value.value))(_.less)

  override def ltEq[T](column: BoundReference[T], value: Literal[T]): Said = compared(column, Seq(value.value))(_.lessOrEqual)

  override def gt[T](column: BoundReference[T], value: Literal[T]): Said = compared(column, Seq(value.value))(_.greater)

  override def gtEq[T](column: BoundReference[T], value: Literal[T]): Said = compared(column, Seq(value.value))(_.greaterOrEqual)

  override def isNull[T](column: BoundReference[T]): Said = None

  override def notNull[T](column: BoundReference[T]): Said = None

  override def isNaN[T](column: BoundReference[T]): Said = None

  override def notNaN[T](column: BoundReference[T]): Said = None

  override def notEq[T](column: BoundReference[T], value: Literal[T]): Said = None

  override def notIn[T](column: BoundReference[T], values: Values[T]): Said = None

  override def startsWith[T](column: BoundReference[T], value: Literal[T]): Said = None

  override def notStartsWith[T](column: BoundReference[T], value: Literal[T]): Said = None

  override def handleNonReference[T](term: Bound[T]): Said = None

  private def compared[T](column: BoundReference[T], values: Seq[T])(comparison: Comparisons => FilterPredicate): Said =
    for {
      field <- fields.find(each => each.getId != null && each.getId.intValue == column.fieldId)
      // A name with a point would be taken for a path, and a column that is not in the file for one full of NULL.
      if field.isPrimitive && !field.isRepetition(Type.Repetition.REPEATED) && !field.getName.contains('.')
      comparisons <- Comparisons.of(field.asPrimitiveType, column.`type`.typeId, values)
    } yield comparison(comparisons)
}

/** A column of a file with the constants that it is compared with, in the file's own type. */
private final class Comparisons(
    equals: () => FilterPredicate, lessThan: () => FilterPredicate, atMost: () => FilterPredicate, moreThan: () => FilterPredicate,
    atLeast: () => FilterPredicate) {
  def equal: FilterPredicate = equals()
  def less: FilterPredicate = lessThan()
  def lessOrEqual: FilterPredicate = atMost()
  def greater: FilterPredicate = moreThan()
  def greaterOrEqual: FilterPredicate = atLeast()
}

private object Comparisons {
  /** None where file and table do not mean the same by a value: then its pages are not judged. */
  def of(file: PrimitiveType, table: TypeID, values: Seq[Any]): Option[Comparisons] = file.getPrimitiveTypeName match {
    case PrimitiveTypeName.INT32 =>
      all(values)(whole(file.getLogicalTypeAnnotation, table, _).filter(_.isValidInt).map(value => Int.box(value.toInt)))
        .map(comparing[Integer, Operators.IntColumn](FilterApi.intColumn(file.getName), _))
    case PrimitiveTypeName.INT64 =>
      all(values)(whole(file.getLogicalTypeAnnotation, table, _).map(Long.box(_)))
        .map(comparing[java.lang.Long, Operators.LongColumn](FilterApi.longColumn(file.getName), _))
    case PrimitiveTypeName.BINARY if table == TypeID.STRING && file.getLogicalTypeAnnotation == stringType =>
      all(values)(value => Some(Binary.fromString(value.toString)))
        .map(comparing[Binary, Operators.BinaryColumn](FilterApi.binaryColumn(file.getName), _))
    case _ => None
  }

  private def all[T](values: Seq[Any])(convert: Any => Option[T]): Option[Seq[T]] = {
    val converted = values.flatMap(convert(_))
    if (converted.size == values.size) Some(converted) else None
  }

  private def whole(file: LogicalTypeAnnotation, table: TypeID, value: Any): Option[Long] = (table, file, value) match {
    case (TypeID.INTEGER | TypeID.LONG, null, number: Number) => Some(number.longValue)
    case (TypeID.INTEGER | TypeID.LONG, kind: IntLogicalTypeAnnotation, number: Number) if kind.isSigned => Some(number.longValue)
    case (TypeID.DATE, _: DateLogicalTypeAnnotation, days: Integer) => Some(days.longValue)
    case (TypeID.TIMESTAMP, kind: TimestampLogicalTypeAnnotation, micros: java.lang.Long) if kind.getUnit == TimeUnit.MICROS => Some(micros)
    case (TypeID.DECIMAL, kind: DecimalLogicalTypeAnnotation, number: BigDecimal) if kind.getScale == number.scale =>
      Some(number.unscaledValue).filter(_.bitLength < 64).map(_.longValue)
    case _ => None
  }

  private def comparing[T <: Comparable[T], C <: Column[T] with SupportsEqNotEq with SupportsLtGt](column: C, values: Seq[T]): Comparisons =
    new Comparisons(
      // Parquet asks pages for the smallest and largest of a set only.
      () => if (values.size > 100) FilterApi.in[T, C](column, values.toSet.asJava)
        else values.map(FilterApi.eq[T, C](column, _): FilterPredicate).reduce(FilterApi.or),
      () => FilterApi.lt[T, C](column, values.head),
      () => FilterApi.ltEq[T, C](column, values.head),
      () => FilterApi.gt[T, C](column, values.head),
      () => FilterApi.gtEq[T, C](column, values.head))
}
