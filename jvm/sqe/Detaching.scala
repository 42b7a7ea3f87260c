package org.apache.spark.sql.sqe

import java.io.Closeable

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.iceberg.spark.SparkCatalog
import org.apache.spark.internal.Logging
import org.apache.spark.sql.connector.catalog.{CatalogManager, CatalogPlugin}

/** Takes a catalog out of a session. Spark can only forget all of its catalogs at once, so it is taken from where it keeps them. */
object Detaching extends Logging {
  private lazy val kept = {
    val field = classOf[CatalogManager].getDeclaredField("catalogs")
    field.setAccessible(true)
    field
  }

  def forget(session: UserSession, name: String): Unit = session.spark.withActive {
    val manager = session.spark.sessionState.catalogManager
    manager.synchronized(kept.get(manager).asInstanceOf[mutable.HashMap[String, CatalogPlugin]].remove(name)).foreach(close(name, _))
    val conf = session.spark.sessionState.conf
    val prefix = s"spark.sql.catalog.$name"
    conf.getAllConfs.keys.filter(key => key == prefix || key.startsWith(prefix + ".")).foreach(conf.unsetConf)
  }

  private def close(name: String, catalog: CatalogPlugin): Unit =
    try catalog match {
      case iceberg: SparkCatalog => iceberg.icebergCatalog match {
        case open: Closeable => open.close()
        case _ =>
      }
      case _ =>
    } catch { case NonFatal(e) => logWarning(s"closing catalog $name failed", e) }
}
