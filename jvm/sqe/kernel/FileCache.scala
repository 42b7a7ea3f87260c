package org.apache.spark.sql.sqe.kernel

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, StandardCopyOption, StandardOpenOption}
import java.nio.file.attribute.PosixFilePermissions
import java.util
import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Try

/** A data file in a store, and the name of its copy here ([[StoreIdentity]]). */
final case class RemoteFile(location: String, length: Long, name: String)

/** The disk or the limit has no room for a copy. Nothing is wrong with the object: Iceberg's reader can have it. */
final class NoRoom(why: String) extends IOException(why)

/**
 * Copies of whole data files of object stores, on the driver's disk, in the order of their last use. Iceberg never changes a data
 * file, so a copy is good as long as its object is there. Who may use one is decided elsewhere ([[Fetch]]), each time.
 *
 * The folder is a part of the driver's own, which nobody else can enter and which goes with the driver: a new one begins with nothing.
 */
final class FileCache(folder: Path, limit: Long) {
  import FileCache._

  /** One copy, from the claim of its room. All of its state is guarded by the cache. */
  final class Copy private[FileCache] (val file: RemoteFile) {
    private[FileCache] var pins = 0
    private[FileCache] var state: State = Filling
    private[FileCache] var stamp: Map[String, AnyRef] = Map.empty
    private[FileCache] var end: Array[Byte] = Array.emptyByteArray
    val path: Path = pathOf(file)
    private[kernel] val unfinished: Path = folder.resolve(s"${UUID.randomUUID()}.part")

    def isReady: Boolean = FileCache.this.synchronized(state == Ready)

    /** The last bytes of the object, when it was copied. */
    def ending: Array[Byte] = FileCache.this.synchronized(end)
  }

  private val copies = new util.LinkedHashMap[String, Copy](64, 0.75f, true)
  private var bytes = 0L

  def pathOf(file: RemoteFile): Path = folder.resolve(file.name + ".parquet")

  /** Whether a scan of so much may go through it: it would evict everything else, or fill the disk, for rows that are read once. */
  def takes(size: Long): Boolean = size <= limit && size <= kept + usable

  private def kept: Long = synchronized(bytes)

  private def usable: Long = math.max(0, folder.toFile.getUsableSpace - leftFree)

  /**
   * The copies of these files, all of them different, in their order, and whether the caller has to make it. None goes away before it is
   * given back. One that is neither the caller's nor ready is being made by somebody else.
   */
  def claim(files: Seq[RemoteFile]): Seq[(Copy, Boolean)] = synchronized {
    // First what is here, so that room for the others is not made of it.
    val here = files.map(file => copies.get(file.name)).filter(intact)
    here.foreach(_.pins += 1)
    hits.addAndGet(here.size.toLong)
    val known = here.map(copy => copy.file.name -> copy).toMap
    val made = ArrayBuffer[Copy]()
    try files.map { file =>
      known.get(file.name).map((_, false)).getOrElse {
        made += begun(file)
        (made.last, true)
      }
    } catch {
      case failure: Throwable =>
        here.foreach(_.pins -= 1)
        made.foreach(forget)
        throw failure
    }
  }

  private def begun(file: RemoteFile): Copy = {
    val old = copies.values.asScala.iterator.filter(copy => copy.pins == 0 && copy.state == Ready).toSeq.iterator
    while (bytes + file.length > limit && old.hasNext) {
      forget(old.next())
      evictions.incrementAndGet()
    }
    if (bytes + file.length > limit || file.length > usable) throw new NoRoom("no room for a copy")
    misses.incrementAndGet()
    val copy = new Copy(file)
    copy.pins = 1
    copies.put(file.name, copy)
    bytes += file.length
    copy
  }

  /** Still what was written. One that anybody touched since is made again. */
  private def intact(copy: Copy): Boolean = copy != null && (copy.state == Filling || {
    val same = Try(stampOf(copy.path)).toOption.contains(copy.stamp)
    if (!same) forget(copy)
    same
  })

  /** Its last byte is written: under its name from now on, for everybody who may. */
  def finished(copy: Copy): Unit = {
    val ending = new Array[Byte](endBytes(copy.file.length))
    val file = FileChannel.open(copy.unfinished, StandardOpenOption.READ)
    try {
      val (start, end) = (ByteBuffer.allocate(magic.length), ByteBuffer.wrap(ending))
      file.read(start, 0)
      file.read(end, copy.file.length - ending.length)
      if (file.size != copy.file.length || !util.Arrays.equals(start.array, magic) || !util.Arrays.equals(ending.takeRight(magic.length), magic))
        throw new IOException("not the whole of a Parquet file")
    } finally file.close()
    synchronized {
      if (copy.state != Filling) throw new IOException("given up")
      Files.move(copy.unfinished, copy.path, StandardCopyOption.ATOMIC_MOVE)
      copy.stamp = stampOf(copy.path)
      copy.end = ending
      copy.state = Ready
      notifyAll()
    }
  }

  /** Of one that is not, or not any more, what its object is. Whoever waits for it makes it anew. */
  def drop(copy: Copy): Unit = synchronized(forget(copy))

  private def forget(copy: Copy): Unit = {
    if (copies.remove(copy.file.name, copy)) {
      bytes -= copy.file.length
      FileCheck.forget(copy.path.toString)
      Try(Files.deleteIfExists(copy.path))
    }
    Try(Files.deleteIfExists(copy.unfinished))
    copy.state = Gone
    notifyAll()
  }

  /** Until somebody else's copy is made or given up, for so long at most. */
  def await(copy: Copy, millis: Long): Boolean = synchronized {
    if (copy.state == Filling) wait(millis)
    copy.state != Filling
  }

  def giveBack(copy: Copy): Unit = synchronized(copy.pins -= 1)

  def create(copy: Copy): FileChannel = {
    FileChannel.open(copy.unfinished, util.Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))
  }

  def facts: Map[String, Any] = synchronized(Map("native_cache_bytes" -> bytes, "native_cache_pinned" -> copies.values.asScala.count(_.pins > 0)))
}

object FileCache {
  sealed trait State
  private case object Filling extends State
  private case object Ready extends State
  private case object Gone extends State

  private val magic = "PAR1".getBytes("US-ASCII")
  private val mostEndBytes = 1024
  /** Of the disk, which others need, too. */
  private val leftFree = 512L << 20

  val hits = new AtomicLong
  val misses = new AtomicLong
  val evictions = new AtomicLong
  val fetched = new AtomicLong

  def endBytes(length: Long): Int = math.min(mostEndBytes.toLong, length).toInt

  /** The change time cannot be set by anybody: a file that was written to, or exchanged, has another. */
  private def stampOf(path: Path): Map[String, AnyRef] = Files.readAttributes(path, "unix:ino,size,ctime").asScala.toMap

  @volatile private var only: Option[FileCache] = None

  /** The driver's one; None where it is switched off, or the disk does not take it. */
  def of(folder: Path, limit: Long): Option[FileCache] =
    if (limit <= 0) None
    else synchronized {
      if (only.isEmpty) only = Try {
        Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
        new FileCache(folder, limit)
      }.toOption
      only
    }

  def here: FileCache = only.getOrElse(throw new IllegalStateException("no cache in this process"))

  def facts: Map[String, Any] = Map(
    "native_cache_hits" -> hits.get,
    "native_cache_misses" -> misses.get,
    "native_cache_evictions" -> evictions.get,
    "native_cache_fetched" -> fetched.get) ++ only.fold(Map[String, Any]("native_cache_bytes" -> 0L, "native_cache_pinned" -> 0))(_.facts)
}
