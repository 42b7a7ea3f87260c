package org.apache.spark.sql.sqe.kernel

import scala.util.hashing.MurmurHash3

import org.apache.spark.sql.sqe.Recent

/**
 * Fragments that failed in the kernel: the same one over the same files would fail again, and Spark had to do its work after it each time.
 * Not those that were short of memory, room or rights, of which there may be more the next time, or for somebody else. A driver's own; on a cluster nothing is known, and each
 * is tried.
 */
object KnownFailures {
  val reason = "failed before"
  private val known = Recent.setOf[(Int, Int)](1000)

  private val passing = Set("Out of Memory Error", "IO Error", Fetch.noRoom, Fetch.unreadable)

  def add(query: NativeQuery, reason: String): Unit = if (!passing.contains(reason)) add(query.key)

  def add(key: (Int, Int)): Unit = known.add(key)

  def contains(key: (Int, Int)): Boolean = known.contains(key)

  /**
   * The text, its columns numbered as they come: Spark's numbers are new in every plan. As two hashes, since it can be long and two texts with
   * the same ones would only cost time.
   */
  def key(sql: String, fed: Seq[FedScan], shared: Option[SharedScan] = None): (Int, Int) = {
    val text = ColumnNumbers.inOrder(shared.fold(sql)(_.whole(sql)))
    val whole = ((text +: fed.map(_.table)) ++ shared.map(_.table)).mkString("\n")
    keyOf(whole)
  }

  def keyOf(text: String): (Int, Int) = (text.hashCode, MurmurHash3.stringHash(text))
}
