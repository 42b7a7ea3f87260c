package org.apache.spark.sql.sqe

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedNamespace}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.logical.views.CreateIcebergView

/**
 * What a new table, view or schema may be called. Catalogs make folders of the names: a table called `../../x` would lie
 * outside the warehouse. Names that another engine gave stay readable.
 */
object SafeNames extends (LogicalPlan => Unit) {
  private val longest = 255 // bytes of a file's name

  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case create: V2CreateTablePlan if create.name.resolved => check(create.tableName.namespace.toSeq :+ create.tableName.name)
    case view: CreateIcebergView => view.child match {
      case ResolvedIdentifier(_, name) => check(name.namespace.toSeq :+ name.name)
      case _ =>
    }
    case CreateNamespace(ResolvedNamespace(_, parts, _), _, _) =>
      if (InformationSchema.is(parts.toArray)) throw new Failure.Refused("The schema information_schema is the catalog's own")
      check(parts)
    case RenameTable(_, parts, _) => check(parts)
    case _ =>
  }

  private def check(parts: Seq[String]): Unit = {
    checkEach(parts)
    if (parts.lastOption.flatMap(InsideTable.split).isDefined) throw new Failure.Refused("A name may not end like those of metadata tables")
    if (InformationSchema.is(parts.init.toArray)) throw new Failure.Refused("The schema information_schema cannot be changed")
  }

  private def checkEach(parts: Seq[String]): Unit = parts.foreach { part =>
    if (part == "." || part == ".." || part.exists(letter => letter == '/' || letter == '\\' || letter.isControl))
      throw new Failure.Refused("A name may not be a path or hold control characters")
    if (part.getBytes(UTF_8).length > longest) throw new Failure.Refused(s"A name may have $longest bytes")
  }
}
