package org.apache.spark.sql.sqe

import org.apache.iceberg.spark.source.{KeptPlans, MetadataRows}
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.PersistedView
import org.apache.spark.sql.catalyst.expressions.{CallMethodViaReflection, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command._
import org.apache.spark.sql.execution.datasources.V1WriteCommand
import org.apache.spark.sql.sqe.files.FileFunctions
import org.apache.spark.sql.sqe.kernel.{ExplainNative, Kernel}
import org.apache.spark.sql.sqe.policy.{Barrier, SecureRelations, SecuredStrategy, Verifier, WrapRelations}
import org.apache.spark.sql.types.LongType

/** What SQE adds to every Spark session. */
class Extension extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectParser((session, parser) => new CatalogNames(session.asInstanceOf[SparkSession], parser))
    extensions.injectResolutionRule(_ => StopWhenCancelled)
    extensions.injectResolutionRule(_ => WholeLimits)
    extensions.injectResolutionRule(session => ShortNames(session.asInstanceOf[SparkSession]))
    extensions.injectResolutionRule(session => CreateTableLike(session.asInstanceOf[SparkSession]))
    extensions.injectResolutionRule(session => ViewColumns(session.asInstanceOf[SparkSession]))
    extensions.injectHintResolutionRule(session => ViewComments(session.asInstanceOf[SparkSession]))
    extensions.injectHintResolutionRule(session => WrapRelations(session.asInstanceOf[SparkSession]))
    extensions.injectResolutionRule(session => SecureRelations(session.asInstanceOf[SparkSession]))
    extensions.injectResolutionRule(session => ExplainNative(session.asInstanceOf[SparkSession]))
    extensions.injectOptimizerRule(_ => Barrier)
    extensions.injectOptimizerRule(_ => BothZeros)
    extensions.injectPlannerStrategy(_ => KeptPlans.Keep)
    extensions.injectPlannerStrategy(session => Kernel(session.asInstanceOf[SparkSession]))
    extensions.injectPlannerStrategy(_ => CountedRows)
    extensions.injectPlannerStrategy(_ => SecuredStrategy)
    extensions.injectPlannerStrategy(session => WideSums(session.asInstanceOf[SparkSession]))
    extensions.injectPlannerStrategy(_ => LargeBuildSides)
    extensions.injectOptimizerRule(_ => StopWhenCancelled)
    extensions.injectPreCBORule(_ => StopWhenCancelled)
    extensions.injectPreCBORule(_ => OneRowIsLocal)
    extensions.injectPreCBORule(_ => MetadataRows)
    extensions.injectPreCBORule(_ => MeasuredScans) // last: it makes the scans
    extensions.injectQueryStagePrepRule(_ => ShufflePartitions)
    extensions.injectColumnar(_ => StoppableRows)
    extensions.injectCheckRule(_ => NoForeignCode)
    extensions.injectCheckRule(_ => SafeNames)
    extensions.injectCheckRule(session => Verifier(session.asInstanceOf[SparkSession]))
    FileFunctions.add(extensions)
  }
}

/** `LIMIT ?` with a BIGINT, which is what clients bind: Spark wants an INT there. */
object WholeLimits extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case GlobalLimit(Whole(count), child) => GlobalLimit(count, child)
    case LocalLimit(Whole(count), child) => LocalLimit(count, child)
    case Offset(Whole(count), child) => Offset(count, child)
  }

  private object Whole {
    def unapply(count: Expression): Option[Expression] = count match {
      case Literal(value: Long, LongType) if value.isValidInt => Some(Literal(value.toInt))
      case _ => None
    }
  }
}

/**
 * The gate in Python refuses these in a statement's own text; this rule refuses them wherever they come from: a view that
 * another engine wrote, or a name that Spark resolves to its own catalog, where tables of any data source lie over any path.
 */
object NoForeignCode extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case _: ScriptTransformation => throw new Failure.Refused("Running programs is not available")
    case _: CreateDataSourceTableCommand | _: CreateDataSourceTableAsSelectCommand | _: CreateTableCommand | _: CreateTableLikeCommand |
        _: V1WriteCommand =>
      throw new Failure.Refused("Tables outside the configured catalogs are not available")
    case view: CreateViewCommand if view.viewType == PersistedView =>
      throw new Failure.Refused("Views outside the configured catalogs are not available")
    case node => node.expressions.foreach(_.foreach {
      case _: CallMethodViaReflection => throw new Failure.Refused("Calling Java methods is not available")
      case _ =>
    })
  }
}

/**
 * Makes planning cancellable. Spark's analyzer and optimizer never look at the interrupt flag, so a statement whose plan
 * takes minutes could not be stopped; this rule runs in every iteration of their fixed points and does look.
 */
object StopWhenCancelled extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (Thread.currentThread.isInterrupted) throw new Failure.Cancelled else plan
}
