package org.apache.spark.sql.sqe.kernel

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.sqe.policy.{ExplainedTable, SecuredRelation}
import org.apache.spark.sql.types.{ArrayType, MapType, StructType}

/**
 * Operators of an optimized plan, as SQL of the kernel: one SELECT around another, columns by Spark's numbers.
 *
 * | operator | why it is exact |
 * |---|---|
 * | Project, Filter, Aggregate, Union | SQL's own; conditions that can fail are looked at in Spark's order ([[InSparksOrder]]) |
 * | Join: inner, cross, left, right, full, semi, anti | SQL's own, NULLs included; NOT IN by its own form; keys that can fail are computed for all rows |
 * | existence join | EXISTS as a column |
 * | Sort | NULLS FIRST or LAST is always spelled; equal rows come in any order, as in Spark |
 * | Limit, Offset over Sort | the same rows, but for equal ones at the border; LIMIT without ORDER BY is left to Spark |
 * | Window | see [[Windows]] |
 * | Expand (ROLLUP, CUBE, GROUPING SETS, several DISTINCT) | each row once a grouping set |
 * | Generate: explode, posexplode, inline, of arrays and maps, also outer | one row an element; of NULL and of nothing no row, or one of NULLs where it is outer |
 * | local rows | written out, or given as Arrow columns ([[GivenRows]]) |
 * | secured table | its filter and masks are part of the SQL; see [[MayFail]] |
 */
final class Operators(local: Boolean, setting: Setting, cache: Option[CacheUse], given: Given, sharedOut: Option[SharedOut] = None) {
  val scans = new Scans(local, cache, given, sharedOut)
  private val sql = new Expressions(setting, apply)
  private val windows = new Windows(sql(_), setting)
  private val conditions = new InSparksOrder(sql(_))
  private val shared = new SharedParts
  private val tables = ArrayBuffer[BuiltTable]()

  /** Rows that go with the fragment. */
  def rows: Seq[BuiltTable] = tables.toSeq

  /** A whole fragment. */
  def fragment(plan: LogicalPlan): String = shared(apply(plan))

  private def apply(plan: LogicalPlan): String = plan match {
    case Ordered(block) => block.text
    case Project(list, child) => s"SELECT ${named(list)} FROM (${apply(child)})"
    case Filter(condition, groups: Aggregate) => s"SELECT * FROM (${apply(groups)}) WHERE ${having(condition, groups)}"
    case Filter(condition, child) => s"SELECT * FROM (${apply(child)}) WHERE ${conditions.ofFilter(condition)}"
    case aggregate: Aggregate => shared.note(aggregated(aggregate))
    case join: Join => joined(join)
    case union: Union if !union.byName && !union.allowMissingCol => union.children.map(part(_, union.output)).mkString("(", ") UNION ALL (", ")")
    case window: Window => s"SELECT *, ${window.windowExpressions.map(item => s"${windows(item)} AS ${NativeTypes.column(item)}").mkString(", ")} FROM (${apply(window.child)})"
    case limit: WindowGroupLimit => apply(limit.child) // Spark's shortcut: the filter on the rank is above
    case generate: Generate => generated(generate)
    case expand: Expand => expanded(expand)
    case secured: SecuredRelation => apply(secured.child)
    case scan: DataSourceV2ScanRelation => scans(scan)
    case built: BuiltSide => s"SELECT ${columns(built.output)} FROM ${built.name}"
    case local: LocalRelation if !local.isStreaming => if (local.output.isEmpty || local.data.length <= GivenRows.few) written(local) else taken(local)
    case _: ExplainedTable => Refused("table with a policy, of which EXPLAIN shows nothing")
    case other => Refused(s"operator ${other.nodeName}")
  }

  /** Results that can fail are made of all groups, as on Spark, also of those that the condition drops. The kernel does not look into CASE. */
  private def having(condition: Expression, groups: Aggregate): String = {
    val (text, failing) = (conditions.ofFilter(condition), groups.aggregateExpressions.filter(MayFail(_)))
    if (failing.isEmpty) text
    else s"(CASE WHEN list_contains(${failing.map(item => s"${NativeTypes.column(item)} IS NULL").mkString("[", ", ", "]")}, TRUE) THEN $text ELSE $text END)"
  }

  private def named(list: Seq[NamedExpression]): String = Select.list(list.map(item => s"${sql(item)} AS ${NativeTypes.column(item)}"))

  private def columns(output: Seq[Attribute]): String = Select.list(output.map(NativeTypes.column))

  private def aggregated(aggregate: Aggregate): Groups = {
    val grouped = aggregate.groupingExpressions
    grouped.foreach(key => NativeTypes.checkFlat(key.dataType))
    if (grouped.isEmpty && !aggregate.aggregateExpressions.exists(_.exists(_.isInstanceOf[AggregateExpression]))) Refused("aggregate without functions")
    val by = if (grouped.isEmpty) "" else grouped.map(sql(_)).mkString(" GROUP BY ", ", ", "")
    Aggregates.mark(aggregate.aggregateExpressions)
    val functions = aggregate.aggregateExpressions.flatMap(_.collect { case function: AggregateExpression => function })
    Groups(aggregate.aggregateExpressions.map(item => (sql(item), NativeTypes.column(item))), s"FROM (${withOneZero(grouped, functions, apply(aggregate.child))})$by")
  }

  /** The first of two steps of an aggregation: groups with Spark's [[Buffers]], as the columns `output`. */
  def buffered(groups: Seq[NamedExpression], functions: Seq[AggregateExpression], output: Seq[Attribute], child: LogicalPlan): String = {
    val keys = groups.map { case Alias(key, _) => key; case column => column }
    val rows = withOneZero(keys, functions, apply(child))
    val items = keys.map(sql(_)) ++ functions.flatMap(Buffers(_, scans.shared.fold(1)(_.shares.length), sql(_)))
    if (items.isEmpty || items.length != output.length || output.distinctBy(_.exprId).length != output.length) Refused("aggregate of an odd shape")
    val named = items.zip(output).map { case (item, column) => s"${NativeTypes.cast(item, column.dataType)} AS ${NativeTypes.column(column)}" }
    shared(s"SELECT ${Select.list(named)} FROM ($rows)${if (keys.isEmpty) "" else keys.map(sql(_)).mkString(" GROUP BY ", ", ", "")}")
  }

  /** Spark makes 0.0 of -0.0 before it groups, and one NaN of all: they are equal, and a group shows one of them. Its functions see them as they were. */
  private def withOneZero(grouped: Seq[Expression], functions: Seq[AggregateExpression], child: String): String = grouped.filter(key => NativeTypes.isFloat(key.dataType)).map {
    case column: AttributeReference if functions.exists(_.references.contains(column)) => Refused("functions of floats that are grouped by")
    case column: AttributeReference =>
      val name = NativeTypes.column(column)
      s"CASE WHEN $name = 0 THEN ${NativeTypes.cast("0", column.dataType)} WHEN isnan($name) THEN ${NativeTypes.cast("'NaN'", column.dataType)} ELSE $name END AS $name"
    case _ => Refused("grouping by computed floats")
  }.distinct match {
    case Nil => child
    case columns => s"SELECT * REPLACE (${columns.mkString(", ")}) FROM ($child)"
  }

  private def joined(join: Join): String = join match {
    // NOT IN: a NULL on either side is an answer of its own.
    case Join(left, right, LeftAnti, Some(Or(equal @ EqualTo(a, b), IsNull(again))), _)
        if equal.semanticEquals(again) && a.references.subsetOf(left.outputSet) && b.references.subsetOf(right.outputSet) =>
      NativeTypes.checkFlat(a.dataType)
      if (NativeTypes.isFloat(a.dataType)) Refused("NOT IN of floats") // here alone 0.0 and -0.0 are two to Spark
      s"SELECT * FROM (${apply(left)}) WHERE ${sql(a)} NOT IN (SELECT ${sql(b)} FROM (${apply(right)}))"
    // The kernel looks at neither side's keys, nor at all of the right side, where the other one is empty.
    case Join(_, right, _: ExistenceJoin, condition, _) if condition.exists(_.exists(MayFail.onSpark)) || Shortcuts.fails(right) => Refused("existence of what can fail")
    case Join(left, right, ExistenceJoin(exists), condition, _) =>
      val found = s"EXISTS (SELECT 1 FROM (${apply(right)})${condition.fold("")(part => s" WHERE ${conditions.ofJoin(part, left, right)}")})"
      s"SELECT *, $found AS ${NativeTypes.column(exists)} FROM (${apply(left)})"
    case Flat(tables) => s"SELECT ${columns(join.output)} FROM $tables"
    case Join(left, right, kind, condition, _) =>
      s"SELECT ${columns(join.output)} FROM (${withKeys(left, join)}) ${word(kind)} JOIN (${withKeys(right, join)}) ON ${condition.fold("TRUE")(conditions.ofJoin(_, left, right))}"
  }

  /**
   * One side of a join. Keys that can fail are computed for all of its rows, as on Spark: the kernel does not look at a side at all where the
   * other one is empty, but what is to be materialized it makes in any case.
   */
  private def withKeys(side: LogicalPlan, join: Join): String =
    join.condition.toSeq.flatMap(InSparksOrder.failingKeys(_, join.left, join.right, side)).map(key => s"CASE WHEN ${sql(key)} IS NULL THEN TRUE ELSE TRUE END") match {
      case Nil => apply(side)
      case keys => s"WITH side AS MATERIALIZED (SELECT * FROM (${apply(side)}) WHERE ${keys.mkString(" AND ")}) SELECT * FROM side"
    }

  /**
   * Inner joins of inner joins, all in one FROM: a SELECT between them, even one that only drops columns, is a border for the kernel, which
   * would join in Spark's order then. Conditions that can fail keep the border: with another order they would see other rows.
   */
  private object Flat {
    def unapply(plan: LogicalPlan): Option[String] = plan match {
      case Join(left, right, Inner | Cross, condition, _) if !condition.exists(_.exists(MayFail.onSpark)) =>
        Some(s"(${table(left)} INNER JOIN ${table(right)} ON ${condition.fold("TRUE")(conditions.ofJoin(_, left, right))})")
      case Project(list, join: Join) if list.forall(_.isInstanceOf[AttributeReference]) => unapply(join)
      case _ => None
    }

    private def table(plan: LogicalPlan): String = unapply(plan).getOrElse(s"(${apply(plan)})")
  }

  private def word(kind: JoinType): String = kind match {
    case Inner | Cross => "INNER"
    case LeftOuter => "LEFT"
    case RightOuter => "RIGHT"
    case FullOuter => "FULL"
    case LeftSemi => "SEMI"
    case LeftAnti => "ANTI"
    case other => Refused(s"join $other")
  }

  private def part(child: LogicalPlan, output: Seq[Attribute]): String = {
    val items = child.output.zip(output).map { case (from, to) => s"${NativeTypes.same(NativeTypes.column(from), from.dataType, to.dataType)} AS ${NativeTypes.column(to)}" }
    s"SELECT ${Select.list(items)} FROM (${apply(child)})"
  }

  /** Each row once for each projection, all in one pass. */
  private def expanded(expand: Expand): String = {
    val items = expand.output.zipWithIndex.map { case (column, i) =>
      val choices = expand.projections.map(projection => NativeTypes.same(sql(projection(i)), projection(i).dataType, column.dataType))
      val item = if (choices.distinct.size == 1) choices.head
      else choices.zipWithIndex.map { case (choice, n) => s"WHEN $n THEN $choice" }.mkString("CASE projection ", " ", " END")
      s"$item AS ${NativeTypes.column(column)}"
    }
    s"SELECT ${Select.list(items)} FROM (${apply(expand.child)}) CROSS JOIN (VALUES ${expand.projections.indices.map(n => s"($n)").mkString(", ")}) AS projections(projection)"
  }

  /** One row an element, which has its columns. */
  private def generated(generate: Generate): String = {
    val (of, position) = generate.generator match {
      case Explode(of) => (of, false)
      case PosExplode(of) => (of, true)
      case Inline(of) => (of, false)
      case other => Refused(s"function ${other.prettyName}")
    }
    val (items, fields) = of.dataType match {
      case ArrayType(struct: StructType, _) if generate.generator.isInstanceOf[Inline] => (sql(of), struct.fieldNames.map(NativeLiterals.quoted).toSeq)
      case _: ArrayType => (sql(of), Nil)
      case map: MapType => (s"map_entries(${sql(of)})", Seq("'key'", "'value'"))
      case other => Refused(s"type ${other.typeName}")
    }
    // None makes no row, and where it is outer one of NULLs.
    def each(list: String): String = s"unnest(${if (generate.outer) s"CASE WHEN len($items) > 0 THEN $list ELSE [NULL] END" else list})"
    val values = if (fields.isEmpty) Seq("item") else fields.map(name => s"struct_extract(item, $name)")
    val made = generate.generatorOutput.zip(if (position) "place" +: values else values).map { case (column, value) =>
      s"${NativeTypes.cast(value, column.dataType)} AS ${NativeTypes.column(column)}"
    }
    val kept = generate.requiredChildOutput.map(NativeTypes.column)
    val places = if (position) s", ${each(s"range(len($items))")} AS place" else ""
    s"SELECT ${Select.list(kept ++ made)} FROM (SELECT *, ${each(items)} AS item$places FROM (${apply(generate.child)}))"
  }

  private def written(local: LocalRelation): String = {
    def row(values: Int => Any): Seq[String] = local.output.zipWithIndex.map { case (column, i) => NativeLiterals(values(i), column.dataType) }
    val names = local.output.map(NativeTypes.column)
    if (local.data.isEmpty) s"SELECT ${Select.list(row(_ => null).zip(names).map { case (value, name) => s"$value AS $name" })} WHERE FALSE"
    else if (names.isEmpty) s"SELECT ${Select.list(Nil)} FROM range(${local.data.length})"
    else local.data.map(values => row(i => values.get(i, local.output(i).dataType)).mkString("(", ", ", ")"))
      .mkString(s"SELECT ${Select.list(names)} FROM (VALUES ", ", ", names.mkString(") AS written(", ", ", ")"))
  }

  private def taken(local: LocalRelation): String = {
    given.check(few = false)
    val table = GivenRows.table(local, tables.size)
    tables += table
    s"SELECT ${columns(local.output)} FROM ${table.name}"
  }

  /** Sort with what stands directly on it, as one SELECT: the order of rows is the order of the outermost one. */
  private object Ordered {
    final class Block(list: Seq[NamedExpression], sort: Sort, limit: String) {
      def text: String = s"SELECT ${named(list)} FROM (${apply(sort.child)}) ORDER BY ${sort.order.map(Windows.key(_, sql(_))).mkString(", ")}$limit"
    }

    def unapply(plan: LogicalPlan): Option[Block] = plan match {
      case Project(list, Limited(sort: Sort, limit)) if sort.global => Some(new Block(list, sort, limit))
      case Project(list, sort: Sort) if sort.global => Some(new Block(list, sort, ""))
      case Limited(Project(list, sort: Sort), limit) if sort.global => Some(new Block(list, sort, limit))
      case Limited(sort: Sort, limit) if sort.global => Some(new Block(sort.output, sort, limit))
      case sort: Sort if sort.global => Some(new Block(sort.output, sort, ""))
      case _ => None
    }

  }

  private object Limited {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, String)] = plan match {
      case FirstRows(child, most, 0) => Some((child, s" LIMIT $most"))
      case FirstRows(child, most, skipped) => Some((child, s" LIMIT ${math.max(0, most - skipped)} OFFSET $skipped"))
      case Offset(IntegerLiteral(skipped), child) => Some((child, s" OFFSET $skipped"))
      case _ => None
    }
  }
}
