package org.apache.spark.sql.sqe

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{HasTableOperations, Schema, Table}
import org.apache.iceberg.catalog.{Catalog, TableIdentifier}
import org.apache.iceberg.expressions.Literal
import org.apache.iceberg.spark.{Spark3Util, SparkSchemaUtil}
import org.apache.iceberg.types.{Type, Types}
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.{Column, TableChange, TableInfo}
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Defaults of columns: `CREATE TABLE t (n INT DEFAULT 5)`, `ADD COLUMN n INT DEFAULT 5`, `ALTER COLUMN n SET DEFAULT 6`. Iceberg 1.12 for
 * Spark reads and inserts them, but refuses to set them; its core can.
 */
object ColumnDefaults {
  def in(info: TableInfo): Boolean = info.columns.exists(_.defaultValue != null)

  def in(changes: Seq[TableChange]): Boolean = changes.exists {
    case add: TableChange.AddColumn => add.defaultValue != null
    case change => change.isInstanceOf[TableChange.UpdateColumnDefaultValue]
  }

  def refuse(info: TableInfo): Unit =
    if (in(info)) throw new Failure.Refused("Column defaults cannot be set while a table is replaced or filled: create the table first")

  def create(catalog: Catalog, name: TableIdentifier, info: TableInfo): Unit = {
    val properties = info.properties
    requireVersion(Option(properties.get("format-version")).map(_.toInt).getOrElse(2))
    val plain = SparkSchemaUtil.convert(info.schema)
    val given = info.columns.filter(_.defaultValue != null).map(column => column.name -> column).toMap
    val fields = plain.columns.asScala.map(field => given.get(field.name).fold(field)(column =>
      Types.NestedField.from(field).withWriteDefault(value(column.defaultValue.getSql, column.dataType, field.`type`)).build))
    val schema = new Schema(fields.asJava)
    catalog.buildTable(name, schema).withPartitionSpec(Spark3Util.toPartitionSpec(schema, info.partitions))
      .withLocation(properties.get("location")).withProperties(Spark3Util.rebuildCreateProperties(properties)).create()
  }

  def alter(table: Table, changes: Seq[TableChange]): Unit = {
    requireVersion(table.asInstanceOf[HasTableOperations].operations.current.formatVersion)
    val update = table.updateSchema.caseSensitive(false)
    changes.foreach {
      case add: TableChange.AddColumn =>
        val kind = SparkSchemaUtil.convert(add.dataType)
        val default = Option(add.defaultValue).map(given => value(given.getSql, add.dataType, kind)).orNull
        val parent = if (add.fieldNames.length > 1) add.fieldNames.init.mkString(".") else null
        if (add.isNullable) update.addColumn(parent, add.fieldNames.last, kind, add.comment, default)
        else update.addRequiredColumn(parent, add.fieldNames.last, kind, add.comment, default)
        val name = add.fieldNames.mkString(".")
        add.position match {
          case _: TableChange.First => update.moveFirst(name)
          case after: TableChange.After => update.moveAfter(name, (add.fieldNames.init :+ after.column).mkString("."))
          case _ =>
        }
      case change: TableChange.UpdateColumnDefaultValue =>
        val name = change.fieldNames.mkString(".")
        val field = Option(table.schema.caseInsensitiveFindField(name)).getOrElse(throw new Failure.Refused(s"Column $name does not exist"))
        val text = change.newDefaultValue
        update.updateColumnDefault(name, if (text == null || text.isEmpty) null else value(text, SparkSchemaUtil.convert(field.`type`), field.`type`))
      case _ => throw new Failure.Refused("Columns with defaults are changed by a statement of their own")
    }
    update.commit()
  }

  private def requireVersion(version: Int): Unit =
    if (version < 3) throw new Failure.Refused("Column defaults need a table of format version 3 ('format-version' = '3')")

  /** Iceberg keeps a value: what would differ from row to row cannot be one. */
  private def value(text: String, kind: DataType, wanted: Type): Literal[_] = {
    val session = SparkSession.active
    val parsed = session.sessionState.sqlParser.parseExpression(text)
    if (parsed.exists(_.isInstanceOf[UnresolvedFunction])) throw new Failure.Refused(s"A column's default is a constant, not $text")
    val found = ConstantArguments.folded(session, Cast(parsed, kind)).collect { case literal: org.apache.spark.sql.catalyst.expressions.Literal => literal.value }
      .getOrElse(throw new Failure.Refused(s"A column's default is a constant, not $text"))
    val literal: Literal[_] = found match {
      case null => null
      case truth: Boolean => Literal.of(truth)
      case number: Byte => Literal.of(number.toInt)
      case number: Short => Literal.of(number.toInt)
      case number: Int => Literal.of(number)
      case number: Long => Literal.of(number)
      // JSON has no such numbers: Iceberg 1.12 writes them all the same, and nobody can read the table again.
      case number: Float if !java.lang.Float.isFinite(number) => throw new Failure.Refused(s"A column's default is a finite number, not $number")
      case number: Double if !java.lang.Double.isFinite(number) => throw new Failure.Refused(s"A column's default is a finite number, not $number")
      case number: Float => Literal.of(number)
      case number: Double => Literal.of(number)
      case number: Decimal => Literal.of(number.toJavaBigDecimal)
      case text: UTF8String => Literal.of(text.toString)
      case bytes: Array[Byte] => Literal.of(ByteBuffer.wrap(bytes))
      case _ => throw new Failure.Refused(s"A column of type ${kind.sql} has no default but NULL")
    }
    if (literal == null) null else Option(literal.to[Any](wanted)).getOrElse(throw new Failure.Refused(s"$text is no ${kind.sql}"))
  }
}
