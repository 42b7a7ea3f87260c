package org.apache.spark.sql.sqe

import java.net.{StandardProtocolFamily, UnixDomainSocketAddress}
import java.nio.ByteBuffer
import java.nio.channels.{ServerSocketChannel, SocketChannel}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.util.concurrent.{Executors, ThreadFactory}

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging

/**
 * Where rows leave: a unix socket in a folder that only its owner may enter. A client sends the execution's id and a line
 * feed (ids are random, 128 bits) and gets an Arrow IPC stream, then a trailer: four bytes of length, JSON. The trailer says
 * how the statement ended. Without it the stream was cut, however complete it looks: Arrow's reader takes a closed
 * socket for a regular end.
 */
final class StreamServer(path: String, link: Link) extends Logging {
  private val server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
  private val threads = Executors.newCachedThreadPool(named("sqe-stream"))

  def start(): Unit = {
    server.bind(UnixDomainSocketAddress.of(Path.of(path)), 128)
    named("sqe-stream-accept").newThread(() => while (true) {
      val client = server.accept()
      threads.execute(() => try serve(client) finally client.close())
    }).start()
  }

  private def serve(client: SocketChannel): Unit =
    try {
      val id = readLine(client)
      val outcome = link.execution(id) match {
        case Some(execution) => rows(execution, client)
        case None => Map("error" -> Failure.describe(new IllegalStateException("no such statement")))
      }
      val text = Json.write(outcome).getBytes(UTF_8)
      val frame = ByteBuffer.allocate(4 + text.length).putInt(text.length).put(text).flip()
      while (frame.hasRemaining) client.write(frame)
    } catch {
      case NonFatal(e) => logDebug("a reader of rows went away", e)
    }

  private def rows(execution: Execution, client: SocketChannel): Map[String, Any] =
    try {
      val stream = execution.openStream(client)
      Map("ok" -> stream.run())
    } catch {
      case gone: java.io.IOException if !client.isOpen || isBrokenPipe(gone) =>
        execution.cancel()
        throw gone
      case failure: Throwable => Map("error" -> Failure.describe(failure))
    } finally link.ended(execution.id)

  private def isBrokenPipe(e: java.io.IOException): Boolean = String.valueOf(e.getMessage).contains("Broken pipe")

  private def readLine(client: SocketChannel): String = {
    val line = new StringBuilder
    val one = ByteBuffer.allocate(1)
    while (line.length < 256 && client.read(one.clear()) == 1 && one.get(0) != '\n') line.append(one.get(0).toChar)
    line.toString
  }

  private def named(prefix: String): ThreadFactory = task => {
    val thread = new Thread(task, prefix)
    thread.setDaemon(true)
    thread
  }
}
