package org.apache.spark.sql.sqe

import java.nio.ByteBuffer
import java.nio.channels.WritableByteChannel

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.{FieldVector, VectorSchemaRoot, VectorUnloader}
import org.apache.arrow.vector.ipc.WriteChannel
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.arrow.vector.types.Types.MinorType
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.arrow.ArrowWriter
import org.apache.spark.sql.sqe.kernel.NativeFailed
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.ArrowUtils
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnarBatch}

/** Turns one partition into serialised Arrow record batches, lazily: one batch exists at a time. */
trait PartitionEncoder[T] extends Serializable {
  def encode(items: Iterator[T]): BatchEncoding.Batches
}

/** Schema and size of the batches of one result. */
final case class BatchEncoding(schema: StructType, timeZone: String) {
  def newRoot(allocator: BufferAllocator): VectorSchemaRoot = VectorSchemaRoot.create(ArrowSchema.of(schema, timeZone), allocator)
}

object BatchEncoding {
  /** The first batch is small so that a client sees rows early; later ones are large enough that their cost per batch vanishes. */
  val firstRows = 1024
  val maxRows = 16384
  val maxBytes: Long = 4L << 20

  def serialize(root: VectorSchemaRoot): Array[Byte] = {
    val batch = new VectorUnloader(root).getRecordBatch
    try {
      val sink = new ByteArrayChannel(batch.computeBodyLength() + 1024 + 64L * root.getFieldVectors.size)
      MessageSerializer.serialize(new WriteChannel(sink), batch)
      sink.result
    } finally batch.close()
  }

  /** Memory of Arrow that is given back at the end of the iteration or of the task, whichever comes first. Without a task: `close`. */
  abstract class Batches(encoding: BatchEncoding) extends Iterator[Array[Byte]] {
    private val allocator = ArrowUtils.rootAllocator.newChildAllocator("sqe-stream", 0, Long.MaxValue)
    protected val root: VectorSchemaRoot = encoding.newRoot(allocator)
    private var closed = false
    protected var rowLimit: Int = firstRows
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => close()))

    protected def moreItems: Boolean
    protected def fill(): Unit

    override def hasNext: Boolean = {
      val more = !closed && moreItems
      if (!more) close()
      more
    }

    override def next(): Array[Byte] = {
      fill()
      rowLimit = maxRows
      serialize(root)
    }

    def close(): Unit = if (!closed) {
      closed = true
      root.close()
      allocator.close()
    }
  }
}

final class RowEncoder(encoding: BatchEncoding) extends PartitionEncoder[InternalRow] {
  override def encode(rows: Iterator[InternalRow]): BatchEncoding.Batches = new BatchEncoding.Batches(encoding) {
    private val writer = ArrowWriter.create(root)

    override protected def moreItems: Boolean = rows.hasNext

    override protected def fill(): Unit = {
      writer.reset()
      var count = 0
      // The size costs a pass over the columns: asking for it every 64 rows keeps batches near the limit for free.
      while (count < rowLimit && rows.hasNext && (count % 64 != 0 || writer.sizeInBytes() < BatchEncoding.maxBytes)) {
        writer.write(rows.next())
        count += 1
      }
      writer.finish()
    }
  }
}

/** Columns to columns. Types without a copier of their own are read through Spark's row view of the same columns. */
final class ColumnEncoder(encoding: BatchEncoding, ordinals: Array[Int]) extends PartitionEncoder[ColumnarBatch] {
  override def encode(batches: Iterator[ColumnarBatch]): BatchEncoding.Batches =
    if (ColumnCopy.supports(encoding.schema)) copied(batches) else new RowEncoder(encoding).encode(rowView(batches))

  private def copied(batches: Iterator[ColumnarBatch]): BatchEncoding.Batches = new BatchEncoding.Batches(encoding) {
    private val copies = encoding.schema.fields.indices.map(i => ColumnCopy.into(root.getVector(i), encoding.schema(i).dataType)).toArray
    private var current: ColumnarBatch = _
    private var position = 0

    override protected def moreItems: Boolean = {
      while ((current == null || position == current.numRows) && batches.hasNext) {
        current = batches.next()
        position = 0
      }
      current != null && position < current.numRows
    }

    override protected def fill(): Unit = {
      copies.foreach(_.reset(rowLimit))
      var filled = 0
      // Joining several of the scan's batches only while they are small: the reader's memory may be reused by the next one.
      do {
        val count = math.min(current.numRows - position, rowLimit - filled)
        var i = 0
        while (i < copies.length) {
          copies(i).copy(current.column(ordinals(i)), position, count, filled)
          i += 1
        }
        position += count
        filled += count
      } while (filled < rowLimit && copies.map(_.bytes).sum < BatchEncoding.maxBytes && moreItems)
      copies.foreach(_.finish(filled))
      root.setRowCount(filled)
    }
  }

  private def rowView(batches: Iterator[ColumnarBatch]): Iterator[InternalRow] = {
    batches.flatMap { batch =>
      val view = new ColumnarBatch(ordinals.map(batch.column), batch.numRows)
      view.rowIterator().asScala
    }
  }
}

/** Columns that are Arrow's already, in the result's own types: they are written out as they are. */
final class VectorEncoder(encoding: BatchEncoding, ordinals: Array[Int]) extends PartitionEncoder[ColumnarBatch] {
  override def encode(batches: Iterator[ColumnarBatch]): BatchEncoding.Batches = new BatchEncoding.Batches(encoding) {
    private val expected = root.getFieldVectors.asScala.flatMap(shape).toSeq

    override protected def moreItems: Boolean = batches.hasNext

    override protected def fill(): Unit = {}

    override def next(): Array[Byte] = {
      val batch = batches.next()
      val vectors = ordinals.toSeq.map(batch.column(_).asInstanceOf[ArrowColumnVector].getValueVector.asInstanceOf[FieldVector])
      if (vectors.flatMap(shape) != expected) throw new NativeFailed("columns of other types", null)
      // Not closed: the vectors are their maker's.
      BatchEncoding.serialize(new VectorSchemaRoot(vectors.map(_.getField).asJava, vectors.asJava, batch.numRows))
    }

    /** Its type, and those of what is in it. */
    private def shape(vector: FieldVector): Seq[MinorType] = vector.getMinorType +: vector.getChildrenFromFields.asScala.toSeq.flatMap(shape)
  }
}

/** A channel into one array of about the right size: the message is not copied again. */
private final class ByteArrayChannel(estimate: Long) extends WritableByteChannel {
  private var bytes = new Array[Byte](math.min(math.max(estimate, 64), Int.MaxValue - 16).toInt)
  private var count = 0

  override def write(from: ByteBuffer): Int = {
    val size = from.remaining
    if (count.toLong + size > Int.MaxValue - 16) throw new IllegalStateException("a single batch of rows exceeds 2 GB")
    if (count + size > bytes.length) bytes = java.util.Arrays.copyOf(bytes, math.max(count + size, math.min(bytes.length.toLong * 2, Int.MaxValue - 16).toInt))
    from.get(bytes, count, size)
    count += size
    size
  }

  def result: Array[Byte] = if (count == bytes.length) bytes else java.util.Arrays.copyOf(bytes, count)

  override def isOpen: Boolean = true

  override def close(): Unit = {}
}
