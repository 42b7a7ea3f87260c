package org.apache.spark.sql.sqe.kernel

import java.io.File
import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicLong

import com.sun.management.OperatingSystemMXBean
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.policy.SessionPolicy

/**
 * What every fragment of a server is given: `[engine]` of sqe.toml. `among`: the tasks of the fragment that run on a machine at the same time,
 * which share its memory. Without a folder it is the executor's own.
 */
final case class KernelSettings(memory: Long, threads: Int, folder: String, among: Int)

object KernelSettings {
  /** The session's word, which may be the server's. */
  private val sessionKey = "spark.sqe.native"
  private val serverKey = "spark.sqe.native.server"
  private val skipKey = "spark.sqe.native.skip"
  private val uncachedKey = "spark.sqe.native.uncached"
  private val uncountedKey = "spark.sqe.native.uncounted"
  private val shapeKey = "spark.sqe.native.shape"

  def mode(session: SparkSession): String =
    if (session.sparkContext.getLocalProperty(skipKey) != null) "off"
    else session.sessionState.conf.getConfString(sessionKey, "server") match {
      case "server" => session.sparkContext.conf.get(serverKey, "off")
      case own => own
    }

  /** `auto`, or for tests and measurements one shape wherever it is possible: `one`, `partitions`, or `repeated`, which is partitions that each make the other sides of joins. */
  def shape(session: SparkSession): String = session.sessionState.conf.getConfString(shapeKey, "auto")

  /** Plans and runs `body` without the kernel: also what Spark plans later, or on threads of its own, which inherit the property. */
  def skipping[T](session: SparkSession)(body: => T): T = having(session, skipKey)(body)

  /** With the kernel, but without copies of files. */
  def uncached[T](session: SparkSession)(body: => T): T = having(session, uncachedKey)(body)

  /** What the kernel takes and leaves is no user's, and in no metric. */
  def uncounted[T](session: SparkSession)(body: => T): T = having(session, uncountedKey)(body)

  def counts(session: SparkSession): Boolean = session.sparkContext.getLocalProperty(uncountedKey) == null

  /** What a session is told that shall not have this word of its server's. */
  def never(word: String, root: SparkSession): Map[String, String] =
    if (root.sparkContext.conf.get(serverKey, "off") == word) Map(sessionKey -> "auto") else Map()

  private def having[T](session: SparkSession, key: String)(body: => T): T = {
    val context = session.sparkContext
    val before = context.getLocalProperty(key)
    context.setLocalProperty(key, "true")
    try body
    finally context.setLocalProperty(key, before)
  }

  /** Where tasks run in this process, and the session is somebody's. */
  def mayCache(session: SparkSession): Boolean = session.sparkContext.isLocal && session.sparkContext.getLocalProperty(uncachedKey) == null

  def of(session: SparkSession): KernelSettings = {
    val conf = session.sparkContext.getConf
    val memory = conf.getOption("spark.sqe.native.memory").fold(KernelMemory.ofMachine)(JavaUtils.byteStringAsBytes)
    val local = session.sparkContext.isLocal
    KernelSettings(memory, if (local) session.sparkContext.defaultParallelism else conf.getInt("spark.executor.cores", 1),
      if (local) new File(folder(session), "native").getPath else "", among = 1)
  }

  /** The driver's own, which goes with it. */
  def folder(session: SparkSession): File = new File(session.sparkContext.getConf.get("spark.local.dir", System.getProperty("java.io.tmpdir")))
}

/** The kernel's memory is outside of Java's heap and Spark's accounting: what all fragments together may take is shared here. */
object KernelMemory {
  private val taken = new AtomicLong
  /** With less than this a single row group of Parquet may not fit, and nothing can be spilled of it. */
  private val least = 128L << 20
  private val most = 2L << 30

  /** A quarter of the machine's, or of the container's: the heap and its owner's other programs are beside it on a laptop. */
  lazy val ofMachine: Long = {
    val machine = ManagementFactory.getOperatingSystemMXBean.asInstanceOf[OperatingSystemMXBean]
    math.max(least, math.min(most, machine.getTotalMemorySize / 4))
  }

  /** Half of what is left: one fragment alone has much, and many at once have enough to spill with. A fragment's tasks have one's together. */
  def take(all: Long, among: Int): Long = {
    var share = 0L
    taken.updateAndGet { now =>
      share = math.max(least, math.min((all - now) / 2, all / (2 * among)))
      now + share
    }
    share
  }

  def giveBack(share: Long): Unit = taken.addAndGet(-share)

  def inUse: Long = taken.get
}

/** The cache of files, for a session that is somebody's. */
final case class CacheUse(cache: FileCache, session: String)

object CacheUse {
  def of(session: SparkSession): Option[CacheUse] = for {
    owner <- SessionPolicy.idOf(session) if KernelSettings.mayCache(session)
    cache <- FileCache.of(new File(KernelSettings.folder(session), "copies").toPath, session.sparkContext.getConf.getSizeAsBytes("spark.sqe.native.cache", "0"))
  } yield CacheUse(cache, owner)
}
