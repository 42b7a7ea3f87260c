package org.apache.spark.sql.sqe.policy

import java.util
import java.util.Locale.ROOT

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.sqe.LakeCatalog
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The views of a catalog as listings, DESCRIBE and SHOW tell of them. A view's text names tables and columns: it is for those who may
 * change the view, or who see every column of all that it names. Others do not read the names of hidden columns in it either, which a
 * view over them mostly takes over. Reading a view does not come this way.
 */
final class ShownViews(catalog: LakeCatalog, spark: SparkSession, policy: SessionPolicy) extends ViewCatalog {
  override def loadView(view: Identifier): View = {
    val found = catalog.loadView(view)
    val decision = policy.decision(TableName.of(catalog.name, catalog.storedView(view)))
    if (!decision.restricted && decision.allows("alter")) found
    else {
      val named = policy.decisions(new Gate(spark, policy).tablesOf(found))
      val hidden = decision.hidden ++ named.flatMap(_.hidden)
      if (!decision.restricted && hidden.isEmpty && named.forall(_.shows)) found else new ShownView(found, hidden)
    }
  }

  override def name(): String = catalog.name
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {}
  override def listViews(namespace: String*): Array[Identifier] = catalog.listViews(namespace: _*)
  override def createView(view: ViewInfo): View = catalog.createView(view)
  override def alterView(view: Identifier, changes: ViewChange*): View = catalog.alterView(view, changes: _*)
  override def dropView(view: Identifier): Boolean = catalog.dropView(view)
  override def renameView(from: Identifier, to: Identifier): Unit = catalog.renameView(from, to)
}

object ShownViews {
  /** A view as this session may know it. */
  def of(catalog: LakeCatalog, spark: SparkSession, view: Identifier): View = SessionPolicy.binding(spark) match {
    case None => catalog.loadView(view)
    case Some(policy) => spark.withActive(new ShownViews(catalog, spark, policy).loadView(view)) // its settings, in any thread
  }
}

/** A view without what tells of the tables below it. */
private final class ShownView(view: View, hidden: Set[String]) extends View {
  override def name(): String = view.name
  override def query(): String = "(not shown)"
  override def currentCatalog(): String = null
  override def currentNamespace(): Array[String] = Array.empty
  override def schema(): StructType = StructType(view.schema.filterNot(column => hidden(column.name.toLowerCase(ROOT))))
  override def queryColumnNames(): Array[String] = Array.empty
  override def columnAliases(): Array[String] = schema().fieldNames
  override def columnComments(): Array[String] = schema().fields.map(_.getComment.orNull)
  override def properties(): util.Map[String, String] =
    view.properties.asScala.filter { case (key, _) => VisibleTable.harmless(key) }.asJava
}
