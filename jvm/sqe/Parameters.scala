package org.apache.spark.sql.sqe

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis.{PosParameter, UnresolvedInlineTable}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.PositionalParameterContext
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.policy.{ServerRows, Trusted}
import org.apache.spark.sql.types._

/** Prepared statements: which types the `?` of a statement have, and the statement with values in their place. */
object Parameters {
  /**
   * `parameters` is JSON: `{"values": [{"type": DDL type, "value": text or null}]}`, whose texts Spark's own cast reads, or
   * `{"files": [path]}` with one row of parameters for each row that an INSERT shall write.
   */
  def bind(spark: SparkSession, sql: String, parameters: String): LogicalPlan = {
    val parser = spark.sessionState.sqlParser
    val given = Json.parse(parameters)
    def items[T](key: String): Seq[T] = given.get(key).map(_.asInstanceOf[java.util.List[T]].asScala.toSeq).getOrElse(Nil)
    if (given.contains("files")) withRowsOf(spark, parser.parsePlan(sql), items[String]("files"))
    else {
      val values = items[java.util.Map[String, Any]]("values")
      if (values.isEmpty) parser.parsePlan(sql)
      else parser.parsePlanWithParameters(sql, PositionalParameterContext(values.map(literal(spark, _))))
    }
  }

  /** `INSERT … VALUES (?, …)` of one row: the only statement that many rows of parameters can run as one. */
  def isOneRow(insert: InsertIntoStatement): Boolean = insert.query match {
    case UnresolvedInlineTable(_, Seq(row)) => row.exists(_.exists(_.isInstanceOf[PosParameter]))
    case _ => false
  }

  private def withRowsOf(spark: SparkSession, plan: LogicalPlan, files: Seq[String]): LogicalPlan = plan match {
    case insert @ InsertIntoStatement(_, _, _, UnresolvedInlineTable(names, Seq(row)), _, _, _) =>
      val rows = ServerRows(Trusted(spark.read.parquet(files: _*).queryExecution.analyzed))
      val positions = row.flatMap(_.collect { case PosParameter(position) => position }).distinct.sorted
      val columns = positions.zip(rows.output).toMap
      val values = row.zip(names).map { case (value, name) => Alias(value.transform { case PosParameter(position) => columns(position) }, name)() }
      insert.copy(query = Project(values, rows))
    case _ => throw new Failure.Refused("Many rows of parameters need an INSERT of VALUES")
  }

  private def literal(spark: SparkSession, item: java.util.Map[String, Any]): Expression = {
    val dataType = DataType.fromDDL(item.get("type").toString)
    item.get("value") match {
      case null => Literal(null, dataType)
      case text => dataType match {
        case BinaryType => Literal(java.util.Base64.getDecoder.decode(text.toString), BinaryType)
        case _: StringType => Literal(text.toString)
        case other => Literal(Cast(Literal(text.toString), other, Some(spark.sessionState.conf.sessionLocalTimeZone)).eval(), other)
      }
    }
  }

  /** Result schema and parameter schema; analysed, never run. The caller has made sure that analysis alone runs nothing. */
  def describe(spark: SparkSession, sql: String): Map[String, Any] = {
    val parsed = spark.sessionState.sqlParser.parsePlan(sql)
    val positions = mutable.SortedSet.empty[Int]
    val open = withPlaceholders(parsed, positions)
    val analyzer = spark.sessionState.analyzer
    val analyzed = analyzer.execute(open)
    if (positions.isEmpty || !analyzed.resolved) analyzer.checkAnalysis(analyzed)
    val types = inferred(analyzed)
    val timeZone = spark.sessionState.conf.sessionLocalTimeZone
    val parameters = positions.toSeq.zipWithIndex.map { case (position, index) =>
      StructField(s"parameter_${index + 1}", types.getOrElse(position, StringType))
    }
    Map(
      "schema" -> ArrowSchema.encode(withoutUnknownTypes(analyzed.schema), timeZone),
      "parameters" -> ArrowSchema.encode(StructType(parameters), timeZone))
  }

  /** `SELECT ?` has no type of its own; a client binds text then. */
  private def withoutUnknownTypes(schema: StructType): StructType =
    StructType(schema.map(field => if (field.dataType == NullType) field.copy(dataType = StringType) else field))

  private def withPlaceholders(plan: LogicalPlan, positions: mutable.Set[Int]): LogicalPlan = {
    def placeholder: PartialFunction[Expression, Expression] = {
      case PosParameter(position) =>
        positions += position
        InferredParameter(position)
      case sub: SubqueryExpression => sub.withNewPlan(withPlaceholders(sub.plan, positions))
    }
    def whole(expression: Expression): Expression = Cast(expression.transform(placeholder), IntegerType)
    plan.transformDown {
      case values: UnresolvedInlineTable if values.rows.exists(_.exists(_.exists(_.isInstanceOf[PosParameter]))) => asUnion(values)
      case GlobalLimit(limit: PosParameter, child) => GlobalLimit(whole(limit), child)
      case LocalLimit(limit: PosParameter, child) => LocalLimit(whole(limit), child)
      case Offset(offset: PosParameter, child) => Offset(whole(offset), child)
      case ctes: UnresolvedWith =>
        ctes.copy(cteRelations = ctes.cteRelations.map { case relation =>
          relation.copy(_2 = withPlaceholders(relation._2, positions).asInstanceOf[SubqueryAlias])
        })
    }.transformDown { case node => node.transformExpressionsDown(placeholder) }
  }

  /** VALUES wants constants, which a placeholder is not: the same rows as a union of one-row projections. */
  private def asUnion(values: UnresolvedInlineTable): LogicalPlan = {
    val rows = values.rows.map { row =>
      Project(row.zip(values.names).map { case (value, name) => Alias(value, name)() }, OneRowRelation())
    }
    if (rows.size == 1) rows.head else Union(rows)
  }

  /** The type that the analyzer cast each placeholder to, directly or where its column is used further up. */
  private def inferred(plan: LogicalPlan): Map[Int, DataType] = {
    val types = mutable.Map.empty[Int, DataType]
    val columns = mutable.Map.empty[ExprId, Set[Int]].withDefaultValue(Set.empty)
    val nodes = plan.collectWithSubqueries { case node => node }.reverse
    nodes.foreach { node =>
      node.expressions.foreach(_.foreach {
        case alias @ Alias(InferredParameter(position), _) => columns(alias.exprId) += position
        case alias @ Alias(from: AttributeReference, _) => columns(alias.exprId) ++= columns(from.exprId)
        case _ =>
      })
      node match {
        case union: Union => union.children.tail.foreach(child =>
          union.children.head.output.zip(child.output).foreach { case (first, other) => columns(first.exprId) ++= columns(other.exprId) })
        case _ =>
      }
    }
    nodes.foreach(_.expressions.foreach(_.foreach {
      case cast: Cast if cast.dataType != NullType =>
        cast.child match {
          case InferredParameter(position) => types.getOrElseUpdate(position, cast.dataType)
          case column: AttributeReference => columns(column.exprId).foreach(types.getOrElseUpdate(_, cast.dataType))
          case _ =>
        }
      case _ =>
    }))
    types.toMap
  }
}

/** Stands for a value to come, with the type of NULL: the analyzer casts it to whatever its place needs. */
final case class InferredParameter(position: Int) extends LeafExpression with Unevaluable {
  override def nullable: Boolean = true
  override def dataType: DataType = NullType
  override def sql: String = "?"
  override def toString: String = "?"
}
