package org.apache.spark.sql.sqe

import java.io.{BufferedReader, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkConf
import org.apache.spark.sql.classic.SparkSession
import py4j.GatewayServer

/**
 * The driver's entry point. Python starts it with one JSON line on stdin (the gateway's secret, the folder for the
 * stream socket, the Spark settings): a secret on the command line would be readable by every user of the machine.
 *
 * The gateway answers before Spark is there: Python imports its own libraries while the session is being built here.
 * When stdin ends, the owner is gone and the driver leaves too, so a killed server never leaves a JVM behind.
 */
object Boot {
  def main(args: Array[String]): Unit = {
    val stdin = new BufferedReader(new InputStreamReader(System.in, UTF_8))
    val request = Json.parse(stdin.readLine())
    val link = new Link
    val streams = new StreamServer(request("stream_socket").toString, link)
    val gateway = new GatewayServer.GatewayServerBuilder()
      .entryPoint(link)
      .javaPort(0)
      .authToken(request("secret").toString)
      .build()
    gateway.start()
    streams.start()
    println(Json.write(Map("port" -> gateway.getListeningPort)))
    System.out.flush()
    leaveWithOwner(stdin)
    try link.started(buildSession(request("spark")))
    catch {
      case failure: Throwable => link.failedToStart(failure)
    }
  }

  private def buildSession(settings: Any): SparkSession = {
    val conf = new SparkConf(false)
    settings.asInstanceOf[java.util.Map[String, String]].asScala.foreach { case (key, value) => conf.set(key, value) }
    SparkSession.builder().config(conf).getOrCreate()
  }

  private def leaveWithOwner(stdin: BufferedReader): Unit = {
    val watch = new Thread(() => {
      while (stdin.readLine() != null) {}
      // halt, not exit: shutdown hooks can hang on a dead file system, and Iceberg commits are the only side effect.
      // Spark's own temporary folders live under a folder that Python removes.
      Runtime.getRuntime.halt(0)
    }, "sqe-owner-watch")
    watch.setDaemon(true)
    watch.start()
  }
}
