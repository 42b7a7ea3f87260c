package org.apache.spark.sql.sqe.files

import java.util.Locale

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession

/** `read_csv('…')` and its kin as table functions; `FROM '…'` becomes `read_file('…')`, which looks at the name's ending. */
object FileFunctions {
  private val common = Set("union_by_name", "filename", "hive_partitioning")
  private val text = Set("columns", "sample_size", "ignore_errors", "encoding")

  private val options: Map[String, Set[String]] = Map(
    "read_parquet" -> common,
    "read_orc" -> common,
    "read_avro" -> common,
    "read_csv" -> (common ++ text ++ Set("header", "delim", "sep", "quote", "escape", "comment", "nullstr", "all_varchar", "dateformat",
      "timestampformat", "multiline")),
    "read_json" -> (common ++ text ++ Set("format")),
    "read_text" -> Set.empty,
    "read_iceberg" -> Set("snapshot_id", "version", "timestamp"),
    "read_delta" -> Set("version", "timestamp"),
    "read_file" -> Set.empty)

  private val formats = Map("parquet" -> "parquet", "pq" -> "parquet", "orc" -> "orc", "avro" -> "avro", "csv" -> "csv", "tsv" -> "csv", "psv" -> "csv",
    "json" -> "json", "jsonl" -> "json", "ndjson" -> "json", "txt" -> "text", "log" -> "text", "md" -> "text")

  val names: Seq[String] = options.keys.toSeq.sorted

  def add(extensions: SparkSessionExtensions): Unit = options.foreach { case (name, known) =>
    val info = new ExpressionInfo(getClass.getName, null, name, s"$name(path, option => value, …) - rows of files", "")
    extensions.injectTableFunction((FunctionIdentifier(name), info, (arguments: Seq[Expression]) => read(name, arguments, known)))
  }

  private def read(function: String, arguments: Seq[Expression], known: Set[String]): LogicalPlan = {
    val given = new FileOptions(function, arguments, known)
    val reader = new FileReader(SparkSession.active)
    function match {
      case "read_file" => reader.read(formatOf(given.paths, reader), given)
      case _ => reader.read(function.stripPrefix("read_"), given)
    }
  }

  private def formatOf(paths: Seq[String], reader: FileReader): String = {
    val name = paths.head.takeWhile(_ != '?').stripSuffix("/").split("/").lastOption.getOrElse("").toLowerCase(Locale.ROOT)
    val endings = name.split('.').drop(1).reverse.dropWhile(ending => Codecs.endings(ending) || ending == "*")
    endings.headOption.flatMap(formats.get).orElse(reader.formatOfFolder(paths.head))
      .getOrElse(throw new FileUnreadable(s"What kind of file ${Address.parse(paths.head).shown} is, its name does not tell: use read_csv, read_json, …"))
  }
}
