package org.apache.spark.sql.sqe.kernel

import java.util.concurrent.{ArrayBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.arrow.vector.types.pojo.Schema
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.arrow.ArrowWriter
import org.apache.spark.sql.sqe.{ArrowSchema, ColumnCopy}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** The columns of a [[FedScan]], decoded by threads of its own and pulled by the kernel, once. */
final class FedReader(allocator: BufferAllocator, scan: FedScan, threads: Int, context: TaskContext) extends ArrowReader(allocator) {
  private sealed trait Decoded
  private final case class Rows(root: VectorSchemaRoot) extends Decoded
  private final case class Failed(cause: Throwable) extends Decoded
  private case object Ended extends Decoded

  private val arrowSchema = ArrowSchema.of(scan.schema, "UTC")
  private val ready = new ArrayBlockingQueue[Decoded](4)
  private val next = new AtomicInteger
  private val running = new AtomicInteger(math.max(1, math.min(threads, scan.partitions.length)))
  private val decoders = Seq.tabulate(running.get) { number =>
    val thread = new Thread(() => decode(), s"sqe-native-scan-$number")
    thread.setDaemon(true)
    thread
  }
  private var started = false
  private var ended = false
  @volatile private var stopped = false

  override def readSchema(): Schema = arrowSchema

  override def loadNextBatch(): Boolean = {
    // A plan that reads it twice would see some of the rows here and some there.
    if (ended) throw new IllegalStateException("a scan was read twice")
    if (!started) {
      started = true
      decoders.foreach(_.start())
    }
    taken() match {
      case Rows(root) =>
        move(root)
        true
      case Failed(cause) => throw new IllegalStateException("a scan failed", cause)
      case Ended =>
        ended = true
        false
    }
  }

  private def taken(): Decoded = {
    var found: Decoded = null
    while (found == null) {
      if (stopped || context.isInterrupted()) throw new IllegalStateException("stopped")
      found = ready.poll(FedReader.lookMillis, TimeUnit.MILLISECONDS)
    }
    found
  }

  private def move(root: VectorSchemaRoot): Unit = {
    val own = getVectorSchemaRoot
    scan.schema.indices.foreach(i => root.getVector(i).makeTransferPair(own.getVector(i)).transfer())
    own.setRowCount(root.getRowCount)
    root.close()
  }

  private def decode(): Unit = {
    TaskContext.setTaskContext(context)
    try {
      var partition = next.getAndIncrement()
      while (partition < scan.partitions.length && !stopped) {
        scan.decoding match {
          case FedScan.ByColumns | FedScan.FewColumns => columns(scan.factory.createColumnarReader(scan.partitions(partition)))
          case FedScan.ByRows => rows(scan.factory.createReader(scan.partitions(partition)))
        }
        partition = next.getAndIncrement()
      }
    } catch { case failure: Throwable => put(Failed(failure)) }
    finally {
      TaskContext.unset()
      if (running.decrementAndGet() == 0) put(Ended)
    }
  }

  private def columns(reader: PartitionReader[ColumnarBatch]): Unit =
    try while (!stopped && reader.next()) put(Rows(copied(reader.get())))
    finally reader.close()

  private def rows(reader: PartitionReader[InternalRow]): Unit =
    try {
      var more = reader.next()
      while (!stopped && more) put(Rows(made { root =>
        val writer = ArrowWriter.create(root)
        var count = 0
        while (more && count < FedReader.rowsAtOnce) {
          writer.write(reader.get())
          count += 1
          more = reader.next()
        }
        writer.finish()
      }))
    } finally reader.close()

  /** Iceberg uses its vectors again for the next rows. */
  private def copied(batch: ColumnarBatch): VectorSchemaRoot = made { root =>
    scan.schema.indices.foreach { i =>
      val copy = ColumnCopy.into(root.getVector(i), scan.schema(i).dataType)
      copy.reset(batch.numRows)
      copy.copy(batch.column(i), 0, batch.numRows, 0)
      copy.finish(batch.numRows)
    }
    root.setRowCount(batch.numRows)
  }

  private def made(fill: VectorSchemaRoot => Unit): VectorSchemaRoot = {
    val root = VectorSchemaRoot.create(arrowSchema, allocator)
    try {
      fill(root)
      CheckedText(root.getFieldVectors.asScala)
      root
    } catch {
      case failure: Throwable =>
        root.close()
        throw failure
    }
  }

  private def put(item: Decoded): Unit = {
    var done = false
    while (!done && !stopped) done = ready.offer(item, FedReader.lookMillis, TimeUnit.MILLISECONDS)
    if (!done) drop(item)
  }

  private def drop(item: Decoded): Unit = item match {
    case Rows(root) => root.close()
    case _ =>
  }

  def stop(): Unit = stopped = true

  override def bytesRead(): Long = 0

  /** Their threads are gone when this returns: what they hold is Arrow's memory of this fragment. */
  override def closeReadSource(): Unit = {
    stop()
    if (started) decoders.foreach(_.join(FedReader.endMillis))
    var item = ready.poll()
    while (item != null) {
      drop(item)
      item = ready.poll()
    }
  }
}

object FedReader {
  private val rowsAtOnce = 4096
  private val lookMillis = 50L
  private val endMillis = 30000L
}
