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
  protected def rows(only: LocalTable.Only): Seq[Seq[Any]]

  /** How a scan will get its rows. Called on the statement's own thread, which the one that reads them may not be. */
  protected def reader(only: LocalTable.Only): () => Seq[Seq[Any]] = () => rows(only)

  private[sqe] def read(only: LocalTable.Only): Seq[Seq[Any]] = rows(only)

  override val schema: StructType = fields.foldLeft(new StructType) { case (made, (column, kind)) => made.add(column, kind) }

  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ScanBuilder with SupportsPushDownV2Filters {
    private var only: LocalTable.Only = Map.empty

    override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
      only = predicates.map(LocalTable.conditions).foldLeft(only)(LocalTable.both)
      predicates
    }

    override def pushedPredicates: Array[Predicate] = Array.empty

    override def build(): Scan = LocalTable.scan(schema, reader(only))
  }
}

object LocalTable {
  /** Which values of a column are asked for, as far as that is known. */
  type Only = Map[String, String => Boolean]

  /** Rows of plain Scala values as a scan: also what a procedure answers with. */
  def scan(columns: StructType, make: () => Seq[Seq[Any]]): LocalScan = new LocalScan {
    /** Made once: a plan that is adapted while it runs asks again, in another thread, and must get the same. */
    private lazy val made = make().map(row => InternalRow.fromSeq(row.map(value))).toArray

    override def readSchema(): StructType = columns

    override def rows(): Array[InternalRow] = made
  }

  private def value(plain: Any): Any = plain match {
    case text: String => UTF8String.fromString(text)
    case Some(inner) => value(inner)
    case None => null
    case many: Seq[_] => new GenericArrayData(many.map(value).toArray): ArrayData
    case other => other
  }

  /** `column = 'x'`, `column IN ('x', 'y')`, `column LIKE 'x%'`, and these with AND and OR between them. */
  private def conditions(predicate: Predicate): Only = (predicate.name, predicate.children.toSeq) match {
    case ("AND", Seq(left: Predicate, right: Predicate)) => both(conditions(left), conditions(right))
    case ("OR", Seq(left: Predicate, right: Predicate)) =>
      val (one, other) = (conditions(left), conditions(right))
      one.keySet.intersect(other.keySet).map(column => column -> ((text: String) => one(column)(text) || other(column)(text))).toMap
    case (name, Seq(column: NamedReference, texts @ _*)) if column.fieldNames.length == 1 =>
      val known = texts.collect { case literal: Literal[_] if literal.value.isInstanceOf[UTF8String] => literal.value.toString }
      val test: Option[String => Boolean] = name match {
        case _ if known.size != texts.size => None
        case "=" | "IN" => Some(known.toSet)
        case "STARTS_WITH" => Some(_.startsWith(known.head))
        case _ => None
      }
      test.map(column.fieldNames.head.toLowerCase(util.Locale.ROOT) -> _).toMap
    case _ => Map.empty
  }

  private def both(left: Only, right: Only): Only =
    right.foldLeft(left) { case (made, (column, test)) => made.updated(column, made.get(column).fold(test)(first => text => first(text) && test(text))) }
}
