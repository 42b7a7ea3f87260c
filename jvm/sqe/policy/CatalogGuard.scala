package org.apache.spark.sql.sqe.policy

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException, NoSuchViewException}
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, Table, View}
import org.apache.spark.sql.sqe.{Execution, Failure}

/**
 * A session's rights at its catalog: what it may not see is not there, and nothing is made, changed or dropped without the
 * right to. Statements that never become a plan of rows (DROP, ALTER, SHOW) are judged here and nowhere else.
 */
final class CatalogGuard(catalog: CatalogPlugin, session: () => String) {
  /** The session's own, for who makes a view. */
  def maker: SessionPolicy = SessionPolicy.ofSession(session())

  def policy: Option[SessionPolicy] =
    if (Trusted.now) None else Some(SessionPolicy.of(session())).filter(_.enforced)

  /** A loaded table, if there is anything that the session may do with it. */
  def seen(identifier: Identifier, table: Table): Table = {
    policy.foreach { rules =>
      val decision = rules.decision(TableName.of(catalog, identifier, table), TableName.columns(table))
      if (!decision.shows) throw new NoSuchTableException(identifier)
    }
    table
  }

  def seenView(asked: Identifier, stored: => Identifier)(load: => View): View = {
    val view = load
    policy.foreach { rules =>
      if (!rules.decision(name(stored), view.schema.fieldNames).shows) throw new NoSuchViewException(asked)
    }
    view
  }

  def sees(identifier: => Identifier): Boolean = policy.forall(_.decision(name(identifier)).shows)

  /** What a schema holds; one that does not show holds nothing, as if it were not there. (Its stored name is a call to the catalog.) */
  def visible(namespace: => Array[String], found: Array[Identifier], inside: => Array[Identifier]): Array[Identifier] = policy match {
    case None => found
    case Some(rules) =>
      rules.needs(schema(namespace) +: found.toSeq.map(name))
      val seen = found.filter(identifier => rules.decision(name(identifier)).shows)
      if (seen.isEmpty && !seesNamespace(namespace, inside)) throw new NoSuchNamespaceException(namespace)
      seen
  }

  /** Why a table could not be loaded (no such snapshot, a damaged file) tells that it is there. */
  def hidingFailures(identifier: Identifier)(load: => Table): Table =
    try load
    catch {
      case missing: NoSuchTableException => throw missing
      case NonFatal(failure) =>
        policy.foreach { rules =>
          val names = TableName.meant(identifier).map(parts => TableName.of(catalog.name +: parts))
          if (!rules.decisions(names).exists(_.shows)) throw new NoSuchTableException(identifier)
        }
        throw failure
    }

  /** A schema shows when something may be done with it, or with a table or view in it. */
  def seesNamespace(namespace: => Array[String], inside: => Array[Identifier]): Boolean = policy match {
    case None => true
    case Some(rules) => namespace.isEmpty || rules.decision(schema(namespace)).actions.nonEmpty || Trusted(inside).exists { each =>
        rules.needs(Trusted(inside).toSeq.map(name))
        rules.decision(name(each)).shows
      }
  }

  /** Asks for all decisions about schemas at once, then for all about what those hold that do not show by themselves. */
  def visibleNamespaces(namespaces: Array[Array[String]], inside: Array[String] => Array[Identifier]): Array[Array[String]] = policy match {
    case None => namespaces
    case Some(rules) =>
      rules.needs(namespaces.toSeq.map(schema))
      val held = namespaces.filter(namespace => rules.decision(schema(namespace)).actions.isEmpty)
        .map(namespace => schema(namespace) -> Trusted(inside(namespace)).toSeq.map(name)).toMap
      rules.needs(held.values.toSeq.flatten)
      namespaces.filter(namespace => held.get(schema(namespace)).forall(_.exists(each => rules.decision(each).shows)))
  }

  /** Of tables and views that are listed together: those that show. */
  def visible(found: Seq[Identifier]): Set[Identifier] = policy match {
    case None => found.toSet
    case Some(rules) =>
      rules.needs(found.map(name))
      found.filter(identifier => rules.decision(name(identifier)).shows).toSet
  }

  def visibleColumns(identifier: Identifier, columns: Array[String]): Set[String] = policy match {
    case None => columns.toSet
    case Some(rules) =>
      val decision = rules.decision(name(identifier), columns)
      columns.filterNot(decision.isHidden).toSet
  }

  def mayCreate(identifier: Identifier): Unit = policy.foreach { rules =>
    val decision = rules.decision(name(identifier))
    decision.require("create")
    decision.requireUnrestricted("Creating a table")
  }

  /** Replacing takes the old table away and keeps its name and past. */
  def mayReplace(identifier: => Identifier, exists: => Boolean): Unit = policy.foreach { rules =>
    mayCreate(identifier)
    if (Trusted(exists)) rules.decision(name(identifier)).requireWhole("drop")
  }

  def mayAlter(identifier: => Identifier): Unit = policy.foreach(rules => whole(rules, identifier, "alter"))

  def mayDrop(identifier: => Identifier): Unit = policy.foreach { rules =>
    val decision = rules.decision(name(identifier))
    if (!decision.shows) throw new NoSuchTableException(identifier)
    decision.require("drop")
  }

  def mayDropAll(namespace: Array[String], inside: => Array[Identifier]): Unit = policy.foreach { rules =>
    val held = Trusted(inside).toSeq.map(name)
    rules.needs(held)
    if (!held.forall(rules.decision(_).allows("drop"))) throw Failure.Denied(s"You may not drop all that ${schema(namespace)} holds")
  }

  /** A policy is bound to the name: whoever is bound by it must not give the table another one. */
  def mayRename(from: => Identifier, to: Identifier): Unit = policy.foreach { rules =>
    rules.needs(Seq(name(from), name(to)))
    whole(rules, from, "alter")
    rules.decision(name(to)).require("create")
  }

  // What was done, for those who keep rights by name.

  def made(identifier: Identifier): Unit = if (policy.isDefined) Execution.changed("created", name(identifier))

  def dropped(identifier: Identifier): Unit = if (policy.isDefined) Execution.changed("dropped", name(identifier))

  def dropped(namespace: Array[String]): Unit = if (policy.isDefined) Execution.changed("dropped_schema", schema(namespace))

  def renamed(from: Identifier, to: Identifier): Unit = if (policy.isDefined) Execution.changed("renamed", name(from), name(to))

  def mayOnNamespace(namespace: => Array[String], action: String): Unit = policy.foreach(_.decision(schema(namespace)).require(action))

  def mayCall(): Unit = if (policy.isDefined) throw Failure.Denied("This procedure is not allowed to users with a policy")

  private def whole(rules: SessionPolicy, identifier: Identifier, action: String): Unit = {
    val decision = rules.decision(name(identifier))
    if (!decision.shows) throw new NoSuchTableException(identifier)
    decision.requireWhole(action)
  }

  private def name(identifier: Identifier): String = TableName.of(catalog.name, identifier)

  private def schema(namespace: Array[String]): String = TableName.of(catalog.name +: namespace.toSeq)
}
