package org.apache.spark.sql.sqe

import java.io.Closeable

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.iceberg.spark.SparkCatalog
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.SupportsNamespaces
import org.apache.spark.sql.internal.SessionState
import org.apache.spark.sql.sqe.policy.{Definer, Functions, SessionPolicy, Trusted}

/** One SQE session's own Spark session: its catalogs, settings, temporary views and functions are nobody else's. */
final class UserSession(val id: String, val spark: SparkSession, user: String, enforced: Boolean) extends Logging {
  val policy: SessionPolicy = SessionPolicy.bind(id, spark, enforced)

  SafeFunctions.leaveIn(spark.sessionState.functionRegistry)
  if (enforced) Functions.restrict(spark)
  Functions.register(spark, policy)

  /** `current_user()` is the person who asked; Spark's default is the server's own account. */
  def asUser[T](body: => T): T = {
    CurrentUserContext.CURRENT_USER.set(user)
    try body
    finally CurrentUserContext.CURRENT_USER.remove()
  }

  def become(identity: Map[String, Any]): Unit = {
    policy.identity = Definer.of(identity)
    policy.viewKey = Option(identity.getOrElse("view_key", null)).map(_.toString)
  }

  def set(key: String, value: String): Unit = spark.sessionState.conf.setConfString(key, value)

  def unset(key: String): Unit = spark.sessionState.conf.unsetConf(key)

  /** Goes to a schema without a statement: USE would be one, and a session's first statement must not pay for two. */
  def enter(start: Map[String, Any]): Unit = if (start.nonEmpty) spark.withActive(Trusted {
    val manager = spark.sessionState.catalogManager
    val name = start("catalog").toString
    val namespace = start("namespace").asInstanceOf[java.util.List[String]].asScala.toArray
    manager.setCurrentCatalog(name)
    manager.catalog(name) match {
      case catalog: SupportsNamespaces if !catalog.namespaceExists(namespace) =>
        if (start("create") == true)
          try catalog.createNamespace(namespace, java.util.Map.of())
          catch { case NonFatal(_) if catalog.namespaceExists(namespace) => } // another session was faster
      case _ =>
    }
    // No check as USE has: a schema that another user may not see is simply where names are looked up first.
    Try(manager.setCurrentNamespace(namespace))
  })

  /** Gives back what the garbage collector alone would not: catalog connections and pools, temporary views, artifacts. */
  def close(): Unit = spark.withActive {
    val manager = spark.sessionState.catalogManager
    manager.listCatalogs(None).foreach { name =>
      try manager.catalog(name) match {
        case iceberg: SparkCatalog =>
          iceberg.icebergCatalog match {
            case open: Closeable => open.close()
            case _ =>
          }
        case _ =>
      } catch { case NonFatal(e) => logWarning(s"closing catalog $name of session $id failed", e) }
    }
    Try(spark.sessionState.catalog.reset())
    SessionPolicy.unbind(id)
    if (UserSession.hasArtifacts(spark)) Try(spark.artifactManager.close())
  }
}

object UserSession {
  private val artifacts = Try {
    val field = classOf[SessionState].getDeclaredField("artifactManager")
    field.setAccessible(true)
    field
  }

  /** Whether Spark has made the session's folder for artifacts. Asking Spark itself would make it, and closing it starts a process
    * (`rm -rf`): 5 ms for a session that ran no job. */
  private def hasArtifacts(spark: SparkSession): Boolean = artifacts.map(_.get(spark.sessionState) != null).getOrElse(true)
}
