package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.analysis.{UnresolvedFieldName, UnresolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.{AlterColumnSpec, AlterColumns, LogicalPlan, SetViewProperties}
import org.apache.spark.sql.catalyst.plans.logical.views.ResolvedV2View
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{CatalogManager, LookupCatalog, ViewChange}
import org.apache.spark.sql.errors.QueryCompilationErrors
import org.apache.spark.sql.sqe.policy.ShownViews
import org.apache.spark.sql.types.{MetadataBuilder, StructType}

/**
 * Comments on columns of views, which Spark 4.1 with Iceberg 1.12 knows for tables only. They stand in the view's schema, where every
 * engine reads them; on their way there they are properties, so that they need the right to alter the view as those do.
 */
final case class ViewComments(spark: SparkSession) extends Rule[LogicalPlan] with LookupCatalog {
  override protected lazy val catalogManager: CatalogManager = spark.sessionState.catalogManager

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case AlterColumns(table: UnresolvedTable, Seq(AlterColumnSpec(UnresolvedFieldName(Seq(column)), None, None, Some(comment), None, None, false))) =>
      table.multipartIdentifier match {
        case CatalogAndIdentifier(lake: LakeCatalog, view) if lake.viewExists(view) =>
          val seen = ShownViews.of(lake, spark, view).schema.fieldNames
          val found = seen.find(spark.sessionState.conf.resolver(_, column))
          val name = found.getOrElse(throw QueryCompilationErrors.unresolvedColumnError(column, seen))
          SetViewProperties(ResolvedV2View(lake, view), Map(ViewComments.prefix + name -> comment))
        case _ => plan
      }
    case other => other
  }
}

object ViewComments {
  private val prefix = "sqe.column-comment."

  /** The changes that are comments, by column, and the others. */
  def among(changes: Seq[ViewChange]): (Map[String, String], Seq[ViewChange]) = {
    val (comments, others) = changes.partition {
      case set: ViewChange.SetProperty => set.property.startsWith(prefix)
      case _ => false
    }
    (comments.collect { case set: ViewChange.SetProperty => set.property.stripPrefix(prefix) -> set.value }.toMap, others)
  }

  def in(schema: StructType, comments: Map[String, String]): StructType = StructType(schema.map { field =>
    comments.get(field.name) match {
      case None => field
      case Some("") => field.copy(metadata = new MetadataBuilder().withMetadata(field.metadata).remove("comment").build())
      case Some(text) => field.withComment(text)
    }
  })
}
