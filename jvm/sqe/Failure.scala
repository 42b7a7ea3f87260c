package org.apache.spark.sql.sqe

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.{SparkException, SparkThrowable}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException

/**
 * What happened, as facts for Python to choose code and words from: Spark's error condition with its parameters, the
 * position, the chain of exception classes. Never a plan: `AnalysisException.getMessage` embeds one.
 */
object Failure {
  final class Cancelled extends RuntimeException("cancelled")

  /** All that may wait for the statement's reader waits, and the reader does not come. */
  final class Stalled extends RuntimeException("stalled")

  /** What the statement asks for is never available; the message is for the user. */
  final class Refused(message: String) extends RuntimeException(message)

  /** Python speaks of a session that an earlier driver had. */
  final class NoSession extends RuntimeException("no such session")

  /** The session has no token to show to this catalog, so the catalog is not asked. */
  final class NoTokenFor(catalog: String) extends RuntimeException(s"Catalog $catalog does not exist")

  /** A statement's failure, with the tables that it had to do with. */
  final class Touching(val touched: Touched, val cause: Throwable) extends RuntimeException(cause)

  /** Nothing has run: Python decides for these tables, puts the decisions and runs the statement again. */
  final class PolicyNeeded(val tables: Seq[String], val definer: Option[policy.Definer] = None) extends RuntimeException("decisions are needed")

  object PolicyNeeded {
    /** All of the results, or all decisions that any of them needs: one question for a hundred schemas, not a hundred. */
    def together[A, B](items: Seq[A])(make: A => B): Seq[B] = {
      val made = items.map(item => Try(make(item)).recover { case needed: PolicyNeeded => needed }.get)
      val needed = made.collect { case needed: PolicyNeeded => needed.tables }.flatten
      if (needed.nonEmpty) throw new PolicyNeeded(needed.distinct)
      made.asInstanceOf[Seq[B]]
    }
  }

  /** A right that the session does not have on something that it may see; the message is for the user. */
  final class Denied(message: String) extends RuntimeException(message)

  object Denied {
    def apply(message: String): Denied = new Denied(message)
  }

  /** A new row is one that its writer could not see. */
  final class RowNotAllowed(table: String) extends RuntimeException(s"a new row of $table does not pass its row filter")

  /** The operator's fault: the texts of a policy do not fit the table. Why is in the log, never in the answer. */
  final class PolicyUnusable(table: String) extends RuntimeException(s"The policy of $table cannot be applied; an administrator has to look at it")

  /** A view's body needs what its reader may not see; naming that would show it. */
  final class ViewUnusable(view: String) extends RuntimeException(s"View $view needs more than you may see, or is broken")

  def describe(failure: Throwable): Map[String, Any] = {
    MemoryGuard.consider(failure)
    val chain = causes(failure)
    val told = chain.collectFirst { case known: SparkThrowable if informative(known) => known }
    Map(
      "classes" -> chain.map(_.getClass.getName),
      "messages" -> chain.map(plainMessage),
      "condition" -> told.map(_.getCondition),
      "sqlstate" -> told.map(_.getSqlState),
      "parameters" -> told.map(_.getMessageParameters.asScala.toMap),
      "line" -> position(chain).map(_._1),
      "column" -> position(chain).map(_._2)) ++ chain.collectFirst { case needed: PolicyNeeded =>
        "policy_needed" -> Map("tables" -> needed.tables, "definer" -> needed.definer.map(_.facts))
      }
  }

  /** A failed job wraps the task's own error in a SparkException without a condition of interest: look inside. */
  private def informative(known: SparkThrowable): Boolean =
    known.getCondition != null && !known.isInternalError && (known match {
      case wrapper: SparkException => wrapper.getCause == null || !wrapper.getCause.isInstanceOf[SparkThrowable]
      case _ => true
    })

  private def plainMessage(failure: Throwable): String = failure match {
    case parse: ParseException => parse.getMessage.trim.takeWhile(_ != '\n')
    case analysis: AnalysisException => analysis.getSimpleMessage
    case other => String.valueOf(other.getMessage)
  }

  private def position(chain: List[Throwable]): Option[(Int, Int)] = chain.collectFirst {
    case parse: ParseException if parse.start.line.isDefined => (parse.start.line.get, parse.start.startPosition.getOrElse(0) + 1)
    case analysis: AnalysisException if analysis.line.isDefined => (analysis.line.get, analysis.startPosition.getOrElse(0) + 1)
  }

  private def causes(failure: Throwable): List[Throwable] = {
    @tailrec def walk(next: Throwable, seen: List[Throwable]): List[Throwable] =
      if (next == null || seen.exists(_ eq next) || seen.size > 16) seen.reverse else walk(next.getCause, next :: seen)
    walk(failure, Nil)
  }
}
