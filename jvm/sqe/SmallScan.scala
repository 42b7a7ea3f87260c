package org.apache.spark.sql.sqe

import java.util.concurrent.Semaphore

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, SupportsReportStatistics}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * A look at one small file, which the driver reads itself: scan, filter and projection on the thread that also writes the rows out.
 * The same query as a Spark job spends its time elsewhere. Its class is generated and compiled anew for every constant in its
 * filter, and then compiled by the JVM; its task is serialised, scheduled and reported. Measured with a look-up by key, warm:
 * 107 ms and 205 CPU-ms as a job, 25 and 60 like this.
 *
 * What it may hold is what a task may hold, and there are never more of them than cores: who comes when all are taken, or finds
 * the scan not so small, takes Spark's way.
 */
final class SmallScan private (scan: BatchScanExec, steps: List[SmallScan.Step]) {
  /** The scan's own columns, where the plan takes them as they are. `check` throws when nobody wants them any more. */
  def columns[T](check: () => Unit)(body: Iterator[ColumnarBatch] => T): T = reading(scan.readerFactory.createColumnarReader, check)(body)

  def rows[T](check: () => Unit)(body: Iterator[InternalRow] => T): T =
    if (scan.supportsColumnar) columns(check)(batches => body(stepped(batches.flatMap(_.rowIterator().asScala))))
    else reading(scan.readerFactory.createReader, check)(rows => body(stepped(rows)))

  private def stepped(rows: Iterator[InternalRow]): Iterator[InternalRow] = steps.foldRight(rows)((step, from) => step(from))

  private def reading[T, R](open: InputPartition => PartitionReader[T], check: () => Unit)(body: Iterator[T] => R): R =
    scan.inputPartitions.headOption match {
      case None => body(Iterator.empty)
      case Some(partition) =>
        check()
        val reader = open(partition)
        def more: Boolean = {
          check()
          reader.next()
        }
        try body(Iterator.continually(reader).takeWhile(_ => more).map(_.get()))
        finally reader.close()
    }

  private def followedBy(step: SmallScan.Step): SmallScan = new SmallScan(scan, step :: steps)
}

object SmallScan {
  private type Step = Iterator[InternalRow] => Iterator[InternalRow]

  /** Interpreted, a million rows take a filter some 50 ms, which is what compiling it would take. */
  private val fewRows = 1000000L
  private val fewBytes = 128L << 20
  /** Of a result that nothing makes smaller: a client that stops in the middle keeps the reader open. */
  private val fewResultBytes = 16L << 20

  private val turns = new Semaphore(Runtime.getRuntime.availableProcessors)

  /** `Some` of what `body` makes of it, if the plan is one and there is a turn. */
  def take[T](plan: SparkPlan)(body: SmallScan => T): Option[T] =
    of(plan, narrowed = false).filter(_ => turns.tryAcquire()).map { scan =>
      try body(scan)
      finally turns.release()
    }

  private def of(plan: SparkPlan, narrowed: Boolean): Option[SmallScan] = plan match {
    case WholeStageCodegenExec(child) => of(child, narrowed)
    case InputAdapter(child) => of(child, narrowed)
    case ColumnarToRowExec(child) => of(child, narrowed)
    case FilterExec(condition, child) if evaluable(condition) => of(child, narrowed = true).map(_.followedBy(filter(condition, child)))
    case ProjectExec(list, child) if list.forall(evaluable) => of(child, narrowed).map(_.followedBy(projection(list, child)))
    case limit: CollectLimitExec if limit.limit >= 0 => of(limit.child, narrowed = true).map(_.followedBy(_.slice(limit.offset, limit.limit)))
    case scan: BatchScanExec if isSmall(scan, if (narrowed) fewBytes else fewResultBytes) => Some(new SmallScan(scan, Nil))
    case _ => None
  }

  private def filter(condition: Expression, child: SparkPlan): Step = rows => {
    val predicate = Predicate.createInterpreted(BindReferences.bindReference(condition, child.output))
    predicate.initialize(0)
    rows.filter(predicate.eval)
  }

  private def projection(list: Seq[NamedExpression], child: SparkPlan): Step = rows => {
    val projection = new InterpretedMutableProjection(BindReferences.bindReferences(list, child.output))
    projection.initialize(0)
    rows.map(projection)
  }

  /** No subquery, which is a job of its own, and nothing that asks for the task that it runs in. */
  private def evaluable(expression: Expression): Boolean =
    expression.deterministic && !expression.exists {
      case _: Attribute => false // bound to a column before it is evaluated
      case _: PlanExpression[_] | _: Unevaluable => true
      case _ => false
    }

  private def isSmall(scan: BatchScanExec, bytes: Long): Boolean = scan.runtimeFilters.isEmpty && scan.session.sparkContext.isLocal &&
    scan.inputPartitions.length <= 1 && (scan.scan match {
      case sized: SupportsReportStatistics =>
        val size = sized.estimateStatistics()
        size.numRows.orElse(Long.MaxValue) <= fewRows && size.sizeInBytes.orElse(Long.MaxValue) <= bytes
      case _ => false
    })
}
