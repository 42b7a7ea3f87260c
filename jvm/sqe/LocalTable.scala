package org.apache.spark.sql.sqe

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.{Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder, SupportsPushDownV2Filters}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/** A table whose rows the driver makes itself, when they are wanted: no files, no Spark job. */
abstract class LocalTable(override val name: String, fields: (String, DataType)*) extends Table with SupportsRead {
  /** The rows; `only` says which values of a column are asked for, and may be used to make fewer. Spark filters again. */
  protected def rows(only: Map[String, Set[String]]): Seq[Seq[Any]]

  private[sqe] def read(only: Map[String, Set[String]]): Seq[Seq[Any]] = rows(only)

  override val schema: StructType = fields.foldLeft(new StructType) { case (made, (column, kind)) => made.add(column, kind) }

  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ScanBuilder with SupportsPushDownV2Filters {
    private var only = Map.empty[String, Set[String]]

    override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
      only = predicates.flatMap(LocalTable.values).groupMapReduce(_._1)(_._2)(_ intersect _)
      predicates
    }

    override def pushedPredicates: Array[Predicate] = Array.empty

    override def build(): Scan = LocalTable.scan(schema, () => LocalTable.this.rows(only))
  }
}

object LocalTable {
  /** Rows of plain Scala values as a scan: also what a procedure answers with. */
  def scan(columns: StructType, make: () => Seq[Seq[Any]]): LocalScan = new LocalScan {
    override def readSchema(): StructType = columns

    override def rows(): Array[InternalRow] = make().map(row => InternalRow.fromSeq(row.map(value))).toArray
  }

  private def value(plain: Any): Any = plain match {
    case text: String => UTF8String.fromString(text)
    case Some(inner) => value(inner)
    case None => null
    case many: Seq[_] => new GenericArrayData(many.map(value).toArray): ArrayData
    case other => other
  }

  /** `column = 'x'` and `column IN ('x', 'y')`. */
  private def values(predicate: Predicate): Option[(String, Set[String])] = predicate.children.toSeq match {
    case Seq(column: NamedReference, texts @ _*) if Set("=", "IN")(predicate.name) && column.fieldNames.length == 1 =>
      val known = texts.collect { case literal: Literal[_] if literal.value.isInstanceOf[UTF8String] => literal.value.toString }
      if (known.size == texts.size) Some(column.fieldNames.head.toLowerCase(util.Locale.ROOT) -> known.toSet) else None
    case _ => None
  }
}
