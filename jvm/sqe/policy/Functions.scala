package org.apache.spark.sql.sqe.policy

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.{BooleanType, StringType}

/** Which functions a session has: SQE's own about who is asking, and with a policy only those on the list. */
object Functions {
  /** `is_role_in_session('r')` and `is_member_of_group('g')`, by the roles and groups of now. */
  def register(spark: SparkSession, policy: SessionPolicy): Unit = {
    def add(name: String, names: => Set[String]): Unit = spark.sessionState.functionRegistry.registerFunction(
      FunctionIdentifier(name),
      new ExpressionInfo("", name),
      arguments => arguments match {
        case Seq(one) => membership(one, names)
        case _ => throw org.apache.spark.sql.errors.QueryCompilationErrors.wrongNumArgsError(name, Seq(1), arguments.size)
      })
    add("is_role_in_session", policy.roles)
    add("is_member_of_group", policy.groups)
  }

  private def membership(name: Expression, names: Set[String]): Expression =
    if (names.isEmpty) If(IsNull(name), Literal(null, BooleanType), Literal.FalseLiteral)
    else In(Cast(name, StringType), names.toSeq.sorted.map(Literal(_)))

  /** What is not on the list does not exist: a function of a new Spark is missing until somebody has thought about it. */
  def restrict(spark: SparkSession): Unit = {
    val functions = spark.sessionState.functionRegistry
    functions.listFunction().filterNot(name => FunctionList.scalar(name.funcName)).foreach(functions.dropFunction)
    val tables = spark.sessionState.tableFunctionRegistry
    tables.listFunction().filterNot(name => FunctionList.table(name.funcName)).foreach(tables.dropFunction)
  }

  /** Where such an expression comes from does not matter: it runs somebody's code or tells of a table's files. */
  def isRefused(expression: Expression): Boolean = expression match {
    case _: CallMethodViaReflection | _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
    case function: ApplyFunctionExpression => !function.function.canonicalName.startsWith("iceberg.")
    case _: UserDefinedExpression => true
    case _ => false
  }

  /** The number of a task is that of its files, some of which may hold invisible rows only. */
  def tellsOfFiles(expression: Expression): Boolean = expression match {
    case _: SparkPartitionID | _: MonotonicallyIncreasingID => true
    case _ => false
  }
}
