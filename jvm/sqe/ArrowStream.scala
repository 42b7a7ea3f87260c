package org.apache.spark.sql.sqe

import java.io.File
import java.nio.ByteBuffer
import java.nio.channels.WritableByteChannel

import scala.reflect.ClassTag

import org.apache.arrow.vector.ipc.{ArrowStreamWriter, WriteChannel}
import org.apache.arrow.vector.ipc.message.{IpcOption, MessageSerializer}
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution._
import org.apache.spark.sql.sqe.kernel.{Fallback, NativeFragment}
import org.apache.spark.sql.types.StructType

/**
 * Runs a planned statement and writes its rows to one channel as an Arrow IPC stream, in order. Rows that are in the
 * driver already start no job. Everything else runs in waves of partitions through a bounded buffer, so that memory does
 * not depend on the size of the result and a reader that stops also stops Spark.
 */
final class ArrowStream(execution: Execution, channel: WritableByteChannel) {
  private val spark = execution.session.spark
  private val schema: StructType = execution.query.analyzed.schema
  private val encoding = BatchEncoding(schema, execution.timeZone)
  private val out = new WriteChannel(channel)
  @volatile private var buffer: ResultBuffer = _
  @volatile private var aborted: Throwable = _
  private var reading: Thread = _
  @volatile var finished = false
  private var bytes = 0L

  def run(): Map[String, Any] = {
    MessageSerializer.serialize(out, ArrowSchema.of(schema, execution.timeZone))
    val plan = execution.result
    try {
      plan match {
        case LocalRows(rows) => send(new RowEncoder(encoding).encode(rows))
        case _ =>
          if (!readHere(plan))
            native(plan)
      }
    } finally ArrowStreamWriter.writeEndOfStream(out, IpcOption.DEFAULT)
    finished = true
    Map("bytes" -> bytes, "shape" -> plan.shape)
  }

  /** Where the native kernel failed and nobody has seen a row yet, the statement runs again, without what failed. */
  private def native(plan: ResultPlan): Unit = {
    val begun = System.nanoTime
    try asJobs(plan)
    catch {
      case failure: Throwable if bytes == 0 && aborted == null && Fallback.reason(failure).isDefined =>
        Fallback.again(spark, failure, begun)(native(ResultPlan.of(spark.withActive(execution.plannedAgain().executedPlan))))
    }
  }

  def abort(cause: Throwable): Unit = {
    aborted = cause
    Option(buffer).foreach(_.fail(cause))
    synchronized(Option(reading).foreach(_.interrupt()))
  }

  private def asJobs(plan: ResultPlan): Unit =
    SQLExecution.withNewExecutionId(execution.query, Some("sqe"))(execution.inJobGroup(spark.withActive(runJobs(plan))))

  /** False: it is no small scan, or too many are being read. */
  private def readHere(plan: ResultPlan): Boolean = plan match {
    case Columns(physical, ordinals) => whileReading(physical)(_.columns(check _)(batches => send(new ColumnEncoder(encoding, ordinals).encode(batches))))
    case Rows(physical) => whileReading(physical)(_.rows(check _)(rows => send(new RowEncoder(encoding).encode(rows))))
    case FewRows(physical) => whileReading(physical)(_.rows(check _)(rows => send(new RowEncoder(encoding).encode(rows))))
    case LocalRows(_) => false
  }

  private def check(): Unit = if (aborted != null) throw aborted

  private def send(batches: BatchEncoding.Batches): Unit =
    try batches.foreach(batch => write(ByteBuffer.wrap(batch)))
    finally batches.close()

  private def whileReading(physical: SparkPlan)(body: SmallScan => Unit): Boolean = spark.withActive(SmallScan.take(physical) { scan =>
    synchronized { reading = Thread.currentThread }
    try body(scan)
    finally synchronized {
      // The thread goes back to its pool: an interrupt that comes now is for nobody.
      reading = null
      Thread.interrupted()
    }
  }).isDefined

  private def runJobs(plan: ResultPlan): Unit = plan match {
    case FewRows(physical) => send(new RowEncoder(encoding).encode(physical.executeCollect().iterator))
    case Rows(physical) => waves(physical.execute(), new RowEncoder(encoding))
    case Columns(native: NativeFragment, ordinals) => waves(native.executeColumnar(), new VectorEncoder(encoding, ordinals))
    case Columns(physical, ordinals) => waves(physical.executeColumnar(), new ColumnEncoder(encoding, ordinals))
    case LocalRows(_) =>
  }

  private def waves[T: ClassTag](rdd: RDD[T], encoder: PartitionEncoder[T]): Unit = {
    val settings = StreamSettings.of(spark)
    buffer = new ResultBuffer(settings.memoryLimit, settings.diskLimit, settings.stallMillis, settings.folder)
    ResultBuffers.register(execution.id, buffer)
    val producer = new Thread(() => produce(rdd, encoder), "sqe-waves")
    // Spark's thread-local properties (job group, execution id) are inherited when a thread is made.
    producer.setDaemon(true)
    try {
      if (aborted != null) throw aborted
      producer.start()
      rdd.partitions.indices.foreach(drain)
    } catch {
      case failure: Throwable =>
        buffer.fail(failure)
        spark.sparkContext.cancelJobGroup(execution.id)
        throw failure
    } finally {
      producer.join()
      ResultBuffers.remove(execution.id)
      buffer.close()
    }
  }

  private def drain(partition: Int): Unit = {
    var next = buffer.take(partition)
    while (next.isDefined) {
      write(next.get)
      next = buffer.take(partition)
    }
  }

  /** A wave is twice the slots: long enough that its last task does not leave the others idle for long. */
  private def produce[T: ClassTag](rdd: RDD[T], encoder: PartitionEncoder[T]): Unit = {
    val context = spark.sparkContext
    try rdd.partitions.indices.grouped(math.max(2 * context.defaultParallelism, 4)).foreach { wave =>
      buffer.awaitRoom()
      if (context.isLocal) context.runJob(rdd, new StreamTask[T](execution.id, encoder), wave)
      else wave.zip(context.runJob(rdd, new RemoteTask[T](encoder), wave)).foreach { case (partition, batches) =>
        batches.foreach(buffer.put(partition, _))
        buffer.finish(partition)
      }
    } catch {
      case failure: Throwable => buffer.fail(failure)
    }
  }

  private def write(batch: ByteBuffer): Unit = {
    bytes += batch.remaining
    while (batch.hasRemaining) channel.write(batch)
  }
}

/** What runs in the task: encode the partition batch by batch and hand each over as soon as it is full. */
final class StreamTask[T](id: String, encoder: PartitionEncoder[T])
    extends ((TaskContext, Iterator[T]) => Unit) with Serializable {
  override def apply(context: TaskContext, items: Iterator[T]): Unit = {
    val buffer = ResultBuffers.of(id)
    encoder.encode(items).foreach(buffer.put(context.partitionId(), _))
    buffer.finish(context.partitionId())
  }
}

/** The same on an executor, from where Spark brings a wave's batches to the driver; `spark.driver.maxResultSize` is their limit. */
final class RemoteTask[T](encoder: PartitionEncoder[T]) extends ((TaskContext, Iterator[T]) => Array[Array[Byte]]) with Serializable {
  override def apply(context: TaskContext, items: Iterator[T]): Array[Array[Byte]] = encoder.encode(items).toArray
}

/** The limits of a stream, as the server set them (`[query]` of sqe.toml). */
final case class StreamSettings(memoryLimit: Long, diskLimit: Long, stallMillis: Long, folder: File)

object StreamSettings {
  def of(spark: org.apache.spark.sql.classic.SparkSession): StreamSettings = {
    val conf = spark.sparkContext.getConf
    StreamSettings(
      conf.getSizeAsBytes("spark.sqe.stream.memory", "32m"),
      conf.getSizeAsBytes("spark.sqe.stream.disk", "4g"),
      conf.getTimeAsMs("spark.sqe.stream.stall", "5min"),
      new File(conf.get("spark.local.dir", System.getProperty("java.io.tmpdir"))))
  }
}
