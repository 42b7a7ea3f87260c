package org.apache.iceberg.spark.source

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.iceberg._
import org.apache.iceberg.expressions.ResidualEvaluator
import org.apache.iceberg.types.Type.TypeID
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap}
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Statistics}
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.{ColumnTotals, DistinctValues, RowTotals}
import org.apache.spark.sql.types._

/**
 * What a table's own metadata say of the rows that a scan will read, for Spark's estimates: nulls and bounds of the columns in the
 * files that are left (their manifests are read once: the scan keeps the files that were planned here), distinct values from
 * `compute_table_stats`. In Iceberg's own package, because only there a scan shows its tasks.
 */
object ScanStatistics extends Logging {
  /** Of a table that is smaller, as many distinct values as rows are taken for true where nobody counted: it is not far off. */
  private val fewRows = 10000L

  /** None where there is nothing to tell beyond what Iceberg itself tells Spark, or when anything goes wrong: these are estimates. */
  def of(relation: DataSourceV2ScanRelation): Option[Statistics] = relation.scan match {
    case scan: SparkBatchQueryScan =>
      try measured(scan, relation.output)
      catch {
        case NonFatal(failure) =>
          logWarning("a scan could not be measured", failure)
          None
      }
    case _ => None
  }

  private def measured(scan: SparkBatchQueryScan, output: Seq[Attribute]): Option[Statistics] = {
    val table = scan.table()
    val snapshot = Option(scan.snapshotId()).map(id => table.snapshot(id)).orNull
    if (snapshot == null || !table.isInstanceOf[BaseTable] || hasVariants(scan)) return None
    val distinct = DistinctValues.of(table, snapshot).map(_.in(snapshot)).getOrElse(Map.empty[Int, Long])
    val small = DistinctValues.rows(snapshot).exists(_ <= fewRows)
    val columns = for {
      column <- output if estimable(column.dataType)
      field <- Option(scan.projection().asStruct().field(column.name))
      if field.`type`.isPrimitiveType && (small || distinct.contains(field.fieldId)) && table.schema.findField(field.fieldId) != null
    } yield column -> new ColumnTotals(field)
    if (columns.isEmpty) return None
    val rows = counted(scan, columns.map(_._2))
    val count = rows.visible.getOrElse(rows.inFiles)
    val stats = columns.flatMap { case (column, totals) =>
      stat(column.dataType, totals, distinct.get(totals.field.fieldId), count).map(column -> _)
    }
    val byColumn = AttributeMap(stats)
    Some(Statistics(EstimationUtils.getOutputSize(output, count, byColumn), Some(count), byColumn))
  }

  /** Shredded ones are found by their bounds, which tasks must keep. */
  private def hasVariants(scan: SparkScan): Boolean = scan.projection().columns.asScala.exists(_.`type`.isVariantType)

  /** Others make Spark's estimates of filters fail (4.1: a `MatchError` in `FilterEstimation`). */
  private def estimable(kind: DataType): Boolean = kind match {
    case _: NumericType | DateType | TimestampType | BooleanType | StringType | BinaryType => true
    case _ => false
  }

  private def counted(scan: SparkBatchQueryScan, columns: Seq[ColumnTotals]): RowTotals = {
    val rows = new RowTotals
    val light = new WithoutStatistics(scan)
    val planned = scan.scan().asInstanceOf[BatchScan].includeColumnStats(columns.map(_.field.name).asJava)
    val tasks = Using.resource(planned.planFiles())(_.asScala.map { task =>
      val file = task.asFileScanTask
      rows.add(file)
      columns.foreach(_.add(file.file))
      light(file): PartitionScanTask
    }.toList)
    scan.resetTasks(new java.util.ArrayList(tasks.asJava))
    rows
  }

  /**
   * Spark takes a number without bounds for one that no value equals, and divides by the distinct values: so all of it is there,
   * and sensible, or nothing.
   */
  private def stat(kind: DataType, totals: ColumnTotals, distinct: Option[Long], rows: Long): Option[ColumnStat] =
    for {
      nulls <- totals.nulls
      values = rows - math.min(nulls, rows)
      if values > 0
      (low, high) <- if (isText(kind)) Some((None, None)) else totals.bounds.flatMap { case (least, most) => bounds(kind, totals, least, most) }
      most = math.max(1, Seq(Some(values), distinct, range(low, high)).flatten.min)
    } yield ColumnStat(Some(most), low, high, Some(math.min(nulls, rows)), None, None)

  private def isText(kind: DataType): Boolean = kind match {
    case StringType | BinaryType => true
    case _ => false
  }

  private def bounds(kind: DataType, totals: ColumnTotals, low: Any, high: Any): Option[(Option[Any], Option[Any])] =
    for (least <- value(kind, totals, low); most <- value(kind, totals, high)) yield (Some(least), Some(most))

  /** As Spark has it inside. */
  private def value(kind: DataType, totals: ColumnTotals, bound: Any): Option[Any] = (kind, bound) match {
    case (IntegerType | DateType, whole: Integer) => Some(whole.intValue)
    case (LongType, whole: java.lang.Long) => Some(whole.longValue)
    case (TimestampType, micros: java.lang.Long) if totals.field.`type`.typeId == TypeID.TIMESTAMP => Some(micros.longValue)
    case (FloatType, number: java.lang.Float) if !number.isNaN && !number.isInfinite => Some(number.floatValue)
    case (DoubleType, number: java.lang.Double) if !number.isNaN && !number.isInfinite => Some(number.doubleValue)
    case (_: DecimalType, number: java.math.BigDecimal) => Some(Decimal(number))
    case (BooleanType, flag: java.lang.Boolean) => Some(flag.booleanValue)
    case _ => None
  }

  /** There are no more whole numbers than lie between. */
  private def range(low: Option[Any], high: Option[Any]): Option[Long] = (low, high) match {
    case (Some(least: Int), Some(most: Int)) => Some(most.toLong - least + 1)
    case (Some(least: Long), Some(most: Long)) if most - least >= 0 && most - least < Long.MaxValue => Some(most - least + 1)
    case (Some(least: Boolean), Some(most: Boolean)) => Some(if (least == most) 1 else 2)
    case _ => None
  }
}

/** Tasks travel to their executors: what was counted here does not have to go with them. */
private final class WithoutStatistics(scan: SparkBatchQueryScan) {
  /** What tasks of one partitioning share. A task parses its schema each time that it is asked for it. */
  private final case class Shared(schema: String, spec: String, residuals: ResidualEvaluator)

  private val shared = mutable.Map.empty[Int, Shared]

  def apply(task: FileScanTask): FileScanTask =
    if (task.getClass != classOf[BaseFileScanTask]) task
    else {
      val common = shared.getOrElseUpdate(task.file.specId, Shared(
        SchemaParser.toJson(task.schema), PartitionSpecParser.toJson(task.spec), ResidualEvaluator.of(task.spec, scan.filter(), scan.caseSensitive())))
      new BaseFileScanTask(task.file.copyWithoutStats(), task.deletes.asScala.toArray, common.schema, common.spec, common.residuals)
    }
}
