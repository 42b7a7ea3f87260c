package org.apache.spark.sql.sqe.kernel

import scala.jdk.CollectionConverters._

import org.apache.arrow.vector.{FieldVector, VarCharVector}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * Spark's text may be any bytes. The kernel looks at what it reads from files itself, and fails where that is no UTF-8; columns that it is given it
 * believes, and counts, cuts and compares letters otherwise than Spark then. So whoever gives it columns looks first.
 */
object CheckedText {
  def apply(columns: Iterable[FieldVector]): Unit = columns.foreach {
    case text: VarCharVector => if (!isValid(text)) Refused("text that is not UTF-8")
    case other => apply(other.getChildrenFromFields.asScala)
  }

  private def isValid(text: VarCharVector): Boolean = {
    val rows = text.getValueCount
    rows == 0 || isAscii(text.getDataBuffer.memoryAddress + text.getStartOffset(0), text.getEndOffset(rows - 1) - text.getStartOffset(0)) ||
    (0 until rows).forall { row =>
      val start = text.getStartOffset(row)
      text.isNull(row) || UTF8String.fromAddress(null, text.getDataBuffer.memoryAddress + start, text.getEndOffset(row) - start).isValid
    }
  }

  /** Eight bytes at a time, which is most of all text. */
  private def isAscii(address: Long, size: Int): Boolean = {
    var at = 0
    var seen = 0L
    while (at + 8 <= size) {
      seen |= Platform.getLong(null, address + at)
      at += 8
    }
    while (at < size) {
      seen |= Platform.getByte(null, address + at) & 0xffL
      at += 1
    }
    (seen & 0x8080808080808080L) == 0
  }
}
