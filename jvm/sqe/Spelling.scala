package org.apache.spark.sql.sqe

import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.connector.catalog.Identifier

/**
 * How a catalog itself spells a name that somebody wrote in other letters. Two names that differ in case alone (another
 * engine may have made both) have no such spelling: each is found under its own only.
 */
final class Spelling(catalog: LakeCatalog) {
  /** None when the name is spelt as in the catalog already, or means nothing there. */
  def ofTable(table: Identifier): Option[Identifier] = elsewhere(table, namespace => catalog.tablesAsSpelt(namespace))

  def ofView(view: Identifier): Option[Identifier] = elsewhere(view, namespace => catalog.viewsAsSpelt(namespace))

  /** A table to be made: in the schema that is meant, and under the name of one that it would be taken for. */
  def ofNew(table: Identifier): Identifier = ofTable(inSchema(table)).getOrElse(inSchema(table))

  def ofNewView(view: Identifier): Identifier = ofView(inSchema(view)).getOrElse(inSchema(view))

  private def inSchema(name: Identifier): Identifier =
    ofNamespace(name.namespace).map(Identifier.of(_, name.name)).getOrElse(name)

  /** With the catalog's own letters at each level; None when that changes nothing or leads nowhere. */
  def ofNamespace(namespace: Array[String]): Option[Array[String]] =
    if (namespace.isEmpty || catalog.existsAsSpelt(namespace)) None
    else {
      val found = namespace.foldLeft(Option(Array.empty[String]))((parent, level) => parent.flatMap(child(_, level)))
      found.filterNot(_ sameElements namespace)
    }

  private def child(parent: Array[String], level: String): Option[Array[String]] = {
    val children = Try(catalog.namespacesAsSpelt(parent)).getOrElse(Array.empty)
    only(children.map(_.last), level).map(parent :+ _)
  }

  private def elsewhere(name: Identifier, list: Array[String] => Array[Identifier]): Option[Identifier] = {
    val namespace = ofNamespace(name.namespace).getOrElse(name.namespace)
    val neighbours = Try(list(namespace).map(_.name)).getOrElse(Array.empty)
    only(neighbours, name.name).map(Identifier.of(namespace, _)).filterNot(_ == name)
      .orElse(inside(name, list)) // `t.files`: Iceberg takes the table for a namespace
  }

  private def inside(name: Identifier, list: Array[String] => Array[Identifier]): Option[Identifier] =
    if (name.namespace.length < 2) None
    else elsewhere(Identifier.of(name.namespace.init, name.namespace.last), list)
      // In small letters: a catalog that knows no others calls the rest malformed, and Iceberg looks no further.
      .map(found => Identifier.of(found.namespace :+ found.name, name.name.toLowerCase(Locale.ROOT)))

  private def only(names: Array[String], wanted: String): Option[String] = {
    val same = names.filter(_.equalsIgnoreCase(wanted))
    if (same.contains(wanted)) Some(wanted) else if (same.length == 1) same.headOption else None
  }
}
