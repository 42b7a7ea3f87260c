package org.apache.spark.sql.sqe.kernel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, CollectList, CollectSet, Complete}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Structs, arrays and maps.
 *
 * | expression | why it is exact |
 * |---|---|
 * | `s.a`, `array.a` | the field by its name, which is its own in a struct; of NULL NULL, in both |
 * | `a[i]`, element_at, try_element_at | from 0 or from 1, from the end below it; where there is none Spark's error is raised here, too, or it is NULL |
 * | `m[k]`, element_at of a map | the first such key, or NULL; keys of floats are refused |
 * | size, cardinality | NULL of NULL, as ANSI says |
 * | array_contains, array_position, arrays_overlap | equal elements, in both; Spark's NULL where an element is NULL is spelled out |
 * | array_min, array_max, sort_array, array_distinct | of types with one order and no two spellings of a value; NULLs first when ascending; the first of equal ones stays |
 * | array_join, concat, slice and reverse of arrays | elements in their order; what NULLs do is spelled out |
 * | array, struct, map; map_keys, map_values, map_entries | keys in their order; a key that comes twice or is NULL is an error in both |
 * | transform, filter, exists with one variable | where the body cannot fail |
 * | sort_array(collect_list), sort_array(collect_set), size(collect_set) | sorted, the order of rows is no part of it |
 * | explode, posexplode, inline | see [[Operators]] |
 * | comparing, grouping and ordering by nested values, casts of them | refused: nobody has proved them equal |
 * | collect_list and its kind unsorted | refused: each order of rows gives another list |
 */
object Nested {
  def table(sql: Expression => String): PartialFunction[Expression, String] = {
    case GetStructField(struct, ordinal, _) => field(sql(struct), struct.dataType, ordinal)
    case fields: GetArrayStructFields => s"list_transform(${sql(fields.child)}, lambda item: struct_extract(item, ${NativeLiterals.quoted(fields.field.name)}))"
    case GetArrayItem(array, index, fails) => item(sql(array), s"(${big(index, sql)} + 1)", s"${sql(index)} < 0", fails)
    case ElementAt(array, index, None, fails) if isArray(array) =>
      val at = big(index, sql)
      if (fails) item(sql(array), at, s"$at < -len(${sql(array)}) OR $at = 0", fails)
      else s"(CASE WHEN $at IN (0, ${Int.MinValue}) THEN error('index') ELSE list_extract(${sql(array)}, $at) END)"
    case ElementAt(map, key, None, _) if isMap(map) => valueOf(map, key, sql)
    case GetMapValue(map, key) => valueOf(map, key, sql)
    case size: Size if isCollected(size.child) => sizeOfSet(size.child, sql)
    case size: Size =>
      val count = NativeTypes.cast(s"${if (isMap(size.child)) "cardinality" else "len"}(${sql(size.child)})", IntegerType)
      if (size.legacySizeOfNull) s"COALESCE($count, -1)" else count
    case ArrayContains(array, value) => NativeTypes.checkFlat(value.dataType); contains(sql(array), sql(value))
    case ArrayPosition(array, value) =>
      NativeTypes.checkFlat(value.dataType)
      val (of, searched) = (sql(array), sql(value))
      s"(CASE WHEN $of IS NOT NULL AND $searched IS NOT NULL THEN CAST(COALESCE(list_position($of, $searched), 0) AS BIGINT) END)"
    case ArraysOverlap(left, right) =>
      NativeTypes.checkFlat(element(left))
      val (a, b) = (sql(left), sql(right))
      s"(CASE WHEN $a IS NULL OR $b IS NULL THEN NULL WHEN list_has_any($a, $b) THEN TRUE WHEN len($a) > 0 AND len($b) > 0 AND " +
        s"(list_count($a) < len($a) OR list_count($b) < len($b)) THEN NULL ELSE FALSE END)"
    case ArrayMin(array) if NativeTypes.hasExtremes(element(array)) => s"list_min(${sql(array)})"
    case ArrayMax(array) if NativeTypes.hasExtremes(element(array)) => s"list_max(${sql(array)})"
    case SortArray(array, Literal(ascending: Boolean, _)) if NativeTypes.hasExtremes(element(array)) =>
      sorted(if (isCollected(array)) collected(array, sql) else sql(array), ascending)
    case ArrayDistinct(array) if NativeTypes.hasExtremes(element(array)) =>
      s"list_filter(${sql(array)}, lambda item, place: list_position(${sql(array)}, item) = place)"
    case ArrayJoin(array, Literal(separator: UTF8String, _), replacement) => joined(sql(array), separator, replacement)
    case concat: Concat if concat.children.nonEmpty && concat.children.forall(isArray) =>
      concat.children.map(part => NativeTypes.same(sql(part), part.dataType, concat.dataType)).mkString("(", " || ", ")")
    case Slice(array, Literal(from: Int, _), Literal(count: Int, _)) if from > 0 && count >= 0 => s"list_slice(${sql(array)}, $from, ${from.toLong + count - 1})"
    case Reverse(array) if isArray(array) => s"list_reverse(${sql(array)})"
    case MapKeys(map) => s"map_keys(${sql(map)})"
    case MapValues(map) => s"map_values(${sql(map)})"
    case entries: MapEntries => NativeTypes.cast(s"map_entries(${sql(entries.child)})", entries.dataType)
    case array: CreateArray => NativeTypes.cast(array.children.map(part => NativeTypes.same(sql(part), part.dataType, element(array))).mkString("[", ", ", "]"), array.dataType)
    case struct: CreateNamedStruct =>
      NativeTypes.check(struct.dataType)
      struct.dataType.fields.zip(struct.valExprs).map { case (field, value) => s"${NativeTypes.quoted(field.name)} := ${sql(value)}" }.mkString("struct_pack(", ", ", ")")
    case map: CreateMap if hasPlainKeys(map.dataType) => NativeTypes.cast(
      s"MAP([${map.keys.map(sql).mkString(", ")}], [${map.values.map(value => NativeTypes.same(sql(value), value.dataType, map.dataType.valueType)).mkString(", ")}])", map.dataType)
    case variable: NamedLambdaVariable => NativeTypes.check(variable.dataType); NativeTypes.column(variable)
    case ArrayTransform(array, Each(variable, body)) => s"list_transform(${sql(array)}, lambda $variable: ${sql(body)})"
    case ArrayFilter(array, Each(variable, body)) => s"list_filter(${sql(array)}, lambda $variable: ${sql(body)})"
    case ArrayExists(array, Each(variable, body), true) => contains(s"list_transform(${sql(array)}, lambda $variable: ${sql(body)})", "TRUE")
  }

  def field(struct: String, of: DataType, ordinal: Int): String =
    s"struct_extract($struct, ${NativeLiterals.quoted(of.asInstanceOf[StructType](ordinal).name)})"

  /** A body that looks at elements alone, one at a time. One that can fail might be looked at for fewer of them than on Spark. */
  private object Each {
    def unapply(function: Expression): Option[(String, Expression)] = function match {
      case LambdaFunction(body, Seq(variable: NamedLambdaVariable), _) if !MayFail(body) => Some((NativeTypes.column(variable), body))
      case _ => None
    }
  }

  private def item(array: String, at: String, below: String, fails: Boolean): String =
    if (fails) s"(CASE WHEN $below OR $at > len($array) THEN error('index') ELSE list_extract($array, $at) END)"
    else s"(CASE WHEN NOT ($below) THEN list_extract($array, $at) END)"

  private def valueOf(map: Expression, key: Expression, sql: Expression => String): String =
    if (hasPlainKeys(map.dataType)) s"(${sql(map)}[${sql(key)}])" else Refused("map of unusual keys")

  private def hasPlainKeys(map: DataType): Boolean = map match {
    case MapType(key, _, _) => NativeTypes.hasExtremes(key)
    case _ => false
  }

  /** What Spark says where nothing is equal and something is NULL. */
  private def contains(array: String, value: String): String =
    s"(CASE WHEN $array IS NULL OR $value IS NULL THEN NULL WHEN list_contains($array, $value) THEN TRUE WHEN list_count($array) < len($array) THEN NULL ELSE FALSE END)"

  private def sorted(array: String, ascending: Boolean): String =
    s"list_sort($array, ${if (ascending) "'ASC', 'NULLS FIRST'" else "'DESC', 'NULLS LAST'"})"

  /** Of no text at all it is an empty one. */
  private def joined(array: String, separator: UTF8String, replacement: Option[Expression]): String = {
    val texts = replacement match {
      case None => array
      case Some(Literal(by: UTF8String, _)) => s"list_transform($array, lambda item: COALESCE(item, ${NativeLiterals.quoted(by)}))"
      case _ => Refused("array_join with a computed replacement")
    }
    s"(CASE WHEN $array IS NOT NULL THEN COALESCE(array_to_string($texts, ${NativeLiterals.quoted(separator)}), '') END)"
  }

  private def isCollected(array: Expression): Boolean = array match {
    case AggregateExpression(_: CollectList | _: CollectSet, Complete, _, _, _) => true
    case _ => false
  }

  /** In any order: for those who sort it. Of no row it is an empty one. */
  private def collected(array: Expression, sql: Expression => String): String = array match {
    case AggregateExpression(function, _, distinct, filter, _) =>
      val value = sql(function.children.head)
      val once = if (distinct || function.isInstanceOf[CollectSet]) "DISTINCT " else ""
      val where = (s"$value IS NOT NULL" +: filter.toSeq.map(sql)).mkString(" AND ")
      s"COALESCE(list($once$value) FILTER (WHERE $where), ${NativeTypes.cast("[]", array.dataType)})"
  }

  private def sizeOfSet(array: Expression, sql: Expression => String): String = array match {
    case AggregateExpression(set: CollectSet, _, _, filter, _) if NativeTypes.hasExtremes(set.child.dataType) =>
      NativeTypes.cast(s"count(DISTINCT ${sql(set.child)})${filter.fold("")(condition => s" FILTER (WHERE ${sql(condition)})")}", IntegerType)
    case _ => Refused("list of rows in any order")
  }

  private def big(index: Expression, sql: Expression => String): String = NativeTypes.cast(sql(index), LongType)

  private def element(array: Expression): DataType = array.dataType.asInstanceOf[ArrayType].elementType

  private def isArray(expression: Expression): Boolean = expression.dataType.isInstanceOf[ArrayType]

  private def isMap(expression: Expression): Boolean = expression.dataType.isInstanceOf[MapType]
}
