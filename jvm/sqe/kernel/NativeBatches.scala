package org.apache.spark.sql.sqe.kernel

import java.util.concurrent.{Executors, ScheduledFuture, TimeUnit}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.arrow.c.{ArrowArrayStream, Data}
import org.apache.arrow.vector.{FieldVector, VectorSchemaRoot}
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.util.ArrowUtils
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** The kernel could not run a fragment. Nothing of its message is for users: the statement runs again on Spark. */
final class NativeFailed(val reason: String, cause: Throwable) extends RuntimeException(s"native: $reason", cause)

/**
 * The rows of one fragment, from the first look at its files to the end of the task. The first batches are held back until the
 * fragment has ended or they are many: as long as nothing has left, a failure is no failure, since Spark can run the statement.
 */
final class NativeBatches(query: NativeQuery, context: TaskContext) extends Iterator[ColumnarBatch] with Logging {
  private val allocator = ArrowUtils.rootAllocator.newChildAllocator("sqe-native", 0, Long.MaxValue)
  private val instance = new NativeInstance(query)
  private val held = mutable.Queue[VectorSchemaRoot]()
  private val feeds = mutable.ArrayBuffer[(FedReader, ArrowArrayStream)]()
  private val builds = mutable.ArrayBuffer[(ArrowReader, ArrowArrayStream)]()
  private var copies: Option[Fetch] = None
  private var heldBytes = 0L
  private var current: VectorSchemaRoot = _
  private var reader: ArrowReader = _
  private var ended = false
  private var closed = false
  private val watch = NativeBatches.watch(context, instance)
  context.addTaskCompletionListener[Unit](_ => close())

  override def hasNext: Boolean = {
    if (!closed && held.isEmpty && !ended) guarded {
      if (reader == null) start()
      holdBack()
    }
    val more = !closed && held.nonEmpty
    if (!more) close()
    more
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException
    release()
    current = held.dequeue()
    new ColumnarBatch(current.getFieldVectors.asScala.map(vector => new NativeColumn(vector): ColumnVector).toArray, current.getRowCount)
  }

  private def start(): Unit = {
    copies = Fetch(query.files.flatMap(_.remote), context)
    instance.open()
    query.files.foreach(FileCheck(instance, _))
    DeletedRows.load(instance, query.files.flatMap(_.deleted))
    query.built.foreach(build)
    query.fed.foreach(feed)
    reader = instance.run(query.own.fold(query.sql)(_.filled(query.sql, instance.first)), allocator, NativeBatches.batchRows)
    heldBytes = 0
  }

  private def feed(scan: FedScan): Unit = {
    val columns = new FedReader(allocator, scan, query.settings.threads, context)
    val stream = ArrowArrayStream.allocateNew(allocator)
    feeds += ((columns, stream))
    Data.exportArrayStream(allocator, columns, stream)
    instance.feed(scan.name, stream)
  }

  private def build(table: BuiltTable): Unit = {
    val (columns, stream) = (table.reader(allocator), ArrowArrayStream.allocateNew(allocator))
    builds += ((columns, stream))
    Data.exportArrayStream(allocator, columns, stream)
    instance.build(table, stream)
  }

  /** Many before the first one leaves, later one at a time. */
  private def holdBack(): Unit = {
    val enough = if (current == null) NativeBatches.heldBytes else 1
    heldBytes = 0
    while (!ended && heldBytes < enough) {
      if (reader.loadNextBatch()) take(reader.getVectorSchemaRoot) else ended = true
    }
  }

  private def take(root: VectorSchemaRoot): Unit = if (root.getRowCount > 0) {
    val vectors = root.getFieldVectors.asScala.map { vector =>
      val own = vector.getTransferPair(allocator)
      own.transfer()
      own.getTo.asInstanceOf[FieldVector]
    }
    heldBytes += vectors.map(_.getBufferSize.toLong).sum
    held.enqueue(new VectorSchemaRoot(vectors.map(_.getField).asJava, vectors.asJava, root.getRowCount))
  }

  /** A failure that a cancelled task caused is the cancel's. */
  private def guarded(body: => Unit): Unit =
    try body
    catch {
      case failure: Throwable =>
        close()
        context.getKillReason().foreach(reason => throw new TaskKilledException(reason))
        val reason = failure match {
          case refused: Refused => refused.reason
          case memory: OutOfMemoryError => throw memory
          case other =>
            logWarning(s"the native kernel failed: ${NativeBatches.firstLine(other)}")
            NativeBatches.kind(other)
        }
        KnownFailures.add(query, reason)
        throw new NativeFailed(reason, null)
    }

  private def closed(columns: ArrowReader, stream: ArrowArrayStream): Unit =
    try {
      stream.release() // where the kernel did not take it over
      stream.close()
      columns.close()
    } catch { case failure: Exception => logWarning("closing a scan of the native kernel failed", failure) }

  private def release(): Unit = if (current != null) current.close()

  private def close(): Unit = synchronized {
    if (!closed) {
      closed = true
      watch.cancel(false)
      release()
      held.foreach(_.close())
      held.clear()
      // The kernel's threads may wait for columns.
      feeds.foreach { case (columns, _) => columns.stop() }
      try if (reader != null) reader.close()
      catch { case failure: Exception => logWarning("closing the native kernel's rows failed", failure) }
      instance.close()
      (feeds ++ builds).foreach { case (columns, stream) => closed(columns, stream) }
      copies.foreach(_.close())
      // Throws if something is still held: a defect, and no reason to fail a statement that has its rows.
      try allocator.close()
      catch {
        case leak: IllegalStateException =>
          Counters.leaks.incrementAndGet()
          logError(s"the native kernel's rows were not all released: ${NativeBatches.firstLine(leak)}")
      }
    }
  }
}

object NativeBatches {
  private val batchRows = 16384
  private val heldBytes = 8L << 20
  private val lookMillis = 50L
  private lazy val watches = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "sqe-native-watch")
    thread.setDaemon(true)
    thread
  }

  /** Native code does not hear an interrupt. */
  private def watch(context: TaskContext, instance: NativeInstance): ScheduledFuture[_] =
    watches.scheduleWithFixedDelay(() => if (context.isInterrupted()) instance.cancel(), lookMillis, lookMillis, TimeUnit.MILLISECONDS)

  private[kernel] def firstLine(failure: Throwable): String = String.valueOf(failure.getMessage).linesIterator.nextOption().getOrElse("")

  private val kinds = "(?:[A-Z][A-Za-z-]* (?:of )?)*Error(?=:)".r

  /** The kernel's own class of error, such as `Out of Memory Error`, wherever it stands in a message. */
  def kind(failure: Throwable): String = kinds.findFirstIn(firstLine(failure)).getOrElse("error").take(40)
}
