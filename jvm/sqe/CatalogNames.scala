package org.apache.spark.sql.sqe

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, PlanExpression}
import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{DataType, LongType, StructType, TimestampType}

/**
 * `LAKE.sales.orders` means the catalog `lake`: Spark compares the names of catalogs exactly. Done where a statement is parsed,
 * because each of the analyzer's rules looks catalogs up on its own.
 */
final class CatalogNames(session: => SparkSession, spark: ParserInterface) extends ParserInterface {
  override def parsePlan(sql: String): LogicalPlan = respelt(spark.parsePlan(sql))

  override def parsePlanWithParameters(sql: String, values: ParameterContext): LogicalPlan = respelt(spark.parsePlanWithParameters(sql, values))

  override def parseQuery(sql: String): LogicalPlan = respelt(spark.parseQuery(sql))

  override def parseExpression(sql: String): Expression = spark.parseExpression(sql)

  override def parseTableIdentifier(sql: String): TableIdentifier = spark.parseTableIdentifier(sql)

  override def parseFunctionIdentifier(sql: String): FunctionIdentifier = spark.parseFunctionIdentifier(sql)

  override def parseMultipartIdentifier(sql: String): Seq[String] = spark.parseMultipartIdentifier(sql)

  override def parseTableSchema(sql: String): StructType = spark.parseTableSchema(sql)

  override def parseDataType(sql: String): DataType = spark.parseDataType(sql)

  override def parseRoutineParam(sql: String): StructType = spark.parseRoutineParam(sql)

  private def respelt(plan: LogicalPlan): LogicalPlan = {
    val prefix = "spark.sql.catalog."
    val names = session.sessionState.conf.getAllConfs.keysIterator
      .filter(key => key.startsWith(prefix) && key.indexOf('.', prefix.length) < 0).map(_.substring(prefix.length)).toSet
    def name(parts: Seq[String]): Seq[String] =
      if (parts.length < 2 || names(parts.head)) parts
      else names.find(_.equalsIgnoreCase(parts.head)).map(_ +: parts.tail).getOrElse(parts)
    def respell(node: LogicalPlan): LogicalPlan = (node match {
      case relation: UnresolvedRelation => relation.copy(multipartIdentifier = name(relation.multipartIdentifier))
      case table: UnresolvedTable => table.copy(multipartIdentifier = name(table.multipartIdentifier))
      case view: UnresolvedView => view.copy(multipartIdentifier = name(view.multipartIdentifier))
      case either: UnresolvedTableOrView => either.copy(multipartIdentifier = name(either.multipartIdentifier))
      case made: UnresolvedIdentifier => made.copy(nameParts = name(made.nameParts))
      case procedure: UnresolvedProcedure => procedure.copy(nameParts = procedureOf(names, procedure.nameParts))
      case travel: RelationTimeTravel => travel.copy(relation = deep(travel.relation), timestamp = travel.timestamp.map(Epoch.read))
      case namespace: UnresolvedNamespace => namespace.copy(multipartIdentifier = catalogOf(names, namespace.multipartIdentifier))
      case insert: InsertIntoStatement => insert.copy(table = deep(insert.table))
      case call: Call => ConstantArguments.in(session, call)
      case ctes: UnresolvedWith => ctes.copy(cteRelations = ctes.cteRelations.map { case cte if cte.productArity >= 2 =>
          cte.copy(_2 = cte._2.copy(child = deep(cte._2.child)))
        })
      case other => other
    }).transformExpressions { case nested: PlanExpression[LogicalPlan @unchecked] => nested.withNewPlan(deep(nested.plan)) }
    def deep(whole: LogicalPlan): LogicalPlan = whole.transformDown { case node => respell(node) }
    val meant = WriteBranch.of(session).fold(plan)(WriteBranch.redirect(_, plan))
    deep(meant)
  }

  /** `CALL system.p(…)` is one of the current catalog: the catalog `system` has none. */
  private def procedureOf(names: Set[String], parts: Seq[String]): Seq[String] =
    if (parts.size == 2 && parts.head.equalsIgnoreCase("system")) session.sessionState.catalogManager.currentCatalog.name +: "system" +: parts.tail
    else if (parts.size == 3) catalogOf(names, parts)
    else parts

  /** A namespace of one part can be a catalog alone: `SHOW SCHEMAS IN LAKE`. */
  private def catalogOf(names: Set[String], parts: Seq[String]): Seq[String] =
    if (parts.isEmpty || names(parts.head)) parts else names.find(_.equalsIgnoreCase(parts.head)).map(_ +: parts.tail).getOrElse(parts)
}

/** `TIMESTAMP AS OF 1767225600000`: Spark takes every number for seconds, and this one for the year 57970. */
private object Epoch {
  // Seconds reach these in the year 5138 and in the year 3 million.
  private val milliseconds = 100000000000L
  private val microseconds = 100000000000000L

  def read(timestamp: Expression): Expression = timestamp match {
    case Literal(number: Long, LongType) if number >= microseconds => Literal(number, TimestampType)
    case Literal(number: Long, LongType) if number >= milliseconds => Literal(number * 1000, TimestampType)
    case other => other
  }
}
