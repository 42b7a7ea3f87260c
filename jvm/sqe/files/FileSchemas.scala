package org.apache.spark.sql.sqe.files

import java.io.InputStream
import java.util.concurrent.{Callable, ExecutionException, Executors}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.hadoop.io.compress.CompressionCodecFactory
import org.apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{DataSource, FileFormat}
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2
import org.apache.spark.sql.types._

/** Files that are read in one way, with the columns that they have. */
final case class Part(files: Seq[FileStatus], schema: StructType, options: Map[String, String])

/** All of them, and the columns that they have together. */
final case class Groups(schema: StructType, parts: Seq[Part])

final class FileSchemas(spark: SparkSession, conf: Configuration, guard: Map[String, String]) {
  import FileSchemas._

  /** Formats that carry their types. */
  def typed(format: String, files: Seq[FileStatus], given: FileOptions): Groups = {
    val own = atOnce(files)(file => file -> whole(file)(schemaOf(format, file)))
    val schemas = own.map(_._2).distinct
    checkUnion(schemas.map(_.fieldNames.toSeq), given, files)
    val together = schemas.reduce((one, other) => Widening.records(one, other).getOrElse(throw conflict(one, other)))
    // Missing columns are no reason for a plan of their own: readers give nulls for them.
    if (schemas.forall(schema => Widening.records(together, schema).contains(together) && sameLeaves(schema, together))) Groups(together, Seq(Part(files, together, Map.empty)))
    else Groups(together, own.groupMap(_._2)(_._1).toSeq.map { case (schema, some) => Part(some, schema, Map.empty) })
  }

  def csv(files: Seq[FileStatus], given: FileOptions): Groups = {
    val hints = hintsOf(given)
    val rowsWanted = given.number("sample_size").getOrElse(defaultSample)
    val looks = atOnce(files) { file =>
      val (text, complete) = head(file, rowsWanted, given.text("encoding").getOrElse("UTF-8"))
      val look = CsvDialect.sniff(text, complete, hints)
      // Quoted line breaks further down are not seen in the first lines; a small file loses nothing by being read in one piece.
      val inOnePiece = hints.multiLine.getOrElse(look.dialect.multiLine || file.getLen <= smallFile)
      file -> look.copy(dialect = look.dialect.copy(multiLine = inOnePiece))
    }.filter(_._2.names.nonEmpty)
    if (looks.isEmpty) throw new FileUnreadable(s"${shown(files.head)} is empty")
    val given_ = given.columns
    given_.foreach(columns => looks.foreach { case (file, look) => if (look.names.size != columns.size)
      throw new FileUnreadable(s"${shown(file)} has ${look.names.size} columns, and columns names ${columns.size}") })
    checkUnion(looks.map(_._2.names).distinct, given, files)
    def schemaOf(look: CsvLook) = given_.getOrElse(StructType(look.names.zip(look.kinds).map { case (name, kind) => StructField(name, onlyFormat(look, kind)) }))
    val together = looks.map(each => schemaOf(each._2)).distinct.reduce(textUnion)
    val types = together.fields.map(field => lower(field.name) -> (if (field.dataType == NullType) StringType else field.dataType)).toMap
    val parts = looks.groupMap { case (_, look) => (look.dialect, schemaOf(look).fieldNames.toSeq, dateFormat(look), timestampFormat(look)) }(_._1)
      .toSeq.sortBy { case (_, some) => files.indexOf(some.head) }.map { case ((dialect, names, dates, moments), some) =>
        Part(some, StructType(names.map(name => StructField(name, types(lower(name))))), csvOptions(dialect, given) ++
          hints.dateFormat.orElse(dates).map("dateFormat" -> _) ++ hints.timestampFormat.orElse(moments).map("timestampFormat" -> _))
      }
    Groups(StructType(together.fields.map(field => field.copy(dataType = types(lower(field.name))))), parts)
  }

  def json(files: Seq[FileStatus], given: FileOptions): Groups = {
    val most = given.number("sample_size").map(count => if (count < 0) Long.MaxValue else count).getOrElse(defaultSample)
    val wanted = given.text("format").getOrElse("auto")
    if (!Set("auto", "array", "newline_delimited")(wanted)) throw new WrongOption("format is auto, array or newline_delimited")
    val looks = atOnce(files) { file =>
      val look = JsonLook.of(opened(file), shown(file), most)
      file -> (if (wanted == "auto") look else look.copy(multiLine = wanted == "array"))
    }
    val filled = looks.map(_._2.schema).filter(_.nonEmpty)
    if (filled.isEmpty && given.columns.isEmpty) throw new FileUnreadable(s"${shown(files.head)} has no records")
    checkUnion(filled.map(_.fieldNames.toSeq.sorted).distinct, given, files)
    val together = given.columns.getOrElse(filled.reduce(textUnion))
    val parts = looks.groupMap(_._2.multiLine)(_._1).toSeq.map { case (multiLine, some) =>
      Part(some, together, Map("multiLine" -> multiLine.toString, "mode" -> mode(given)) ++ given.text("encoding").map("encoding" -> _))
    }
    Groups(together, parts)
  }

  private def schemaOf(format: String, file: FileStatus): StructType = format match {
    case "parquet" =>
      val footer = org.apache.spark.sql.execution.datasources.parquet.ParquetFooterReader.readFooter(
        org.apache.parquet.hadoop.util.HadoopInputFile.fromStatus(file, conf), SKIP_ROW_GROUPS)
      val converter = new org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter(spark.sessionState.conf)
      nullable(org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat.readSchemaFromFooter(
        new org.apache.parquet.hadoop.Footer(file.getPath, footer), converter))
    case _ =>
      val reader = DataSource.lookupDataSource(format, spark.sessionState.conf).getDeclaredConstructor().newInstance() match {
        case reader: FileFormat => reader
        case newer: FileDataSourceV2 => newer.fallbackFileFormat.getDeclaredConstructor().newInstance()
        case _ => throw new FileUnreadable(s"$format cannot be read")
      }
      nullable(reader.inferSchema(spark, guard, Seq(file)).getOrElse(throw new FileUnreadable(s"${shown(file)} has no columns")))
  }

  private def nullable(schema: StructType): StructType = schema.asNullable

  /** Readers speak of their own trouble in many ways; the file's name and format are what a user needs. */
  private def whole[T](file: FileStatus)(body: => T): T =
    try body
    catch {
      case known @ (_: FileMissing | _: FileUnreadable | _: FileDenied) => throw known
      case e: Exception if Seq("NANOS", "nanos").exists(word => String.valueOf(e.getMessage).contains(word)) =>
        throw new FileUnreadable(s"${shown(file)} has timestamps in nanoseconds, which Spark has no type for: reading them would lose digits")
      case other: Exception => throw new FileUnreadable(s"${shown(file)} is damaged or not of this format")
    }

  private def head(file: FileStatus, rows: Long, encoding: String): (String, Boolean) = {
    val most = if (rows < 0) wholeSample else sampleBytes
    val in = opened(file)
    try {
      val bytes = try in.readNBytes(most) catch { case _: java.io.IOException => throw new FileUnreadable(s"${shown(file)} is damaged or not compressed as its name says") }
      val complete = in.read() < 0
      val text = new String(bytes, try java.nio.charset.Charset.forName(encoding) catch { case _: IllegalArgumentException => throw new WrongOption(s"There is no encoding $encoding") })
      if (text.contains('\u0000')) throw new FileUnreadable(s"${shown(file)} is not text")
      val end = if (rows < 0) -1 else nth(text, rows)
      if (end < 0) (text, complete) else (text.substring(0, end), true)
    } finally in.close()
  }

  /** Where the n-th line ends, or -1. */
  private def nth(text: String, lines: Long): Int = {
    var at = -1
    var left = lines + 1
    while (left > 0 && { at = text.indexOf('\n', at + 1); at >= 0 }) left -= 1
    if (left == 0) at + 1 else -1
  }

  private def opened(file: FileStatus): InputStream = {
    val raw = file.getPath.getFileSystem(conf).open(file.getPath)
    Option(new CompressionCodecFactory(conf).getCodec(file.getPath)) match {
      case Some(codec) => try codec.createInputStream(raw) catch { case _: java.io.IOException => throw new FileUnreadable(s"${shown(file)} is not compressed as its name says") }
      case None => raw
    }
  }

  private def hintsOf(given: FileOptions): CsvHints = CsvHints(given.text("delim", "sep").map(_.replace("\\t", "\t")), given.char("quote"), given.char("escape"),
    given.boolean("header"), given.char("comment"), given.text("nullstr").getOrElse(""), given.boolean("multiline"),
    given.boolean("all_varchar").getOrElse(false), given.text("dateformat").map(FileOptions.pattern), given.text("timestampformat").map(FileOptions.pattern))

  private def csvOptions(dialect: CsvDialect, given: FileOptions): Map[String, String] = Map(
    "sep" -> dialect.delimiter, "quote" -> dialect.quote.toString, "escape" -> dialect.escape.toString, "header" -> dialect.header.toString,
    "multiLine" -> dialect.multiLine.toString, "mode" -> mode(given), "nullValue" -> dialect.nulls, "enforceSchema" -> "true",
    "maxCharsPerColumn" -> "-1") ++ dialect.comment.map("comment" -> _.toString) ++ given.text("encoding").map("encoding" -> _)

  private def mode(given: FileOptions): String = if (given.boolean("ignore_errors").contains(true)) "DROPMALFORMED" else "FAILFAST"

  private def dateFormat(look: CsvLook): Option[String] = look.kinds.collectFirst { case TextKind(DateType, format) => format }.flatten

  private def timestampFormat(look: CsvLook): Option[String] = look.kinds.collectFirst { case TextKind(TimestampType, format) => format }.flatten

  /** A file's reader knows one way to write dates: columns that are written in another one stay text. */
  private def onlyFormat(look: CsvLook, kind: TextKind): DataType = kind match {
    case TextKind(DateType, format) if format != dateFormat(look) => StringType
    case TextKind(TimestampType, format) if format != timestampFormat(look) => StringType
    case TextKind(any, _) => any
  }

  private def checkUnion(names: Seq[Seq[String]], given: FileOptions, files: Seq[FileStatus]): Unit = {
    if (names.size > 1 && given.boolean("union_by_name").contains(false))
      throw new FileUnreadable(s"The files have different columns: ${names.take(2).map(_.mkString(", ")).mkString(" and ")}")
    if (names.size > mostShapes) throw new FileUnreadable(s"The files have more than $mostShapes different sets of columns")
  }

  private def conflict(one: StructType, other: StructType): FileUnreadable = {
    val field = one.fields.find(field => other.fields.exists(again => again.name.equalsIgnoreCase(field.name) && Widening.of(field.dataType, again.dataType).isEmpty))
    val kinds = field.map(field => s"${field.dataType.sql} and ${other.fields.find(_.name.equalsIgnoreCase(field.name)).get.dataType.sql}").getOrElse("")
    new FileUnreadable(s"The column ${field.map(_.name).getOrElse("?")} is $kinds in different files")
  }
}

object FileSchemas {
  private val defaultSample = 20480L
  private val sampleBytes = 4 * 1024 * 1024
  private val wholeSample = 512 * 1024 * 1024
  private val smallFile = 32L * 1024 * 1024
  private val mostShapes = 200
  private val threads = 8

  def shown(file: FileStatus): String = GuardedFileSystem.address(file.getPath).shown

  private def lower(name: String): String = name.toLowerCase(java.util.Locale.ROOT)

  /** Texts that do not agree are text. */
  private def textUnion(one: StructType, other: StructType): StructType = Widening.records(one, other).getOrElse {
    val theirs = other.fields.map(field => lower(field.name) -> field.dataType).toMap
    val both = one.fields.map(field => field.copy(dataType = theirs.get(lower(field.name)).map(Widening.of(field.dataType, _).getOrElse(StringType)).getOrElse(field.dataType)))
    val mine = one.fields.map(field => lower(field.name)).toSet
    StructType(both ++ other.fields.filterNot(field => mine(lower(field.name))))
  }

  /** Whether what a schema has, the other one has with the same types. */
  private def sameLeaves(part: DataType, all: DataType): Boolean = (part, all) match {
    case (one: StructType, more: StructType) => one.fields.forall(field => more.fields.exists(again => again.name.equalsIgnoreCase(field.name) && sameLeaves(field.dataType, again.dataType)))
    case (ArrayType(one, _), ArrayType(more, _)) => sameLeaves(one, more)
    case (MapType(_, one, _), MapType(_, more, _)) => sameLeaves(one, more)
    case (one, more) => one == more
  }

  private def atOnce[A, B](items: Seq[A])(body: A => B): Seq[B] =
    if (items.size == 1) items.map(body)
    else {
      val session = SparkSession.active
      val pool = Executors.newFixedThreadPool(math.min(threads, items.size))
      try pool.invokeAll(items.map(item => (() => session.withActive(body(item))): Callable[B]).asJava).asScala.toSeq.map(_.get)
      catch { case failed: ExecutionException => throw failed.getCause }
      finally pool.shutdownNow()
    }
}
