package org.apache.spark.sql.sqe.kernel

import java.lang.ref.WeakReference
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import org.apache.iceberg.Table
import org.apache.iceberg.io.FileIO

/** A table's access to its files, for a task. */
sealed trait TableFiles extends Serializable {
  def io: FileIO
}

/** Sent along with the task. */
final case class Sent(io: FileIO) extends TableFiles

/**
 * The driver's own, where tasks run in the driver's JVM: a copy of a store's client would connect anew for each fragment. It is the
 * table that is held, because Iceberg closes the client of a table that nobody has any more; the plan holds it until the task is done.
 */
final class InThisJvm(@transient private val table: Table) extends TableFiles {
  private val id = UUID.randomUUID().toString
  InThisJvm.known.values.removeIf(_.get == null)
  InThisJvm.known.put(id, new WeakReference(table))

  private def held: Table = Option(table).orElse(Option(InThisJvm.known.get(id)).flatMap(reference => Option(reference.get)))
    .getOrElse(throw new IllegalStateException("a table of another driver"))

  override def io: FileIO = held.io

  def name: String = held.name
}

object InThisJvm {
  private val known = new ConcurrentHashMap[String, WeakReference[Table]]
}
