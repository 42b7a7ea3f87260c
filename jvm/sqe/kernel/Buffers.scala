package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

/**
 * Spark's own aggregation buffers, made by the kernel for the rows of one partition. Spark merges them and makes the result, so the type,
 * the overflow and the NULL of a result are its own. Column by column as `aggBufferAttributes` has them.
 *
 * | function | buffer | why it is exact |
 * |---|---|---|
 * | count | count | counts |
 * | sum of integers | sum, NULL of no rows | in 128 bits, cast to BIGINT: one that does not fit fails, and Spark answers |
 * | sum of decimals | sum, 0 of no rows; whether there were none | the same, cast to the buffer's decimal |
 * | min, max | the value | of types with one order and no two spellings of a value |
 * | avg of decimals | sum, 0 of no rows; count | exact; Spark divides |
 * | avg of BYTE, SHORT, INT | sum as a double; count | exact as long as all partitions together stay below 2^53: each has its share of that, beyond it an error here |
 * | others, and all with DISTINCT | refused | sums of doubles depend on the order of rows; the others' buffers are Spark's secret |
 */
object Buffers {
  private val exactDoubles = 1L << 53

  def apply(aggregate: AggregateExpression, partitions: Int, sql: Expression => String): Seq[String] = {
    if (aggregate.isDistinct) Refused("DISTINCT in each partition")
    val where = aggregate.filter.fold("")(condition => s" FILTER (WHERE ${sql(condition)})")
    aggregate.aggregateFunction match {
      case function @ (_: Count | _: Min | _: Max) => Seq(Aggregates.called(function, "", where, sql))
      case sum: Sum => sum.dataType match {
        case LongType => Seq(Aggregates.called(sum, "", where, sql))
        case _: DecimalType => Seq(orZero(Aggregates.called(sum, "", where, sql)), s"(count(${sql(sum.child)})$where = 0)")
        case other => Refused(s"partial sum of type ${other.typeName}")
      }
      case average: Average => averaged(average, where, partitions, sql)
      case other => Refused(s"partial ${other.prettyName}")
    }
  }

  private def averaged(average: Average, where: String, partitions: Int, sql: Expression => String): Seq[String] = {
    val value = sql(average.child)
    val sum = (average.child.dataType, average.sumDataType) match {
      case (decimal: DecimalType, of: DecimalType) => orZero(Aggregates.inAnyOrder(decimal, value, where)(NativeTypes.cast(s"sum($value)$where", of)))
      case (ByteType | ShortType | IntegerType, DoubleType) =>
        val most = exactDoubles / math.max(1, partitions)
        s"(CASE WHEN sum(abs(CAST($value AS BIGINT)))$where > CAST('$most' AS HUGEINT) THEN error('sum') ELSE ${orZero(s"CAST(sum($value)$where AS DOUBLE)")} END)"
      case (other, _) => Refused(s"partial average of type ${other.typeName.takeWhile(_ != '(')}")
    }
    Seq(sum, s"count($value)$where")
  }

  private def orZero(sum: String): String = s"COALESCE($sum, 0)"
}
