package org.apache.spark.sql.sqe.policy

import java.util
import java.util.{HexFormat, Locale}
import java.security.MessageDigest

import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.expressions.{Alias, VariableReference}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, SubqueryAlias}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, View, ViewChange}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sqe.{Failure, Json}
import org.apache.spark.sql.types.{MetadataBuilder, StructType}

/** Who made a view with SECURITY DEFINER, as it was then. What they may do now, Python knows. */
final case class Definer(user: String, roles: Seq[String], groups: Seq[String], provider: String) {
  def facts: Map[String, Any] = Map("user" -> user, "roles" -> roles, "groups" -> groups, "provider" -> provider)
}

object Definer {
  def of(facts: Map[String, Any]): Definer = {
    def texts(key: String): Seq[String] = facts(key).asInstanceOf[util.List[String]].asScala.toSeq.sorted
    Definer(facts("user").asInstanceOf[String], texts("roles"), texts("groups"), facts("provider").asInstanceOf[String])
  }
}

/**
 * Views that run with the rights of who made them. The definer stands in a property of the view, signed with the server's key
 * together with the view's name and text: whoever can write to the catalog without SQE can neither name another definer nor
 * give a definer's view another text or place. What is not signed so is not read.
 */
object DefinerView extends Logging {
  /** What a statement says, `SECURITY DEFINER` written as a property. */
  private val asked = "sqe.security"
  /** What SQE writes down. Nobody else sets it or takes it away. */
  private val record = "sqe.definer"
  private val ours = "sqe."
  private val deepest = 20

  /** All of a view that its meaning depends on. */
  final case class Body(
      catalog: String, name: Identifier, sql: String, home: Seq[String], columns: Seq[String], queryColumns: Seq[String]) {
    private def text(definer: Definer): String = Json.write(Seq(
      catalog, name.namespace.toSeq, name.name, sql, home, columns, queryColumns,
      definer.user, definer.roles, definer.groups, definer.provider))

    def signature(key: String, definer: Definer): String = {
      val mac = Mac.getInstance("HmacSHA256")
      mac.init(new SecretKeySpec(HexFormat.of.parseHex(key), "HmacSHA256"))
      HexFormat.of.formatHex(mac.doFinal(text(definer).getBytes("UTF-8")))
    }
  }

  /** The properties of a view that is made or replaced now, with its definer when the statement asks for one. */
  def recorded(body: Body, properties: util.Map[String, String], policy: SessionPolicy, replaced: => Option[View]): util.Map[String, String] = {
    val (own, plain) = properties.asScala.toMap.partition { case (key, _) => isOurs(key) }
    val me = policy.identity
    val definer = own.get(asked).exists(_.equalsIgnoreCase("definer"))
    val foreign = own.filter {
      case (`asked`, value) => !value.equalsIgnoreCase("definer") && !value.equalsIgnoreCase("invoker")
      case (`record`, user) => !definer || user != me.user // as SHOW CREATE VIEW tells its definer
      case _ => true
    }
    if (foreign.nonEmpty) refuse(foreign.keys.min)
    if (definer) {
      if (!policy.enforced) throw new Failure.Refused("SECURITY DEFINER is not available: this server has no policy")
      val key = policy.viewKey.getOrElse(throw new Failure.Refused("SECURITY DEFINER is not available: this server has no policy.mask_key"))
      (plain + (record -> Json.write(me.facts + ("signature" -> body.signature(key, me))))).asJava
    }
    // Iceberg keeps the properties of a view that is replaced.
    else if (replaced.exists(hasRecord)) (plain + (record -> "")).asJava
    else plain.asJava
  }

  def mayChange(changes: Seq[ViewChange]): Unit = changes.foreach {
    case set: ViewChange.SetProperty if isOurs(set.property) => refuse(set.property)
    case unset: ViewChange.RemoveProperty if isOurs(unset.property) => refuse(unset.property)
    case _ =>
  }

  /** The name is signed. */
  def mayRename(view: => View): Unit =
    if (hasRecord(view)) throw new Failure.Refused("A view with SECURITY DEFINER keeps its name; make it anew under the other one")

  private def isOurs(key: String): Boolean = key.toLowerCase(Locale.ROOT).startsWith(ours)

  private def refuse(property: String): Nothing =
    throw new Failure.Refused(s"The property $property is not for users to set; write CREATE VIEW … SECURITY DEFINER AS …")

  private def hasRecord(view: View): Boolean = !view.properties.getOrDefault(record, "").isEmpty

  /** A view as its catalog has it, with its definer in a form that only `of` reads. */
  def loaded(view: View, body: => Body, policy: Option[SessionPolicy]): View =
    if (hasRecord(view)) new Marked(view, definer(view, body, policy), policy.isDefined)
    else if (view.properties.containsKey(record)) new Plain(view)
    else view

  private def definer(view: View, body: => Body, policy: Option[SessionPolicy]): Option[Definer] = Try {
    val written = Json.parse(view.properties.get(record))
    val definer = Definer.of(written)
    // Without a policy nobody reads it as a definer's view; the name is shown.
    if (policy.isEmpty) Some(definer)
    else policy.flatMap(_.viewKey).map(body.signature(_, definer)).filter { right =>
      MessageDigest.isEqual(right.getBytes("UTF-8"), written("signature").asInstanceOf[String].getBytes("UTF-8"))
    }.map(_ => definer)
  }.toOption.flatten

  private class Plain(view: View) extends View {
    override def name(): String = view.name
    override def query(): String = view.query
    override def currentCatalog(): String = view.currentCatalog
    override def currentNamespace(): Array[String] = view.currentNamespace
    override def schema(): StructType = view.schema
    override def queryColumnNames(): Array[String] = view.queryColumnNames
    override def columnAliases(): Array[String] = view.columnAliases
    override def columnComments(): Array[String] = view.columnComments
    override def properties(): util.Map[String, String] = (view.properties.asScala.toMap - record).asJava
  }

  /** The mark is in the columns' metadata: of a view, that alone is in the plan which Iceberg makes of it, from the same load. */
  private final class Marked(view: View, definer: Option[Definer], marks: Boolean) extends Plain(view) {
    override def schema(): StructType = if (!marks) super.schema
    else StructType(super.schema.map { field =>
      field.copy(metadata = new MetadataBuilder().withMetadata(field.metadata).putString(record, definer.fold("")(who => Json.write(who.facts))).build())
    })
    override def properties(): util.Map[String, String] =
      (super.properties.asScala.toMap + (asked -> "definer") ++ definer.map(record -> _.user)).asJava
  }

  /** Whether a plan is what a name of such a view became. */
  def is(plan: LogicalPlan): Boolean = plan match {
    case SubqueryAlias(_, Project(list, _)) => list.exists { case alias: Alias => alias.explicitMetadata.exists(_.contains(record)); case _ => false }
    case _ => false
  }

  /**
   * The view's rows, analyzed with the definer's rights: their filters and masks are in the plan. Nothing of it can be bound,
   * reordered or shown by whoever reads it. Like a policy's texts it does not depend on what its reader can set in a session.
   */
  def secured(spark: SparkSession, session: SessionPolicy, plan: LogicalPlan): SubqueryAlias = plan match {
    case alias @ SubqueryAlias(name, body @ Project(list, _)) =>
      val view = TableName.of(name.qualifier :+ name.name)
      val definer = list.collectFirst { case column: Alias => column.explicitMetadata.map(_.getString(record)) }.flatten.filter(_.nonEmpty)
        .map(text => Definer.of(Json.parse(text))).getOrElse(throw new Failure.ViewUnusable(view))
      if (SessionPolicy.depth >= deepest) throw new Failure.ViewUnusable(view)
      val clean = body.copy(projectList = list.map {
        case column: Alias => Alias(column.child, column.name)(column.exprId, explicitMetadata = column.explicitMetadata.map(unmarked))
        case column => column
      })
      val rows =
        try SessionPolicy.acting(session.of(definer)) {
            SQLConf.withExistingConf(PolicyText.settings(spark)) {
              withDefinersCatalogs(spark.sessionState.analyzer.executeAndCheck(alias.copy(child = clean), new QueryPlanningTracker))
            }
          }
        catch {
          case known @ (_: Failure.PolicyNeeded | _: Failure.Cancelled) => throw known
          case NonFatal(failure) =>
            logWarning(s"view $view cannot be read with the rights of its definer: ${Failure.describe(failure)("messages")}")
            throw new Failure.ViewUnusable(view)
        }
      if (PolicyText.usesVariables(rows)) throw new Failure.ViewUnusable(view)
      rows.setAnalyzed()
      SubqueryAlias(name, SecuredRelation(rows, view, filtered = true))
    case _ => throw new Failure.Refused("Views of this kind are not available")
  }

  private def unmarked(metadata: org.apache.spark.sql.types.Metadata) = new MetadataBuilder().withMetadata(metadata).remove(record).build()

  /** Spark loads tables again before it runs the statement: with the rights that they were analyzed with. */
  private def withDefinersCatalogs(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case relation: DataSourceV2Relation if !TableName.isServers(relation.table) =>
      relation.copy(catalog = relation.catalog.map(DefinerCatalog.of))
  }
}
