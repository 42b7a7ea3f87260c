package org.apache.spark.sql.sqe.files

import java.io.{ByteArrayInputStream, File}
import java.net.{URL, URLClassLoader}
import java.nio.charset.StandardCharsets.UTF_8
import java.util
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.iceberg.io._

/**
 * Iceberg's access to a store whose libraries are not on the class path, which the class archive is bound to: they are loaded from
 * their jar (`sqe.files-jar`) when a catalog or a statement first wants them. Only what it is made from travels to tasks.
 *
 * With `sqe.gcs.credentials`, the key of a Google service account, it asks for tokens itself, and again before they expire:
 * Iceberg takes tokens, or the machine's own identity.
 */
final class LateFiles extends DelegateFileIO {
  private var settings: util.HashMap[String, String] = _
  @transient private var opened: FileIO = _
  @transient private var until: Long = _

  override def initialize(properties: util.Map[String, String]): Unit = settings = new util.HashMap(properties)

  override def properties(): util.Map[String, String] = settings

  override def newInputFile(path: String): InputFile = FranklyMissing.of(files(path).newInputFile(path))

  override def newInputFile(path: String, length: Long): InputFile = FranklyMissing.of(files(path).newInputFile(path, length))

  override def newOutputFile(path: String): OutputFile = files(path).newOutputFile(path)

  override def deleteFile(path: String): Unit = files(path).deleteFile(path)

  override def deleteFiles(paths: java.lang.Iterable[String]): Unit = {
    paths.forEach(AzureFiles.check(_, settings))
    files.asInstanceOf[SupportsBulkOperations].deleteFiles(paths)
  }

  override def listPrefix(prefix: String): java.lang.Iterable[FileInfo] = {
    val all = files(prefix).asInstanceOf[SupportsPrefixOperations]
    if (AzureFiles.has(prefix)) AzureFiles.list(prefix, all) else all.listPrefix(prefix)
  }

  override def deletePrefix(prefix: String): Unit = files(prefix).asInstanceOf[SupportsPrefixOperations].deletePrefix(prefix)

  override def close(): Unit = synchronized {
    if (opened != null) opened.close()
    opened = null
  }

  private def files(path: String): FileIO = {
    AzureFiles.check(path, settings)
    files
  }

  private def files: FileIO = synchronized {
    if (opened == null || System.currentTimeMillis > until) {
      val libraries = StoreLibraries.of(settings.get(LateFiles.jar))
      val (token, expires) = LateFiles.token(libraries, settings)
      val made = Class.forName(settings.get(LateFiles.implementation), true, libraries).getDeclaredConstructor().newInstance().asInstanceOf[FileIO]
      made.initialize((settings.asScala.filterNot(_._1.startsWith("sqe.")) ++ token).asJava)
      opened = made // one whose token is old may still be read from, and is left to the garbage collector
      until = expires
    }
    opened
  }
}

object LateFiles {
  val jar = "sqe.files-jar"
  private val implementation = "sqe.files-impl"
  private val credentials = "sqe.gcs.credentials"
  private val scope = "https://www.googleapis.com/auth/devstorage.read_write"
  private val early = 5 * 60 * 1000L

  /** What is asked of Google with the key of a service account, and until when it is good. By reflection: the compiler has no such jar. */
  private def token(libraries: ClassLoader, settings: util.Map[String, String]): (Map[String, String], Long) = Option(settings.get(credentials)) match {
    case None => (Map.empty, Long.MaxValue)
    case Some(json) =>
      val kind = Class.forName("com.google.auth.oauth2.ServiceAccountCredentials", true, libraries)
      val account = kind.getMethod("fromStream", classOf[java.io.InputStream]).invoke(null, new ByteArrayInputStream(json.getBytes(UTF_8)))
      val scoped = kind.getMethod("createScoped", classOf[util.Collection[_]]).invoke(account, util.List.of(scope))
      val token = scoped.getClass.getMethod("refreshAccessToken").invoke(scoped)
      val expires = token.getClass.getMethod("getExpirationTime").invoke(token).asInstanceOf[util.Date].getTime
      val text = token.getClass.getMethod("getTokenValue").invoke(token).toString
      (Map("gcs.oauth2.token" -> text, "gcs.oauth2.token-expires-at" -> expires.toString), expires - early)
  }
}

/** The libraries of one store, and Iceberg's classes that use them; everything else is the engine's. */
private final class StoreLibraries(jar: String) extends URLClassLoader(
    Array(new File(jar).toURI.toURL, StoreLibraries.iceberg), classOf[FileIO].getClassLoader) {
  override def loadClass(name: String, resolve: Boolean): Class[_] = getClassLoadingLock(name).synchronized {
    Option(findLoadedClass(name)).getOrElse(if (isOwn(name)) findClass(name) else super.loadClass(name, resolve))
  }

  private def isOwn(name: String): Boolean = name.startsWith("org.apache.iceberg.gcp.") || name.startsWith("org.apache.iceberg.azure.")
}

private object StoreLibraries {
  private val known = new ConcurrentHashMap[String, StoreLibraries]

  def iceberg: URL = classOf[FileIO].getProtectionDomain.getCodeSource.getLocation

  def of(jar: String): StoreLibraries = known.computeIfAbsent(jar, new StoreLibraries(_))
}
