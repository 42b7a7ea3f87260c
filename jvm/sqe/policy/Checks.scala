package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.sqe.Failure
import org.apache.spark.sql.types.DataType

/** The row filter inside the condition of an UPDATE, DELETE or MERGE; its place there is what the verifier looks for. */
final case class PolicyGuard(child: Expression, table: String) extends UnaryExpression with RuntimeReplaceable with Predicate {
  override def replacement: Expression = child
  override def prettyName: String = "policy"
  override def sql: String = prettyName
  override def toString: String = prettyName
  override protected def withNewChildInternal(newChild: Expression): PolicyGuard = copy(child = newChild)
}

/** A condition of the user, evaluated only where the row filter holds. Spark would take an `AND` of the two apart. */
final case class Guarded(guard: Expression, condition: Expression) extends Expression with BinaryLike[Expression] with Predicate {
  override def left: Expression = guard
  override def right: Expression = condition
  override def nullable: Boolean = false
  override def foldable: Boolean = false
  override def sql: String = condition.sql
  override def toString: String = condition.toString
  override def eval(row: InternalRow): Any = guard.eval(row) == true && condition.eval(row) == true

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val (first, second) = (guard.genCode(ctx), condition.genCode(ctx))
    val passed = code"""
      ${first.code}
      boolean ${ev.value} = false;
      if (!${first.isNull} && ${first.value}) {
        ${second.code}
        ${ev.value} = !${second.isNull} && ${second.value};
      }"""
    ev.copy(code = passed, isNull = org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral)
  }

  override protected def withNewChildrenInternal(newGuard: Expression, newCondition: Expression): Guarded =
    copy(guard = newGuard, condition = newCondition)
}

/** A mask in the place of its column, in an expression of an UPDATE, DELETE or MERGE. Its text is not for errors and plans. */
final case class MaskedValue(child: Expression, column: String) extends UnaryExpression with RuntimeReplaceable {
  override def replacement: Expression = child
  override def sql: String = column
  override def toString: String = column
  override protected def withNewChildInternal(newChild: Expression): MaskedValue = copy(child = newChild)
}

/**
 * Stops the statement when a new row is one that its writer could not see. Not deterministic to Spark: the optimizer must not
 * evaluate it for rows that a filter or limit above or below it removes.
 */
final case class RowCheck(child: Expression, table: String) extends UnaryExpression with Predicate {
  override lazy val deterministic: Boolean = false
  override def nullable: Boolean = false
  override def foldable: Boolean = false
  override def sql: String = "policy"
  override def toString: String = sql
  override def eval(row: InternalRow): Any = RowCheck.passed(child.eval(row), table)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val row = child.genCode(ctx)
    ev.copy(
      code = code"${row.code}\n${RowCheck.stop(ctx, row, table)}",
      isNull = org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral,
      value = org.apache.spark.sql.catalyst.expressions.codegen.TrueLiteral)
  }

  override protected def withNewChildInternal(newChild: Expression): RowCheck = copy(child = newChild)
}

object RowCheck {
  def passed(result: Any, table: String): Boolean = if (result == true) true else throw new Failure.RowNotAllowed(table)

  /** Called by generated code. */
  def violated(table: String): Unit = throw new Failure.RowNotAllowed(table)

  private[policy] def stop(ctx: CodegenContext, row: ExprCode, table: String): String = {
    val name = ctx.addReferenceObj("table", table)
    s"if (${row.isNull} || !${row.value}) { org.apache.spark.sql.sqe.policy.RowCheck.violated($name); }"
  }
}

/** A value that UPDATE or MERGE assigns, given only when the row that it makes is one that its writer can see. */
final case class CheckedValue(value: Expression, check: Expression, table: String) extends Expression with BinaryLike[Expression] {
  override def left: Expression = value
  override def right: Expression = check
  override def nullable: Boolean = value.nullable
  override def dataType: DataType = value.dataType
  override def foldable: Boolean = false
  override def sql: String = value.sql
  override def toString: String = value.toString

  override def eval(row: InternalRow): Any = {
    RowCheck.passed(check.eval(row), table)
    value.eval(row)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val (row, own) = (check.genCode(ctx), value.genCode(ctx))
    ev.copy(code = code"${row.code}\n${RowCheck.stop(ctx, row, table)}\n${own.code}", isNull = own.isNull, value = own.value)
  }

  override protected def withNewChildrenInternal(newValue: Expression, newCheck: Expression): CheckedValue =
    copy(value = newValue, check = newCheck)
}
