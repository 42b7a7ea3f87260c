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
 * A look at one small file, or at the first rows of a large table, which the driver reads itself: scan, filter and projection on
 * the thread that also writes the rows out.
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

  /** A partition is opened when somebody wants its first row. */
  private def reading[T, R](open: InputPartition => PartitionReader[T], check: () => Unit)(body: Iterator[T] => R): R = {
    var opened = Option.empty[PartitionReader[T]]
    def close(): Unit = {
      opened.foreach(_.close())
      opened = None
    }
    val all = scan.inputPartitions.iterator.flatMap { partition =>
      check()
      close()
      val reader = open(partition)
      opened = Some(reader)
      def more: Boolean = {
        check()
        reader.next()
      }
      Iterator.continually(reader).takeWhile(_ => more).map(_.get())
    }
    try body(all)
    finally close()
  }

  private def followedBy(step: SmallScan.Step): SmallScan = new SmallScan(scan, step :: steps)
}

object SmallScan {
  private type Step = Iterator[InternalRow] => Iterator[InternalRow]

  /** Interpreted, a million rows take a filter some 50 ms, which is what compiling it would take. */
  private val fewRows = 1000000L
  private val fewBytes = 128L << 20
  private val fewFirstRows = 10000
  private val fewPartitions = 4
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
    case limit: CollectLimitExec if limit.limit >= 0 =>
      val scan = if (limit.limit <= fewFirstRows) first(limit.child, limit.limit) else None
      scan.orElse(of(limit.child, narrowed = true)).map(_.followedBy(_.slice(limit.offset, limit.limit)))
    case scan: BatchScanExec if isSmall(scan, if (narrowed) fewBytes else fewResultBytes) => Some(new SmallScan(scan, Nil))
    case _ => None
  }

  /** However large the table: where nothing takes rows out, the reader is left after the first ones. Not from many tiny files. */
  private def first(plan: SparkPlan, wanted: Int): Option[SmallScan] = plan match {
    case WholeStageCodegenExec(child) => first(child, wanted)
    case InputAdapter(child) => first(child, wanted)
    case ColumnarToRowExec(child) => first(child, wanted)
    case ProjectExec(list, child) if list.forall(evaluable) => first(child, wanted).map(_.followedBy(projection(list, child)))
    case scan: BatchScanExec if isHere(scan) && rowsOf(scan) * fewPartitions >= wanted.toLong * scan.inputPartitions.length =>
      Some(new SmallScan(scan, Nil))
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

  private def isHere(scan: BatchScanExec): Boolean = scan.runtimeFilters.isEmpty && scan.session.sparkContext.isLocal

  private def isSmall(scan: BatchScanExec, bytes: Long): Boolean =
    isHere(scan) && scan.inputPartitions.length <= 1 && rowsOf(scan) <= fewRows && (scan.scan match {
      case sized: SupportsReportStatistics => sized.estimateStatistics().sizeInBytes.orElse(Long.MaxValue) <= bytes
      case _ => false
    })

  /** As many as can be when nobody knows. */
  private def rowsOf(scan: BatchScanExec): Long = scan.scan match {
    case sized: SupportsReportStatistics => sized.estimateStatistics().numRows.orElse(Long.MaxValue / fewPartitions)
    case _ => Long.MaxValue / fewPartitions
  }
}
