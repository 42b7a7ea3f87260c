package org.apache.spark.sql.sqe.files

import java.util
import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.iceberg.io.{FileInfo, SupportsPrefixOperations}

/** What Iceberg's access to Azure leaves to us. */
private object AzureFiles {
  private val account = "adls.auth.shared-key.account.name"
  private val endpoint = "adls.connection-string."
  private val root = "(?i)(abfss?://(?:[^/@?#]*@)?([^/?#]+))(?:[/?#].*)?".r
  private val azure = "(z[0-9]+\\.)?(dfs|blob)\\.(core\\.(windows\\.net|usgovcloudapi\\.net|chinacloudapi\\.cn)|storage\\.azure\\.net)"

  def has(path: String): Boolean = root.matches(path)

  /** What is signed with an account's key is for that account alone: Iceberg would send it to any host that a path names. */
  def check(path: String, settings: util.Map[String, String]): Unit = Option(settings.get(account)).foreach { name =>
    val known = path match {
      case root(_, host) => settings.containsKey(endpoint + host) || host.toLowerCase(Locale.ROOT).matches(s"\\Q$name\\E\\.$azure")
      case _ => false
    }
    if (!known) throw new FileDenied(s"The key of the storage account $name is not for ${path.takeWhile(_ != '?')}")
  }

  /** With full locations, which Iceberg 1.12 leaves out (apache/iceberg#17247). In a folder that does not exist there is nothing. */
  def list(prefix: String, files: SupportsPrefixOperations): java.lang.Iterable[FileInfo] = () => {
    val root(store, _) = prefix: @unchecked
    try {
      val found = files.listPrefix(prefix.stripSuffix("/")).iterator()
      found.hasNext // the first page is asked for now
      found.asScala.map(file => new FileInfo(s"$store/${file.location}", file.size, file.createdAtMillis)).asJava
    } catch {
      case failure: RuntimeException if StoreFailure.status(failure).contains(404) => util.Collections.emptyIterator()
    }
  }
}
