package org.apache.spark.sql.sqe

import java.io.{BufferedReader, InputStreamReader, StringReader}
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.util.Properties
import javax.net.ServerSocketFactory

import scala.jdk.CollectionConverters._

import org.apache.commons.io.FileUtils
import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.kernel.{KernelSettings, NativeInstance}
import py4j.GatewayServer

/**
 * The driver's entry point. Python starts it with properties on stdin, up to an empty line (the gateway's secret, the folder for the
 * stream socket, the Spark settings): a secret on the command line would be readable by every user of the machine.
 *
 * The gateway answers before Spark is there: Python imports its own libraries while the session is being built here.
 * When stdin ends, the owner is gone and the driver leaves too, so a killed server never leaves a JVM behind.
 */
object Boot {
  def main(args: Array[String]): Unit = {
    val settingsOfSpark = daemon("sqe-boot-settings")(Class.forName("org.apache.spark.SparkConf$")) // logging, too
    val stdin = new BufferedReader(new InputStreamReader(System.in, UTF_8))
    val request = new Properties
    Iterator.continually(stdin.readLine()).takeWhile(line => line != null && line.nonEmpty)
      .foreach(line => request.load(new StringReader(line)))
    MemoryGuard.watchThreads()
    val link = new Link
    val streams = new StreamServer(request.getProperty("stream_socket"), link)
    val gateway = new GatewayServer.GatewayServerBuilder()
      .entryPoint(link)
      .javaPort(0)
      .authToken(request.getProperty("secret"))
      .serverSocketFactory(PromptSockets)
      .build()
    gateway.start()
    streams.start()
    println(gateway.getListeningPort)
    System.out.flush()
    leaveWithOwner(stdin, Path.of(request.getProperty("folder")))
    settingsOfSpark.join()
    daemon("sqe-boot-libraries")(libraries())
    try {
      val session = buildSession(request, request.getProperty("preload") == "beside")
      val warmUpMillis = if (request.getProperty("preload") == "after") request.getProperty("warm_up_millis").toLong else 0L
      link.warmingUp = warmUpMillis > 0
      link.started(session)
      Preload.run()
      link.preloaded()
      // Its first instance takes a second; a statement that waits already needs the cores more.
      if (request.getProperty("preload") == "after" && KernelSettings.mode(session) != "off") daemon("sqe-native-warm")(NativeInstance.warmUp())
      if (link.warmingUp) daemon("sqe-warm-up")(new WarmUp(session, Path.of(request.getProperty("folder")), warmUpMillis, link).run())
    } catch {
      case failure: Throwable => link.failedToStart(failure)
    }
  }

  /**
   * The classes of Spark SQL are loaded and initialised beside the SparkContext, which needs none of them, when a statement is waiting
   * for this driver already; else when the session is there and clients can log in. Either way the threads join before a session
   * touches those classes, so that no two initialise the same part of Spark SQL.
   */
  private def buildSession(request: Properties, beside: Boolean): SparkSession = {
    val conf = new SparkConf(false)
    request.asScala.foreach { case (key, value) => if (key.startsWith("spark.")) conf.set(key, value) }
    val preload = if (beside) Some(daemon("sqe-preload")(Preload.run())) else None
    val context = SparkContext.getOrCreate(conf)
    StagesInOrder(context)
    preload.foreach(_.join())
    SparkSession.builder().sparkContext(context).getOrCreate()
  }

  /**
   * What the SparkContext and the first call come to a little later, made ready beside it. Nothing of Spark's own: two threads that
   * initialise its classes in different orders could wait for each other for ever.
   */
  private def libraries(): Unit = Seq[() => Any](
    () => Class.forName("org.apache.hadoop.util.Shell"), // starts a process
    () => new org.apache.hadoop.conf.Configuration().get("hadoop.tmp.dir"),
    () => Class.forName("org.apache.hadoop.security.UserGroupInformation"),
    () => Class.forName("io.netty.channel.epoll.Epoll"),
    () => Json.parse(Json.write(Map("ready" -> true)))).foreach { library =>
    try library()
    catch { case _: Throwable => } // whoever needs it meets the same failure and tells it
  }

  private def leaveWithOwner(stdin: BufferedReader, folder: Path): Unit = {
    daemon("sqe-owner-watch") {
      while (stdin.readLine() != null) {}
      // An owner that was killed cannot remove the folder that all our files are in.
      try FileUtils.deleteDirectory(folder.toFile)
      // halt, not exit: shutdown hooks can hang on a dead file system, and Iceberg commits are the only side effect.
      finally Runtime.getRuntime.halt(0)
    }
  }

  private def daemon(name: String)(body: => Unit): Thread = {
    val thread = new Thread(() => body, name)
    thread.setDaemon(true)
    thread.start()
    thread
  }
}

/** What every first statement needs, made ready while Spark's core starts: parser, functions, Iceberg, the SQLite driver. */
private object Preload extends Logging {
  private lazy val once: Unit =
    try {
      CatalystSqlParser.parsePlan("SELECT a, 1 FROM t WHERE a = 'x'")
      FunctionRegistry.builtin
      Seq(
        "org.apache.iceberg.spark.SparkCatalog",
        "org.apache.iceberg.jdbc.JdbcCatalog",
        "org.apache.iceberg.spark.source.SparkTable",
        "org.apache.spark.sql.execution.SparkOptimizer",
        "org.apache.spark.sql.util.ArrowUtils").foreach(Class.forName)
      // Connecting once unpacks and loads SQLite's native library.
      java.sql.DriverManager.getConnection("jdbc:sqlite::memory:").close()
    } catch {
      // Only time is lost; whoever needs the class meets the same failure and tells it.
      case failure: Throwable => logWarning("preloading classes failed", failure)
    }

  def run(): Unit = once
}

/**
 * Sockets that send at once. py4j writes an answer in pieces of 8 kB, and the system would hold the second piece back until the
 * first was confirmed, which takes the other side 40 ms: `SHOW TABLES` of a thousand tables took 60 ms, and takes 15.
 */
private object PromptSockets extends ServerSocketFactory {
  override def createServerSocket(): ServerSocket = new ServerSocket {
    override def accept(): Socket = {
      val socket = super.accept()
      socket.setTcpNoDelay(true)
      socket
    }
  }

  override def createServerSocket(port: Int): ServerSocket = createServerSocket(port, 50)

  override def createServerSocket(port: Int, backlog: Int): ServerSocket = createServerSocket(port, backlog, InetAddress.getLoopbackAddress)

  override def createServerSocket(port: Int, backlog: Int, address: InetAddress): ServerSocket = {
    val made = createServerSocket()
    made.bind(new InetSocketAddress(address, port), backlog)
    made
  }
}
