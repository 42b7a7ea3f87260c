package org.apache.iceberg.spark.source

import java.util.Locale.ROOT

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{DataFile, FileContent, FileFormat, FileScanTask, MetadataColumns, PartitionSpec, Table, TableProperties}
import org.apache.iceberg.avro.AvroSchemaUtil
import org.apache.iceberg.hadoop.HadoopFileIO
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.types.{Type, TypeUtil}
import org.apache.iceberg.types.Types.{ListType, MapType, NestedField, StructType}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.sqe.files.GuardedFileSystem
import org.apache.spark.sql.sqe.kernel.{CacheUse, DeletedRows, FileCheck, FileColumn, InThisJvm, NativeFiles, NestedColumn, Refused, RemoteFile, RemoteFiles, Sent, StoreIdentity, TableFiles}

/**
 * The files of an Iceberg scan, where each is a plain Parquet file, local or to be had as a local copy (`remote`), and the rows that are
 * deleted of some. In Iceberg's own package, because only there a scan shows its tasks.
 */
final case class PlannedFiles(
    table: String,
    paths: Seq[String],
    sizes: Seq[Long],
    rowGroups: Seq[Int],
    deleted: Seq[DeletedRows],
    rows: Long,
    bytes: Long,
    fields: Map[String, NestedField],
    texts: Seq[Int],
    sameName: NestedField => Boolean,
    nested: NestedField => Option[NestedColumn],
    unlike: (NestedField, Boolean) => Option[String],
    hidesNumbers: Boolean,
    remote: Option[RemoteFiles] = None,
    names: Seq[FileColumn] = Nil) {
  lazy val untouched: Seq[String] = paths.filterNot(deleted.map(_.path).toSet)

  def all: NativeFiles = NativeFiles(paths, texts, deleted, names, remote)

  /** Those at some places of `paths`, and what belongs to them. */
  def some(places: Seq[Int]): NativeFiles = {
    val own = places.map(paths)
    NativeFiles(own, texts, deleted.filter(rows => own.contains(rows.path)), names, remote.map(from => from.copy(files = places.map(from.files))))
  }
}

object PlannedFiles {
  /** The kernel would take them for a pattern. */
  private val patternSigns = "*?[]{}".toSet

  def of(scan: Scan, cache: Option[CacheUse]): PlannedFiles = scan match {
    case query: SparkBatchQueryScan => ofTable(query, query.table, cache)
    case other => Refused(s"scan ${other.getClass.getSimpleName}")
  }

  private def ofTable(scan: SparkBatchQueryScan, table: Table, cache: Option[CacheUse]): PlannedFiles = {
    val place = placeOf(table, cache)
    // Several threads of Iceberg's find them, in any order: the same scan is the same text (jvm: KnownFailures).
    val tasks = scan.tasks.asScala.toSeq.map(plain).sortBy(_.file.location)
    val fields = scan.projection.columns.asScala.map { field => field.name -> field }.toMap
    val files = tasks.map(_.file).distinctBy(_.location)
    if (files.size < tasks.size) Refused(twice)
    if (!place.takes(files.map(_.fileSizeInBytes).sum)) Refused(notLocal)
    val deleted = tasks.filterNot(_.deletes.isEmpty).map { task =>
      val by = task.deletes.asScala.toSeq
      DeletedRows(place.path(task.file), task.file.location, task.file.recordCount, by, place.access, place.reader(by.map(_.location)))
    }
    PlannedFiles(table.name, files.map(place.path), files.map(_.fileSizeInBytes), files.map(file => if (file.splitOffsets == null) 1 else file.splitOffsets.size), deleted, tasks.map(_.file.recordCount).sum,
      tasks.map(_.file.fileSizeInBytes).sum, fields, texts(table), sameName(table), nested(table), unlike(table, tasks.map(_.spec).distinctBy(_.specId)), hidesNumbers(table), place.remote(files))
  }

  /** Where the kernel finds the files of a table. */
  private sealed trait Place {
    def access: TableFiles
    def path(file: DataFile): String
    def takes(bytes: Long): Boolean
    def remote(files: Seq[DataFile]): Option[RemoteFiles]
    /** Who reads such files with rights of their own. */
    def reader(locations: Seq[String]): Option[String]
  }

  private final class OnThisMachine(table: Table) extends Place {
    override val access: TableFiles = Sent(table.io)

    override def path(file: DataFile): String = local(file.location)

    override def takes(bytes: Long): Boolean = true

    override def remote(files: Seq[DataFile]): Option[RemoteFiles] = None

    /** The server's account reads them for everybody. */
    override def reader(locations: Seq[String]): Option[String] = Option.when(!locations.exists(StoreIdentity.isRemote))("")
  }

  private final class InStore(table: Table, use: CacheUse) extends Place {
    private val names = StoreIdentity.names(table.io)
    override val access: InThisJvm = new InThisJvm(table)

    override def path(file: DataFile): String = local(use.cache.pathOf(copied(file)).toString)

    override def takes(bytes: Long): Boolean = use.cache.takes(bytes)

    override def remote(files: Seq[DataFile]): Option[RemoteFiles] = Some(RemoteFiles(use.session, access, files.map(copied)))

    override def reader(locations: Seq[String]): Option[String] = Some(s"${use.session} ${locations.map(names(_, 0)).sorted.mkString(" ")}")

    private def copied(file: DataFile): RemoteFile = {
      if (!StoreIdentity.isRemote(file.location)) Refused(notLocal)
      RemoteFile(file.location, file.fileSizeInBytes, names(file.location, file.fileSizeInBytes))
    }
  }

  private val plainName = "[A-Za-z_][A-Za-z0-9_]*"
  private val virtualNames = FileCheck.virtualNames.toSet

  /** Whether a column has, or once had, the name by which the kernel tells a row's file or number. */
  private def hidesNumbers(table: Table): Boolean =
    table.schemas.values.asScala.exists(_.columns.asScala.exists(column => virtualNames.contains(column.name.toLowerCase(ROOT))))

  /** Whether a column has had one name and type in all of the table's life, spelled in files as it is, and nothing else, at any depth, had that name. */
  private def sameName(table: Table): NestedField => Boolean = {
    val schemas = table.schemas.values.asScala.toSeq.map(schema => TypeUtil.indexById(schema.asStruct).values.asScala.toSeq)
    field => field.name.matches(plainName) && !virtualNames.contains(field.name.toLowerCase(ROOT)) && schemas.forall { fields =>
      fields.filter(_.name.equalsIgnoreCase(field.name)) match {
        case Seq(one) => one.fieldId == field.fieldId && one.name == field.name && (one.`type` == field.`type` || !field.`type`.isPrimitiveType)
        case _ => false
      }
    }
  }

  /**
   * How to see that a file has a column otherwise than the table. Iceberg takes what a file is partitioned by from the table's metadata: the file must
   * have it, as itself. By names the kernel goes by the first file's type: digits would be lost where that was not wide yet.
   */
  private def unlike(table: Table, specs: Seq[PartitionSpec])(column: NestedField, byName: Boolean): Option[String] = {
    def isKey(spec: PartitionSpec): Boolean = spec.fields.asScala.exists(field => field.sourceId == column.fieldId && field.transform.isIdentity)
    val keyed = Option.when(specs.exists(isKey)) {
      val names = table.schemas.values.asScala.toSeq.flatMap(schema => Option(schema.findField(column.fieldId))).map(_.name)
      FileCheck.otherName(column.fieldId, names.flatMap(name => Seq(name, AvroSchemaUtil.makeCompatibleName(name))).distinct, specs.forall(isKey))
    }
    val narrow = if (byName) physical(column.`type`).map(FileCheck.otherType(column.fieldId, _)) else None
    (keyed ++ narrow).reduceOption((one, other) => s"$one OR $other")
  }

  /** As files have it; only of those types that others become, and whose values the kernel would cut. */
  private def physical(of: Type): Option[String] = Option(of.typeId).collect { case TypeID.DOUBLE => "DOUBLE" }

  /**
   * A nested column. Where it was the same in all of the table's life, files have what is in it in one order. Where fields were added,
   * dropped or widened, they are found by their names, as long as a name stands for one id and an id for one name.
   */
  private def nested(table: Table)(column: NestedField): Option[NestedColumn] = if (column.`type`.isPrimitiveType) None else {
    val schemas = table.schemas.asScala.toSeq.sortBy(_._1).map(_._2)
    val all = schemas.flatMap(schema => Option(schema.findField(column.fieldId))).map(_.`type`)
    val names = paths("", column.`type`)
    if (!names.forall { case (path, _) => path.split('/').forall(_.matches(plainName)) }) Refused("nested column with unusual names")
    if (all.map(layout(_, _.toString)).distinct.size == 1)
      Some(NestedColumn(FileCheck.otherLayout(column.fieldId, s"/${column.fieldId}/${layout(all.head, physical(_).getOrElse(""))}"), SparkSchemaUtil.convert(all.head), inOneOrder = true))
    else {
      val ever = (names ++ all.flatMap(paths("", _))).distinct
      if (ever.map(_._1).distinct.size != ever.size || ever.map(_._2).distinct.size != ever.size) Refused("nested column of which something has changed its name")
      val known = schemas.flatMap(schema => TypeUtil.indexById(schema.asStruct).values.asScala).groupMap(_.name.toLowerCase(ROOT))(_.fieldId)
      val fields = names.map { case (path, id) => val name = path.split('/').last; (id, name, known.getOrElse(name, Nil).distinct) }
      // Of a struct with nothing that a file has the kernel makes an error, so it is read with all that it has; later types are wider.
      val whole = all.filter(leaves(column.`type`).toSet subsetOf leaves(_).toSet).lastOption.getOrElse(Refused("nested column of other types"))
      Some(NestedColumn(FileCheck.otherNames(fields), SparkSchemaUtil.convert(whole), inOneOrder = false))
    }
  }

  /** Of all that is in it, names from the outside to the inside, in small letters as the kernel sees them, and ids. */
  private def paths(within: String, of: Type): Seq[(String, Int)] = of match {
    case nested: Type.NestedType => nested.fields.asScala.toSeq.flatMap { field =>
      val path = within + field.name.toLowerCase(ROOT)
      (path -> field.fieldId) +: paths(s"$path/", field.`type`)
    }
    case _ => Nil
  }

  /** Of what is no struct, list or map in it, the id and the type. */
  private def leaves(of: Type): Seq[(Int, Type)] = of match {
    case nested: Type.NestedType => nested.fields.asScala.toSeq.flatMap(field => if (field.`type`.isPrimitiveType) Seq(field.fieldId -> field.`type`) else leaves(field.`type`))
    case _ => Nil
  }

  /** In the order of a file's schema: how many children, and of each its name, its id, and the same. */
  private def layout(of: Type, leaf: Type => String): String = {
    def part(name: String, id: Int, child: Type): String = s"$name/$id/${layout(child, leaf)}"
    of match {
      case struct: StructType => s"${struct.fields.size};${struct.fields.asScala.map(field => part(field.name, field.fieldId, field.`type`)).mkString}"
      case list: ListType => s"1;list//1;${part("element", list.elementId, list.elementType)}"
      case map: MapType => s"1;key_value//2;${part("key", map.keyId, map.keyType)}${part("value", map.valueId, map.valueType)}"
      case other => s"${leaf(other)};"
    }
  }

  /** The field ids of its columns of text, at any depth. */
  private def texts(table: Table): Seq[Int] = {
    val fields = table.schemas.values.asScala.toSeq.flatMap(schema => TypeUtil.indexById(schema.asStruct).asScala)
    fields.collect { case (id, field) if field.`type`.typeId == TypeID.STRING => id.toInt }.distinct.sorted
  }

  val metadataTable = "metadata table"
  val twice = "file that a table has twice"
  private val notLocal = "files that are not local"

  /**
   * The kernel opens files with the server's own rights: only those that the catalog's own file access would open so, too. Of others
   * it opens copies, which that file access makes or checks.
   */
  private def placeOf(table: Table, cache: Option[CacheUse]): Place = {
    val place = table.io match {
      case files: HadoopFileIO => if (files.getConf.get("fs.file.impl", "") != classOf[GuardedFileSystem].getName) new OnThisMachine(table) else Refused(notLocal)
      case _ => new InStore(table, cache.getOrElse(Refused(notLocal)))
    }
    // Files that Iceberg did not write have no field ids; a table that took some in says so.
    if (table.properties.containsKey(TableProperties.DEFAULT_NAME_MAPPING)) Refused("table with a name mapping")
    place
  }

  private def plain(task: Any): FileScanTask = task match {
    case file: FileScanTask if !file.isDataTask =>
      if (!file.deletes.asScala.forall(deletes => deletes.content == FileContent.POSITION_DELETES)) Refused("table with equality deletes")
      if (file.deletes.asScala.exists(_.keyMetadata != null)) Refused("encrypted files")
      if (file.file.format != FileFormat.PARQUET) Refused("file format other than Parquet")
      if (file.file.keyMetadata != null) Refused("encrypted files")
      file
    case _ => Refused(metadataTable)
  }

  private def local(location: String): String = {
    val path = if (location.startsWith("file:")) "/" + location.stripPrefix("file:").dropWhile(_ == '/') else location
    if (!path.startsWith("/")) Refused(notLocal)
    if (path.exists(patternSigns.contains)) Refused("file name that is a pattern")
    path
  }

  def isOfTable(field: NestedField): Boolean = !MetadataColumns.metadataFieldIds.contains(field.fieldId)
}
