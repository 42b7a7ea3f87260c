package org.apache.spark.sql.sqe.files

import java.io.FileNotFoundException
import java.net.URI

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.iceberg.CatalogUtil
import org.apache.iceberg.exceptions.NotFoundException
import org.apache.iceberg.io.{FileIO, InputFile, SeekableInputStream, SupportsPrefixOperations}
import software.amazon.awssdk.services.s3.model.NoSuchKeyException

/**
 * The files that statements name, for Spark's readers: every file is checked when it is opened, whoever found it and wherever
 * it was mentioned (a Delta log and Iceberg's metadata name files, too). Nothing is ever written by it.
 */
final class GuardedFileSystem extends FileSystem {
  private var access: FileAccess = _
  private var store: Store = _
  private var home: URI = _

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    setConf(conf)
    access = FileAccess.of(conf)
    home = URI.create(if (name.getScheme == "file") "file:///" else s"${name.getScheme}://${name.getRawAuthority}")
    store = name.getScheme match {
      case "file" => new LocalStore(conf)
      case "http" | "https" => new HttpStore(new HttpFiles(access))
      case "s3" | "s3a" | "s3n" => new IcebergStore(address => IcebergStore.of(access.storageFor(address).getOrElse(access.storage)))
      case other => new IcebergStore(address => IcebergStore.of(access.storageFor(address).getOrElse(
        throw new FileUnreadable(s"Files of $other: are read with a secret for them, or with [storage]"))))
    }
  }

  override def getUri: URI = home

  override def getScheme: String = home.getScheme

  override def open(path: Path, bufferSize: Int): FSDataInputStream = store.open(checked(path))

  override def getFileStatus(path: Path): FileStatus = {
    val address = GuardedFileSystem.address(path)
    status(path, if (isOpenedFolder(address)) Found(address.name, -1, folder = true, 0) else store.look(checked(path)))
  }

  override def listStatus(path: Path): Array[FileStatus] = {
    val address = GuardedFileSystem.address(path)
    val found = if (isOpenedFolder(address)) Found(address.name, -1, folder = true, 0) else store.look(checked(path))
    found match {
      case Found(_, size, false, _) if size >= 0 => Array(getFileStatus(path))
      case _ => store.list(address).map(found => status(new Path(path, found.name), found)).toArray
    }
  }

  private def status(path: Path, found: Found): FileStatus =
    new FileStatus(math.max(found.size, 0), found.folder, 1, GuardedFileSystem.blockSize, found.changed, path.makeQualified(home, new Path("/")))

  /** Of a prefix such as `s3://bucket/folder/` Hadoop leaves out the last slash. The folder is open, an object of its name is not. */
  private def isOpenedFolder(address: Address): Boolean =
    store.isInstanceOf[IcebergStore] && !access.opens(address) && access.opens(address.copy(path = address.path.stripSuffix("/") + "/"))

  private def checked(path: Path): Address = {
    val address = GuardedFileSystem.address(path)
    access.check(address)
    address
  }

  override def getWorkingDirectory: Path = new Path(home.resolve("/"))

  override def setWorkingDirectory(path: Path): Unit = {}

  override def create(path: Path, permission: FsPermission, overwrite: Boolean, bufferSize: Int, replication: Short, blockSize: Long,
      progress: Progressable): FSDataOutputStream = readOnly

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = readOnly

  override def rename(from: Path, to: Path): Boolean = readOnly

  override def delete(path: Path, recursive: Boolean): Boolean = readOnly

  override def mkdirs(path: Path, permission: FsPermission): Boolean = readOnly

  private def readOnly: Nothing = throw new FileDenied("Files that a statement names are only read")
}

object GuardedFileSystem {
  private val blockSize = 128L * 1024 * 1024

  val schemes: Seq[String] = Seq("file", "http", "https", "s3", "s3a", "s3n", "gs", "abfss", "abfs")

  /** Hadoop's settings for a read; no instance is shared, because it carries what its session may read. */
  def settings(access: String): Map[String, String] =
    schemes.flatMap(scheme => Seq(s"fs.$scheme.impl" -> classOf[GuardedFileSystem].getName, s"fs.$scheme.impl.disable.cache" -> "true")).toMap +
      (FileAccess.key -> access) + ("io.compression.codecs" -> Codecs.names)

  def path(address: Address): Path = new Path(if (address.scheme == "file") s"file://${address.path}" else address.toString)

  def address(path: Path): Address = {
    val uri = path.toUri
    Address.parse(Option(uri.getScheme).getOrElse("file") + "://" + Option(uri.getAuthority).getOrElse("") + uri.getPath)
  }
}

/** A file or folder: its name within what was listed, its size (below 0: unknown or none). */
final case class Found(name: String, size: Long, folder: Boolean, changed: Long)

private trait Store {
  def look(address: Address): Found
  def list(address: Address): Seq[Found]
  def open(address: Address): FSDataInputStream
}

private final class LocalStore(conf: Configuration) extends Store {
  private val files = new RawLocalFileSystem
  files.initialize(URI.create("file:///"), conf)

  override def look(address: Address): Found = found(files.getFileStatus(new Path("file://" + address.path)))

  override def list(address: Address): Seq[Found] = files.listStatus(new Path("file://" + address.path)).toSeq.map(found)

  override def open(address: Address): FSDataInputStream = files.open(new Path("file://" + address.path))

  private def found(status: FileStatus): Found = Found(status.getPath.getName, status.getLen, status.isDirectory, status.getModificationTime)
}

private final class HttpStore(files: HttpFiles) extends Store {
  override def look(address: Address): Found = Found(address.name, files.size(address), folder = false, 0)

  override def list(address: Address): Seq[Found] = throw new FileUnreadable(s"${address.shown} cannot be listed: name its files")

  override def open(address: Address): FSDataInputStream = new FSDataInputStream(new HttpInput(files, address, files.size(address)))
}

/** An object store behind Iceberg's own access to it, which catalogs use, too. */
private final class IcebergStore(access: Address => FileIO) extends Store {
  override def look(address: Address): Found = if (address.name.isEmpty) Found("", -1, folder = true, 0) else {
    val file = access(address).newInputFile(address.toString)
    try {
      val size = file.getLength
      // Azure tells of a folder as of a file without a byte.
      val folder = size == 0 && AzureFiles.has(address.toString) && list(address).nonEmpty
      Found(address.name, if (folder) -1 else size, folder, 0)
    } catch {
      case failure: RuntimeException if IcebergStore.tellsMissing(failure, file) =>
        if (list(address).isEmpty) throw new FileNotFoundException(address.shown)
        Found(address.name, -1, folder = true, 0)
    }
  }

  override def list(address: Address): Seq[Found] = {
    val base = address.toString.stripSuffix("/") + "/"
    val all = access(address).asInstanceOf[SupportsPrefixOperations].listPrefix(base).asScala.toSeq
    val below = all.map(file => (file.location.stripPrefix(base), file)).filter(_._1.nonEmpty)
    val (deep, here) = below.partition(_._1.contains('/'))
    here.map { case (name, file) => Found(name, file.size, folder = false, file.createdAtMillis) } ++
      deep.map(_._1.takeWhile(_ != '/')).distinct.map(Found(_, -1, folder = true, 0))
  }

  override def open(address: Address): FSDataInputStream = {
    val file = access(address).newInputFile(address.toString)
    new FSDataInputStream(new IcebergInput(file.newStream()))
  }
}

private object IcebergStore {
  private val most = 16

  /** Clients are dear: each has its pool of connections. The one that was not used for longest goes. */
  private val clients = new java.util.LinkedHashMap[Map[String, String], FileIO](most, 0.75f, true) {
    override def removeEldestEntry(eldest: java.util.Map.Entry[Map[String, String], FileIO]): Boolean = {
      if (size > most) eldest.getValue.close()
      size > most
    }
  }

  def of(settings: Map[String, String]): FileIO = clients.synchronized {
    val kind = if (settings.contains(LateFiles.jar)) classOf[LateFiles].getName else "org.apache.iceberg.aws.s3.S3FileIO"
    clients.computeIfAbsent(settings, _ => CatalogUtil.loadFileIO(kind, settings.asJava, null))
  }

  /** Each store has an error of its own (that of Google's in Iceberg 1.12: a NullPointerException). */
  def tellsMissing(failure: RuntimeException, file: InputFile): Boolean = failure match {
    case _: KeysRefused | _: StoreUnreachable | _: IdentityUnavailable => false
    case _: NotFoundException | _: NoSuchKeyException => true
    case _ => Try(!file.exists()).getOrElse(false)
  }
}

/** What is missing is said at the first byte, and by another name than Hadoop's. */
private final class IcebergInput(stream: SeekableInputStream) extends FSInputStream {
  override def seek(position: Long): Unit = stream.seek(position)

  override def getPos: Long = stream.getPos

  override def seekToNewSource(position: Long): Boolean = false

  override def read(): Int = translated(stream.read())

  override def read(buffer: Array[Byte], offset: Int, length: Int): Int = translated(stream.read(buffer, offset, length))

  override def close(): Unit = stream.close()

  private def translated[T](body: => T): T =
    try body
    catch { case missing: NotFoundException => throw new FileNotFoundException(missing.getMessage) }
}
