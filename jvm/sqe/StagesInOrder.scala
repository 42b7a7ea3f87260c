package org.apache.spark.sql.sqe

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.DAGScheduler

/**
 * Spark's fair scheduler gives a free core to the stage with the fewest running tasks, and of those that have none to the one whose name comes
 * first, by its letters: `TaskSet_9.0` waits as long as there is another from `TaskSet_10.0` to `TaskSet_89.0`. Of 16 users who asked all the
 * time, eleven waited for their first answer until the others had left. With numbers that are equally long from the start, the
 * order of letters is the order in which stages were made. There are a billion of them.
 */
object StagesInOrder {
  private val first = 1000000000

  def apply(context: SparkContext): Unit = {
    val numbers = classOf[DAGScheduler].getDeclaredField("nextStageId")
    numbers.setAccessible(true)
    numbers.get(context.dagScheduler).asInstanceOf[AtomicInteger].compareAndSet(0, first)
  }
}
