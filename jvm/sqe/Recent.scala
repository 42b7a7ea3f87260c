package org.apache.spark.sql.sqe

import java.util
import java.util.Collections

object Recent {
  /** A set that forgets its oldest items. */
  def setOf[T](count: Int): util.Set[T] = {
    val items = new util.LinkedHashMap[T, java.lang.Boolean] {
      override def removeEldestEntry(eldest: util.Map.Entry[T, java.lang.Boolean]): Boolean = size > count
    }
    Collections.synchronizedSet(Collections.newSetFromMap(items))
  }
}

/** Values that weigh at most so much together: what was asked for the longest time ago is forgotten, and what is heavier alone is not kept. */
final class Recent[K, V](most: Long, weight: V => Long) {
  private val items = new util.LinkedHashMap[K, V](16, 0.75f, true)
  private var held = 0L

  def get(key: K): Option[V] = synchronized(Option(items.get(key)))

  def add(key: K, value: V): Unit = synchronized {
    if (weight(value) <= most && !items.containsKey(key)) {
      items.put(key, value)
      held += weight(value)
      val oldest = items.values.iterator
      while (held > most) {
        held -= weight(oldest.next())
        oldest.remove()
      }
    }
  }
}
