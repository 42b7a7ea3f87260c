package org.apache.spark.sql.sqe.policy

import java.util.Locale.ROOT

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.sqe.Failure

/**
 * What one session may do with one table, view or schema. Made in Python; here it is only obeyed. Without any action it does
 * not exist for the session.
 */
final case class Decision(
    table: String,
    actions: Set[String],
    rowFilter: Option[String],
    masks: Map[String, String],
    hidden: Set[String],
    columns: Option[Set[String]] = None) {

  /** Whether it was made for a table with these columns; one that came since is not decided. */
  def covers(names: Iterable[String]): Boolean = columns.forall(_ == names.map(_.toLowerCase(ROOT)).toSet)

  /** Kept with the decision, and so forgotten with it: roles are part of what a text became. */
  @volatile private[policy] var analyzed: Option[AnalyzedTexts] = None

  /** Whether rows or values are withheld; what shows more than its rows (metadata, history, statistics) is closed then. */
  val restricted: Boolean = rowFilter.isDefined || masks.nonEmpty || hidden.nonEmpty

  /** Whether a table is there for the session. The right to make one shows none that is there already. */
  val shows: Boolean = (actions - "create").nonEmpty

  def allows(action: String): Boolean = actions.contains(action)

  def isHidden(column: String): Boolean = hidden.contains(column.toLowerCase(ROOT))

  def mask(column: String): Option[String] = masks.get(column.toLowerCase(ROOT))

  def require(action: String): Unit = if (!allows(action)) throw Failure.Denied(s"You may not ${Decision.words(action)} $table")

  /** For what cannot be done to a part of a table. */
  def requireWhole(action: String): Unit = {
    require(action)
    requireUnrestricted("This")
  }

  def requireUnrestricted(what: String): Unit =
    if (restricted) throw Failure.Denied(s"$what is not allowed on $table, of which you may see a part only")
}

object Decision {
  private val mapper = new ObjectMapper

  private val words: Map[String, String] = Map(
    "select" -> "select from",
    "insert" -> "insert into",
    "delete" -> "delete from").withDefault(identity)

  /** A JSON list, as `TablePolicy.to_json` writes its items. Anything malformed throws, and so decides nothing. */
  def parse(json: String): Seq[Decision] =
    mapper.readValue(json, classOf[java.util.ArrayList[java.util.Map[String, Any]]]).asScala.toSeq.map { item =>
      def texts(key: String): Set[String] = item.get(key).asInstanceOf[java.util.List[String]].asScala.toSet
      Decision(
        table = item.get("table").asInstanceOf[String],
        actions = texts("actions"),
        rowFilter = Option(item.get("row_filter").asInstanceOf[String]),
        masks = item.get("masks").asInstanceOf[java.util.Map[String, String]].asScala.toMap
          .map { case (column, text) => column.toLowerCase(ROOT) -> text },
        hidden = texts("hidden").map(_.toLowerCase(ROOT)),
        columns = Option(item.get("columns")).map(_ => texts("columns").map(_.toLowerCase(ROOT))))
    }
}
