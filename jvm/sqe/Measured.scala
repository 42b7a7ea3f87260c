package org.apache.spark.sql.sqe

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * What each step of a plan took, after it has run. Steps by their names and numbers alone: an expression of a plan can be
 * somebody's row filter.
 */
object Measured {
  def lines(plan: SparkPlan, depth: Int = 0): Seq[String] = plan match {
    case adaptive: AdaptiveSparkPlanExec => lines(adaptive.executedPlan, depth)
    case stage: QueryStageExec => lines(stage.plan, depth)
    case wrapper @ (_: WholeStageCodegenExec | _: InputAdapter | _: ColumnarToRowExec) => wrapper.children.flatMap(lines(_, depth))
    case step => line(step, depth) +: (step.children ++ step.subqueries).flatMap(lines(_, depth + 1))
  }

  private def line(step: SparkPlan, depth: Int): String = {
    val figures = shown.flatMap { case (key, word) => step.metrics.get(key).filter(_.value >= 0).map(metric => s"$word ${value(metric)}") }
    s"${"  " * depth}${step.nodeName.trim}${if (figures.isEmpty) "" else figures.mkString(": ", ", ", "")}"
  }

  private val shown = Seq(
    "numOutputRows" -> "rows", "sortTime" -> "sort", "aggTime" -> "aggregate", "buildTime" -> "build", "shuffleBytesWritten" -> "shuffled",
    "spillSize" -> "spilled", "peakMemory" -> "memory", "scannedDataFiles" -> "files", "resultDataFiles" -> "files", "skippedDataFiles" -> "skipped files",
    "totalPlanningDuration" -> "planning")

  private def value(metric: SQLMetric): String = metric.metricType match {
    case "timing" => s"${metric.value} ms"
    case "nsTiming" => s"${metric.value / 1000000} ms"
    case "size" => s"${metric.value} B"
    case _ => metric.value.toString
  }
}
