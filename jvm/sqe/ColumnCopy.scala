package org.apache.spark.sql.sqe

import org.apache.arrow.vector._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/** Copies a column of a scan into an Arrow vector, one tight loop a type. */
abstract class ColumnCopy(vector: FieldVector) {
  def reset(rows: Int): Unit = {
    vector.reset()
    vector.setInitialCapacity(rows)
    vector.allocateNew()
  }

  def bytes: Long = 0

  def finish(rows: Int): Unit = vector.setValueCount(rows)

  final def copy(from: ColumnVector, start: Int, count: Int, at: Int): Unit = {
    val mayBeNull = from.hasNull
    var i = 0
    while (i < count) {
      if (!mayBeNull || !from.isNullAt(start + i)) set(at + i, from, start + i)
      i += 1
    }
  }

  protected def set(at: Int, from: ColumnVector, row: Int): Unit
}

object ColumnCopy {
  def supports(schema: StructType): Boolean = schema.fields.nonEmpty && schema.fields.forall(_.dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case DateType | TimestampType | TimestampNTZType | BinaryType | _: DecimalType => true
    case _: StringType => true
    case _ => false
  })

  def into(vector: FieldVector, dataType: DataType): ColumnCopy = (vector, dataType) match {
    case (v: BitVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, if (from.getBoolean(row)) 1 else 0) }
    case (v: TinyIntVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getByte(row)) }
    case (v: SmallIntVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getShort(row)) }
    case (v: IntVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getInt(row)) }
    case (v: DateDayVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getInt(row)) }
    case (v: BigIntVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getLong(row)) }
    case (v: TimeStampMicroTZVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getLong(row)) }
    case (v: TimeStampMicroVector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getLong(row)) }
    case (v: Float4Vector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getFloat(row)) }
    case (v: Float8Vector, _) => new ColumnCopy(v) { def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getDouble(row)) }
    case (v: DecimalVector, d: DecimalType) if d.precision <= Decimal.MAX_LONG_DIGITS =>
      new ColumnCopy(v) {
        def set(at: Int, from: ColumnVector, row: Int): Unit = v.set(at, from.getDecimal(row, d.precision, d.scale).toUnscaledLong)
      }
    case (v: DecimalVector, d: DecimalType) =>
      new ColumnCopy(v) {
        def set(at: Int, from: ColumnVector, row: Int): Unit =
          v.setBigEndian(at, from.getDecimal(row, d.precision, d.scale).toJavaBigDecimal.setScale(d.scale).unscaledValue.toByteArray)
      }
    case (v: VarCharVector, _) =>
      new VariableWidth(v) {
        def set(at: Int, from: ColumnVector, row: Int): Unit = {
          val text = from.getUTF8String(row).getByteBuffer
          v.setSafe(at, text, text.position(), text.remaining)
          size += text.remaining
        }
      }
    case (v: VarBinaryVector, _) =>
      new VariableWidth(v) {
        def set(at: Int, from: ColumnVector, row: Int): Unit = {
          val value = from.getBinary(row)
          v.setSafe(at, value, 0, value.length)
          size += value.length
        }
      }
    case (other, t) => throw new IllegalStateException(s"no copier for $t into ${other.getClass.getSimpleName}")
  }

  private abstract class VariableWidth(vector: FieldVector) extends ColumnCopy(vector) {
    protected var size = 0L

    override def bytes: Long = size

    override def reset(rows: Int): Unit = {
      super.reset(rows)
      size = 0
    }
  }
}
