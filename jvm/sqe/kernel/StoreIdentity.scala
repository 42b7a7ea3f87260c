package org.apache.spark.sql.sqe.kernel

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.jdk.CollectionConverters._

import org.apache.iceberg.io.{FileIO, SupportsStorageCredentials}

/**
 * Which store a file access speaks to. That somebody can read `s3://bucket/file` says nothing about the `s3://bucket/file` of another
 * endpoint, and who attaches a catalog chooses the endpoint, a proxy, or a signer. So copies are shared by those whose settings are all the
 * same, but for the ones that say who asks; a setting that nobody thought of keeps copies apart.
 */
object StoreIdentity {
  private val whoAsks = Set("s3.access-key-id", "s3.secret-access-key", "s3.session-token", "s3.session-token-expires-at-ms", "expiration-time",
    "token", "sqe.session")
  private val remote = Seq("s3://", "s3a://", "s3n://", "gs://", "abfss://", "abfs://")

  def isRemote(location: String): Boolean = remote.exists(location.startsWith)

  /** Names the copies of this store's files. */
  def names(files: FileIO): (String, Long) => String = {
    val vended = files match {
      case keys: SupportsStorageCredentials => keys.credentials.asScala.toSeq.sortBy(_.prefix).flatMap(each => each.prefix +: facts(each.config))
      case _ => Nil
    }
    val store = digest(files.getClass.getName +: (facts(files.properties) ++ vended))
    (location, length) => digest(Seq(store, location, length.toString))
  }

  private def facts(settings: java.util.Map[String, String]): Seq[String] =
    settings.asScala.toSeq.filterNot { case (name, _) => whoAsks.contains(name) }.sorted.flatMap { case (name, value) => Seq(name, value) }

  /** Of texts that cannot run into each other. */
  private def digest(texts: Seq[String]): String = {
    val sha = MessageDigest.getInstance("SHA-256")
    texts.foreach { text =>
      val bytes = text.getBytes(UTF_8)
      sha.update(s"${bytes.length}:".getBytes(UTF_8))
      sha.update(bytes)
    }
    sha.digest.map(byte => f"${byte & 0xff}%02x").mkString
  }
}
