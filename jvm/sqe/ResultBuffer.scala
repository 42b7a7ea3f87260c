package org.apache.spark.sql.sqe

import java.io.{File, RandomAccessFile}
import java.nio.ByteBuffer
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

/**
 * Between the tasks that make batches and the one socket that takes them, in order of partitions. A slow reader first fills
 * `memoryLimit`; then batches go to a file, because a task that waits for a reader holds one of Spark's few slots and two
 * stalled clients would stop everybody; at `diskLimit` tasks wait after all, but not for ever: a reader that takes nothing for
 * `stallMillis` meanwhile loses its statement. No new wave of partitions starts while batches wait (`awaitRoom`), so what is
 * held is these limits and one wave.
 */
final class ResultBuffer(memoryLimit: Long, diskLimit: Long, stallMillis: Long, folder: File) {
  private sealed trait Held { def size: Int }
  private case class InMemory(bytes: Array[Byte]) extends Held { def size: Int = bytes.length }
  private case class OnDisk(offset: Long, size: Int) extends Held

  private val queues = mutable.HashMap.empty[Int, mutable.Queue[Held]]
  private val complete = mutable.HashSet.empty[Int]
  private var memoryUsed = 0L
  private var diskUsed = 0L
  private var failure: Throwable = _
  private var file: RandomAccessFile = _
  private var fileEnd = 0L
  private var lastTaken = System.nanoTime
  private var reading = 0
  private var readerWaits = false

  def put(partition: Int, batch: Array[Byte]): Unit = synchronized {
    def full = memoryUsed + batch.length > memoryLimit && diskUsed + batch.length > diskLimit && diskUsed > 0
    while (failure == null && full && !awaited(partition)) {
      // A reader that waits for a slow partition itself is not one that stays away.
      val left = if (readerWaits) stallMillis else stallMillis - (System.nanoTime - lastTaken) / 1000000
      if (left > 0) wait(left) else fail(new Failure.Stalled)
    }
    throwIfFailed()
    // The first batch always fits, however large: a limit smaller than one batch must not be a deadlock.
    val held =
      if (memoryUsed == 0 || memoryUsed + batch.length <= memoryLimit) {
        memoryUsed += batch.length
        InMemory(batch)
      } else spill(batch)
    queues.getOrElseUpdate(partition, mutable.Queue.empty) += held
    notifyAll()
  }

  /** The reader stands at this partition and has nothing to read: its next batch must come in, whatever the others have filled. */
  private def awaited(partition: Int): Boolean = partition == reading && !queues.get(partition).exists(_.nonEmpty)

  def finish(partition: Int): Unit = synchronized {
    complete += partition
    notifyAll()
  }

  def fail(cause: Throwable): Unit = synchronized {
    if (failure == null) failure = cause
    notifyAll()
  }

  /** The next batch of this partition, or None at its end. */
  def take(partition: Int): Option[ByteBuffer] = synchronized {
    reading = partition
    def queue = queues.get(partition).filter(_.nonEmpty)
    notifyAll() // the task that is read now may be waiting for room
    readerWaits = true
    while (failure == null && queue.isEmpty && !complete(partition)) wait()
    readerWaits = false
    lastTaken = System.nanoTime
    throwIfFailed()
    val next = queue.map(_.dequeue()).map {
      case InMemory(bytes) =>
        memoryUsed -= bytes.length
        ByteBuffer.wrap(bytes)
      case OnDisk(offset, size) =>
        diskUsed -= size
        read(offset, size)
    }
    if (next.isEmpty) {
      queues.remove(partition)
      complete.remove(partition)
    }
    notifyAll()
    next
  }

  /** Back-pressure between waves: returns when the reader has caught up. */
  def awaitRoom(): Unit = synchronized {
    while (failure == null && (diskUsed > 0 || memoryUsed > memoryLimit / 2)) wait()
    throwIfFailed()
  }

  def close(): Unit = synchronized {
    fail(new Failure.Cancelled)
    queues.clear()
    if (file != null) file.close()
    file = null
  }

  private def throwIfFailed(): Unit = if (failure != null) throw failure

  private def spill(batch: Array[Byte]): Held = {
    if (file == null) file = open()
    // Everything on disk was read: start over instead of growing for ever.
    if (diskUsed == 0) fileEnd = 0
    file.seek(fileEnd)
    file.write(batch)
    val held = OnDisk(fileEnd, batch.length)
    fileEnd += batch.length
    diskUsed += batch.length
    held
  }

  /** The file has no name from the start: a killed driver leaves nothing behind. */
  private def open(): RandomAccessFile = {
    folder.mkdirs()
    val path = File.createTempFile("rows", ".spill", folder)
    try new RandomAccessFile(path, "rw")
    finally path.delete()
  }

  private def read(offset: Long, size: Int): ByteBuffer = {
    val bytes = new Array[Byte](size)
    file.seek(offset)
    file.readFully(bytes)
    ByteBuffer.wrap(bytes)
  }
}

/** How a task, which gets only what was serialised for it, finds the buffer of its statement in this JVM. */
object ResultBuffers {
  private val open = new ConcurrentHashMap[String, ResultBuffer]

  def register(id: String, buffer: ResultBuffer): Unit = open.put(id, buffer)

  def remove(id: String): Unit = open.remove(id)

  def of(id: String): ResultBuffer =
    Option(open.get(id)).getOrElse(throw new IllegalStateException("the statement's reader is not in this process"))
}
