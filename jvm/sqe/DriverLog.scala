package org.apache.spark.sql.sqe

import org.slf4j.{ILoggerFactory, IMarkerFactory, Logger, Marker}
import org.slf4j.event.Level
import org.slf4j.helpers.{BasicMarkerFactory, LegacyAbstractLogger, MessageFormatter, NOPMDCAdapter}
import org.slf4j.spi.{MDCAdapter, SLF4JServiceProvider}

/**
 * The driver's log: warnings and worse as lines on stderr, which Python turns into its own structured log.
 *
 * In place of Log4j, which reads plug-ins and services of every jar before its first line: a quarter of a second of the time from the
 * start of the JVM to a session. (`-Dslf4j.provider` names this class: nothing is looked for.)
 */
final class DriverLog extends SLF4JServiceProvider with ILoggerFactory {
  private val markers = new BasicMarkerFactory
  private val context = new NOPMDCAdapter
  private val loggers = new java.util.concurrent.ConcurrentHashMap[String, Logger]

  override def initialize(): Unit = ()
  override def getRequestedApiVersion: String = "2.0.99"
  override def getLoggerFactory: ILoggerFactory = this
  override def getMarkerFactory: IMarkerFactory = markers
  override def getMDCAdapter: MDCAdapter = context
  override def getLogger(name: String): Logger = loggers.computeIfAbsent(name, new DriverLogger(_))
}

private final class DriverLogger(named: String) extends LegacyAbstractLogger {
  name = named
  private val least = DriverLog.least(named)

  override def isTraceEnabled: Boolean = false
  override def isDebugEnabled: Boolean = false
  override def isInfoEnabled: Boolean = false
  override def isWarnEnabled: Boolean = least <= DriverLog.Warnings
  override def isErrorEnabled: Boolean = least <= DriverLog.Errors
  override protected def getFullyQualifiedCallerName: String = null

  override protected def handleNormalizedLoggingCall(
      level: Level, marker: Marker, message: String, arguments: Array[AnyRef], failure: Throwable): Unit = {
    val text = new StringBuilder(level.toString).append(' ').append(name.substring(name.lastIndexOf('.') + 1)).append(": ")
      .append(MessageFormatter.basicArrayFormat(message, arguments))
    if (failure != null) {
      text.append('\n').append(failure)
      failure.getStackTrace.take(DriverLog.Frames).foreach(frame => text.append("\n\tat ").append(frame))
    }
    System.err.println(text)
  }
}

private object DriverLog {
  val Warnings = 1
  val Errors = 2
  val Nothing = 3
  val Frames = 5

  /** By class or package: what is a warning to Spark's authors and not worth a line here, or would tell too much. */
  private val exceptions = Seq(
    // These report every statement's failure with its plan; the statement's owner gets the error, the log must not get the plan.
    "org.apache.spark.executor.Executor" -> Nothing,
    "org.apache.spark.scheduler.TaskSetManager" -> Nothing,
    "org.apache.spark.sql.execution.datasources.v2." -> Nothing,
    // Cancelling a statement that has no job yet is not worth a warning.
    "org.apache.spark.scheduler.DAGScheduler" -> Errors,
    // Delta hands its plans to the listeners as text.
    "org.apache.spark.sql.catalyst.util.StringUtils" -> Errors,
    "org.apache.spark.util.SparkStringUtils" -> Errors,
    "org.apache.hadoop.util.NativeCodeLoader" -> Errors,
    "org.apache.spark.sql.execution.window.WindowExec" -> Errors,
    "org.apache.spark.SparkConf" -> Errors,
    "org.apache.iceberg.spark.Spark3Util" -> Errors)

  def least(name: String): Int = exceptions.collectFirst { case (start, level) if name.startsWith(start) => level }.getOrElse(Warnings)
}
