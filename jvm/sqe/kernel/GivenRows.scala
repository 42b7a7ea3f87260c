package org.apache.spark.sql.sqe.kernel

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.sqe.{BatchEncoding, RowEncoder}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Rows that are in the driver already (VALUES, `t.snapshots`): a few are written into the kernel's text, more go with the task as Arrow columns,
 * of which the kernel makes a table. To read a row of eight columns as text takes it 0.15 ms, as columns a thousandth of that.
 */
object GivenRows {
  val few = 16
  /** What travels with a task. */
  private val mostBytes = 4L << 20

  /** `number`: of those in one fragment. The name tells what is in it: the same rows are the same text (jvm: KnownFailures). */
  def table(local: LocalRelation, number: Int): BuiltTable = {
    if (local.output.distinctBy(_.exprId).length != local.output.length) Refused("local rows of an odd shape")
    local.output.foreach(column => NativeTypes.check(column.dataType))
    val schema = StructType(local.output.map(column => StructField(NativeTypes.column(column), column.dataType)))
    val batches = encoded(schema, local.data)
    BuiltTable(s"given_${number}_${digest(schema, batches)}_", schema, GivenBatches(batches))
  }

  private def encoded(schema: StructType, rows: Seq[InternalRow]): Array[Array[Byte]] = {
    val batches = new RowEncoder(BatchEncoding(schema, "UTC")).encode(rows.iterator)
    try {
      var bytes = 0L
      batches.map { batch =>
        bytes += batch.length
        if (bytes > mostBytes) Refused("many local rows")
        batch
      }.toArray
    } finally batches.close()
  }

  /** Of types, too: 100.1 and 10.01 are the same bytes. */
  private def digest(schema: StructType, batches: Array[Array[Byte]]): String = {
    val sum = MessageDigest.getInstance("SHA-256")
    sum.update(schema.map(column => NativeTypes.name(column.dataType)).mkString(", ").getBytes(UTF_8))
    batches.foreach(sum.update)
    sum.digest().take(16).map(byte => f"$byte%02x").mkString
  }
}
