package org.apache.iceberg.spark.source

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, InterpretedUnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{Table => SparksTable}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Implicits._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.StructType

/**
 * `t.snapshots` and its like without a job. Iceberg plans them in the driver, where all of their rows are then in memory, and
 * hands them to a task: for that it makes the table a broadcast variable, which takes longer than the rest of the statement
 * (22 of 50 ms). Here they are local rows, and Spark computes filters, projections and LIMIT over those while it optimizes.
 *
 * In Iceberg's own package, because only there the tasks of a scan can be reached.
 */
object MetadataRows extends Rule[LogicalPlan] {
  /** Above, they are worth a task. */
  private val mostRows = 10000L

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case relation: DataSourceV2Relation => of(relation).fold[LogicalPlan](relation)(LocalRelation(relation.output, _))
  }

  /** The rows of such a table; None of any other. */
  def of(relation: DataSourceV2Relation): Option[Seq[InternalRow]] =
    if (!isInMemory(relation.table)) None
    else relation.table.asReadable.newScanBuilder(relation.options).build() match {
      case scan: SparkScan if scan.readSchema().fieldNames.toSeq == relation.output.map(_.name) => inMemory(scan).map(rows(scan, _))
      case _ => None
    }

  private def inMemory(scan: SparkScan): Option[Seq[DataTask]] = {
    val tasks = scan.taskGroups().asScala.toSeq.flatMap(_.tasks().asScala)
    val known = tasks.collect { case task: DataTask => task }
    if (known.size == tasks.size && known.map(_.estimatedRowsCount()).sum <= mostRows) Some(known) else None
  }

  private def isInMemory(table: SparksTable): Boolean = table match {
    case iceberg: SparkTable => isInMemory(iceberg.table)
    case _ => false
  }

  /** The others (`files`, `entries`, …) read a manifest in each task. */
  private def isInMemory(table: Table): Boolean = table match {
    case _: SnapshotsTable | _: HistoryTable | _: RefsTable | _: MetadataLogEntriesTable | _: ManifestsTable | _: PartitionsTable => true
    case _ => false
  }

  /** Iceberg shows its rows one after another in the same object: each is copied as it comes. */
  private def rows(scan: SparkScan, tasks: Seq[DataTask]): Seq[InternalRow] = {
    val shown = new StructInternalRow(scan.projection().asStruct())
    val copying = InterpretedUnsafeProjection.createProjection(columns(scan.readSchema()))
    val found = ArrayBuffer.empty[InternalRow]
    tasks.foreach(task => Using.resource(task.rows())(_.forEach(row => found += copying(shown.setStruct(row)).copy())))
    found.toSeq
  }

  private def columns(schema: StructType): Seq[BoundReference] =
    schema.fields.toSeq.zipWithIndex.map { case (field, index) => BoundReference(index, field.dataType, field.nullable) }
}
