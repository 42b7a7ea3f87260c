package org.apache.spark.sql.sqe.kernel

import java.io.{Closeable, IOException}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.util
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import scala.collection.mutable.ArrayBuffer

import org.apache.iceberg.io.{IOUtil, RangeReadable, SeekableInputStream}
import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging

/** The files of a scan that lie in a store, whose session reads them, and the table's own access to them. */
final case class RemoteFiles(session: String, table: InThisJvm, files: Seq[RemoteFile])

/**
 * Sees to it that the copies of a fragment's remote files are there and may be used: a session that did not make a copy itself
 * has read the end of the object with its own keys, just now, and found what the copy ends with. A store that refuses is heard by
 * Iceberg's reader, and so is its error. What is claimed stays until this is closed.
 */
final class Fetch(cache: FileCache, wanted: Seq[RemoteFiles], context: TaskContext) extends AutoCloseable with Logging {
  import Fetch._

  private final case class Wanted(scan: RemoteFiles, file: RemoteFile) {
    val right: Right = Right(scan.session, scan.table.name, file.name)

    def open(): SeekableInputStream = scan.table.io.newInputFile(file.location, file.length).newStream()
  }

  private val claimed = ArrayBuffer[cache.Copy]()
  private val failure = new AtomicReference[Throwable]
  @volatile private var stopped = false

  def run(): Unit = {
    var left = wanted.flatMap(scan => scan.files.map(Wanted(scan, _))).distinctBy(_.right)
    var changed = 0
    while (left.nonEmpty) {
      // A file that two tables have is asked for as each of them, one after the other.
      val now = left.distinctBy(_.file.name)
      val round = now.zip(claim(now.map(_.file)))
      val made = round.collect { case (each, (copy, true)) => new Filling(each, copy) }
      val there = round.collect { case (each, (copy, false)) if copy.isReady => (each, copy) }
      val (known, unknown) = there.partition { case (each, _) => rights.has(each.right) }
      val checks = unknown.map { case (each, copy) => new Check(each, copy) }
      try work(checks ++ made.flatMap(_.parts))
      finally made.foreach(_.close())
      val replaced = checks.filterNot(_.same)
      replaced.foreach(check => cache.drop(check.copy))
      changed += replaced.size
      if (changed > mostChanges) throw new IOException("objects that change")
      val others = round.collect { case (_, (copy, false)) if !there.exists(_._2 eq copy) => copy }
      others.foreach(awaitOther)
      val settled = (known.map(_._1) ++ made.map(_.wanted) ++ checks.filter(_.same).map(_.wanted)).map(_.right).toSet
      left = left.filterNot(each => settled.contains(each.right))
    }
  }

  private def claim(files: Seq[RemoteFile]): Seq[(cache.Copy, Boolean)] = {
    val copies = cache.claim(files)
    claimed ++= copies.map(_._1)
    copies
  }

  private def awaitOther(copy: cache.Copy): Unit = while (!cache.await(copy, lookMillis)) stopIfCancelled()

  private def stopIfCancelled(): Unit = if (context.isInterrupted()) throw new IOException("stopped")

  private sealed trait Work {
    def apply(buffer: () => Array[Byte]): Unit
  }

  /** Whether the object can be read by this session, and is still what was copied. */
  private final class Check(val wanted: Wanted, val copy: cache.Copy) extends Work {
    @volatile var same = false

    override def apply(buffer: () => Array[Byte]): Unit = {
      val expected = copy.ending
      val found = new Array[Byte](expected.length)
      reading(wanted.open())(readAt(_, wanted.file.length - found.length, found, found.length))
      same = util.Arrays.equals(expected, found)
      if (same) rights.add(wanted.right)
    }
  }

  /** A copy in parts, which several threads make. */
  private final class Filling(val wanted: Wanted, copy: cache.Copy) extends Closeable {
    private val length = wanted.file.length
    private val offsets = 0L until length by partBytes.toLong
    private val missing = new AtomicInteger(offsets.size)
    private var channel: FileChannel = _
    private var closed = false

    def parts: Seq[Work] = offsets.map(offset => new Work {
      override def apply(buffer: () => Array[Byte]): Unit = {
        val part = buffer()
        val count = math.min(partBytes.toLong, length - offset).toInt
        reading(wanted.open())(readAt(_, offset, part, count))
        write(ByteBuffer.wrap(part, 0, count), offset)
        FileCache.fetched.addAndGet(count.toLong)
        if (missing.decrementAndGet() == 0) finish()
      }
    })

    private def write(bytes: ByteBuffer, offset: Long): Unit = onDisk {
      val file = opened
      var at = offset
      while (bytes.hasRemaining) at += file.write(bytes, at)
    }

    /** Not by a thread that comes back from the store when all is over. */
    private def opened: FileChannel = synchronized {
      if (closed) throw new IOException("closed")
      if (channel == null) channel = cache.create(copy)
      channel
    }

    private def finish(): Unit = {
      synchronized(channel.close())
      cache.finished(copy)
      rights.add(wanted.right)
    }

    /** Without all of its parts nothing is left of it. */
    override def close(): Unit = {
      synchronized {
        closed = true
        if (channel != null) channel.close()
      }
      if (!copy.isReady) cache.drop(copy)
    }
  }

  private def onDisk[T](body: => T): T =
    try body
    catch { case broken: IOException if !stopped => throw new NoRoom(broken.getClass.getSimpleName) }

  private def reading(stream: SeekableInputStream)(body: SeekableInputStream => Unit): Unit =
    try body(stream)
    finally stream.close()

  /** By threads that end with it, or, where it is cancelled while a store does not answer, with their connection's time limit. */
  private def work(items: Seq[Work]): Unit = if (items.nonEmpty) {
    val queue = new ConcurrentLinkedQueue[Work]()
    items.foreach(queue.add)
    val count = math.min(mostThreads, items.size)
    val done = new CountDownLatch(count)
    val threads = Seq.tabulate(count) { number =>
      val thread = new Thread(() => try workOff(queue) finally done.countDown(), s"sqe-native-fetch-$number")
      thread.setDaemon(true)
      thread
    }
    threads.foreach(_.start())
    try while (!done.await(lookMillis, TimeUnit.MILLISECONDS)) stopIfCancelled()
    finally {
      stopped = stopped || done.getCount > 0
      if (stopped) threads.foreach(_.interrupt())
    }
    Option(failure.get).foreach(throw _)
  }

  private def workOff(queue: ConcurrentLinkedQueue[Work]): Unit = {
    lazy val buffer = new Array[Byte](partBytes)
    TaskContext.setTaskContext(context)
    try {
      var next = queue.poll()
      while (next != null && !stopped) {
        next(() => buffer)
        next = queue.poll()
      }
    } catch {
      case broken: Throwable =>
        failure.compareAndSet(null, broken)
        stopped = true
    } finally TaskContext.unset()
  }

  override def close(): Unit = {
    claimed.foreach(cache.giveBack)
    claimed.clear()
  }
}

object Fetch extends Logging {
  /** Why a fragment was given up: the first leaves the kernel everything but the cache, the second is Iceberg's to tell. */
  val noRoom = "no room in the cache of files"
  val unreadable = "files that the store does not give"

  /** Each holds one part: what a fragment needs of the heap is this, four times. */
  private val partBytes = 4 << 20
  private val mostThreads = 4
  private val mostChanges = 1000
  private val lookMillis = 50L

  /** Before the fragment runs. What comes back keeps the copies, until it is closed. */
  def apply(wanted: Seq[RemoteFiles], context: TaskContext): Option[Fetch] = if (wanted.isEmpty) None else {
    val fetch = new Fetch(FileCache.here, wanted, context)
    try fetch.run()
    catch {
      case failure: Throwable =>
        fetch.close()
        if (context.isInterrupted()) throw failure
        failure match {
          case memory: OutOfMemoryError => throw memory
          case full: NoRoom =>
            logWarning(s"files are read without the cache: ${full.getMessage}")
            Refused(noRoom)
          case other =>
            logWarning(s"files could not be copied from their store: ${other.getClass.getSimpleName}")
            Refused(unreadable)
        }
    }
    Some(fetch)
  }

  private def readAt(stream: SeekableInputStream, offset: Long, into: Array[Byte], count: Int): Unit = stream match {
    case ranges: RangeReadable => ranges.readFully(offset, into, 0, count)
    case other =>
      other.seek(offset)
      IOUtil.readFully(other, into, 0, count)
  }

  final case class Right(session: String, table: String, name: String)

  /** Who could read what a moment ago. */
  private object rights {
    private val most = 100000
    private val goodFor = TimeUnit.SECONDS.toNanos(30)
    private val since = new util.LinkedHashMap[Right, java.lang.Long] {
      override def removeEldestEntry(eldest: util.Map.Entry[Right, java.lang.Long]): Boolean = size > most
    }

    def has(right: Right): Boolean = synchronized(Option(since.get(right)).exists(System.nanoTime - _ < goodFor))

    def add(right: Right): Unit = synchronized {
      since.remove(right)
      since.put(right, System.nanoTime)
    }
  }
}
