package org.apache.spark.sql.sqe.kernel

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream, SequenceInputStream}
import java.nio.channels.Channels

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.ipc.{ArrowReader, ArrowStreamReader, WriteChannel}
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, ExprId}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.trees.LeafLike
import org.apache.spark.sql.execution.{BaseSubqueryExec, ExecSubqueryExpression, ReusedSubqueryExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.sqe.{ArrowSchema, BatchEncoding, ColumnEncoder, Columns, FewRows, LocalRows, PartitionEncoder, ResultPlan, RowEncoder, Rows, VectorEncoder}
import org.apache.spark.sql.types.{BinaryType, DataType, StructField, StructType}

/** Batches of Arrow's: broadcast to all executors, or with the task itself. */
sealed trait BuiltBatches extends Serializable {
  def value: Array[Array[Byte]]
}

final case class SentBatches(sent: Broadcast[Array[Array[Byte]]]) extends BuiltBatches {
  override def value: Array[Array[Byte]] = sent.value
}

final case class GivenBatches(value: Array[Array[Byte]]) extends BuiltBatches

/** Rows for the kernel of a task, as a table of that name. */
final case class BuiltTable(name: String, schema: StructType, batches: BuiltBatches) {
  def create(from: String): String =
    s"CREATE TEMP TABLE $name AS SELECT ${Select.list(schema.map(column => s"${NativeTypes.cast(column.name, column.dataType)} AS ${column.name}"))} FROM $from"

  def reader(allocator: BufferAllocator): ArrowReader = {
    val head = new ByteArrayOutputStream
    MessageSerializer.serialize(new WriteChannel(Channels.newChannel(head)), ArrowSchema.of(schema, "UTC"))
    val parts = Iterator(head.toByteArray) ++ batches.value.iterator
    new ArrowStreamReader(new SequenceInputStream(parts.map(part => new ByteArrayInputStream(part): InputStream).asJavaEnumeration), allocator) {
      override def loadNextBatch(): Boolean = {
        val more = super.loadNextBatch()
        if (more) CheckedText(getVectorSchemaRoot.getFieldVectors.asScala)
        more
      }
    }
  }
}

/**
 * The rows of one side of a join, made once by a plan of Spark's (of which the kernel may run a part), as Arrow columns in a broadcast
 * variable. Spark gives it up as those of its own joins, when nobody holds the plan any more.
 */
final case class BuildExec(name: String, child: SparkPlan) extends BaseSubqueryExec with UnaryExecNode {
  @transient lazy val batches: Broadcast[Array[Array[Byte]]] = sparkContext.broadcast(made())

  override def nodeName: String = "Native build side"

  override protected def doExecute(): org.apache.spark.rdd.RDD[InternalRow] = throw new UnsupportedOperationException("columns only")

  override protected def withNewChildInternal(newChild: SparkPlan): BuildExec = copy(child = newChild)

  private def made(): Array[Array[Byte]] = {
    val encoding = BatchEncoding(StructType(output.zipWithIndex.map { case (column, i) => StructField(s"c$i", column.dataType) }), "UTC")
    ResultPlan.of(child) match {
      case LocalRows(rows) => here(new RowEncoder(encoding).encode(rows))
      case FewRows(plan) => here(new RowEncoder(encoding).encode(plan.executeCollect().iterator))
      case Rows(plan) => inTasks(plan.execute(), new RowEncoder(encoding))
      case Columns(native: NativeFragment, ordinals) => inTasks(native.executeColumnar(), new VectorEncoder(encoding, ordinals))
      case Columns(plan, ordinals) => inTasks(plan.executeColumnar(), new ColumnEncoder(encoding, ordinals))
    }
  }

  private def here(batches: BatchEncoding.Batches): Array[Array[Byte]] =
    try BuildExec.bounded(batches)
    finally batches.close()

  private def inTasks[T: ClassTag](rdd: RDD[T], encoder: PartitionEncoder[T]): Array[Array[Byte]] = {
    val parts = new Array[Array[Array[Byte]]](rdd.partitions.length)
    val size = new BuildSize
    sparkContext.runJob(rdd, new BuildTask[T](encoder), rdd.partitions.indices, (place: Int, part: Array[Array[Byte]]) => {
      part.foreach(size.add)
      parts(place) = part
    })
    parts.flatten
  }
}

object BuildExec {
  val tooLarge = "build side that is too large"
  /** Of all its batches. The driver and each executor hold them, beside what their kernels make of them. */
  val mostBytes: Long = 64L << 20

  def bounded(batches: Iterator[Array[Byte]]): Array[Array[Byte]] = {
    val size = new BuildSize
    batches.map { batch =>
      size.add(batch)
      batch
    }.toArray
  }
}

private final class BuildSize {
  private var bytes = 0L

  def add(batch: Array[Byte]): Unit = {
    bytes += batch.length
    if (bytes > BuildExec.mostBytes) throw new NativeFailed(BuildExec.tooLarge, null)
  }
}

private final class BuildTask[T](encoder: PartitionEncoder[T]) extends ((TaskContext, Iterator[T]) => Array[Array[Byte]]) with Serializable {
  override def apply(context: TaskContext, items: Iterator[T]): Array[Array[Byte]] = BuildExec.bounded(encoder.encode(items))
}

/**
 * A build side in the plan of a fragment. To Spark it is a subquery: it has it made before the fragment's own tasks start, in the same job
 * group, and once for all fragments that ask for the same.
 */
final case class BuildSide(plan: BaseSubqueryExec, name: String, schema: StructType, key: (Int, Int), exprId: ExprId) extends ExecSubqueryExpression with LeafLike[Expression] {
  def table: BuiltTable = BuiltTable(name, schema, SentBatches(batches))

  private def batches: Broadcast[Array[Array[Byte]]] = plan match {
    case ReusedSubqueryExec(build: BuildExec) => build.batches
    case build: BuildExec => build.batches
    case other => throw new IllegalStateException(s"build side ${other.nodeName}")
  }

  /** One that was too large would be so again. */
  override def updateResult(): Unit =
    try batches
    catch {
      case failure: Throwable =>
        if (Fallback.reason(failure).contains(BuildExec.tooLarge)) KnownFailures.add(key)
        throw failure
    }

  override def withNewPlan(other: BaseSubqueryExec): BuildSide = copy(plan = other)

  override lazy val canonicalized: BuildSide =
    BuildSide(plan.canonicalized.asInstanceOf[BaseSubqueryExec], name, StructType(schema.zipWithIndex.map { case (column, i) => column.copy(name = s"c$i") }), (0, 0), ExprId(0))

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = false

  override def toString: String = plan.simpleString(25)

  override def eval(input: InternalRow): Any = throw new UnsupportedOperationException("a table")

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = throw new UnsupportedOperationException("a table")
}
