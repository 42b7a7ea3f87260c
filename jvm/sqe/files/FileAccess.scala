package org.apache.spark.sql.sqe.files

import java.net.{InetAddress, URI}
import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.Json

/**
 * Which files a session may read outside its catalogs, as Python decided (query/file_access.py). It travels with every read as
 * a setting of Hadoop's, so that whoever opens a file, in the driver or in a task, asks it.
 */
final class FileAccess(text: String) {
  private val facts = Json.parse(text)

  /** Embedded: the files, and the network, are the user's own. */
  val everything: Boolean = facts.get("everything").contains(true)

  val prefixes: Seq[Address] = strings("prefixes").map(Address.parse)

  /** The address of the Hugging Face hub. */
  val hub: String = facts.getOrElse("hub", "").toString.stripSuffix("/")

  /** Iceberg's settings for S3. */
  def storage: Map[String, String] = map("storage")

  /** The headers of a request to this address: a secret of the user's whose scope it lies in. */
  def headers(address: Address): Map[String, String] = records("headers")
    .filter(each => Address.parse(each("scope").toString).contains(address)).sortBy(-_("scope").toString.length).headOption
    .map(each => each("headers").asInstanceOf[java.util.Map[String, String]].asScala.toMap).getOrElse(Map.empty)

  /** Settings of the secret whose scope an address lies in, before those of the server's own. */
  def storageFor(address: Address): Option[Map[String, String]] = records("stores")
    .filter(each => Address.parse(each("scope").toString).contains(address)).sortBy(_("scope").toString.length).lastOption
    .map(each => each("settings").asInstanceOf[java.util.Map[String, String]].asScala.toMap)
    // A server without keys of its own asks anonymously, or with its own identity, and Iceberg heeds that before any keys.
    .map(found => if (address.scheme == "s3") storage.filterNot(_._1.startsWith("client.credentials-provider")) ++ found else found)

  def opens(address: Address): Boolean = everything || (address.scheme != "file" && prefixes.exists(_.contains(address)))

  /** Before anything is asked of the network or the disk: what is not opened is not even looked for. */
  def check(address: Address): Unit =
    if (!opens(address)) throw new FileDenied(s"Reading ${address.shown} is not allowed on this server")

  /** Where a name leads to is known once it is resolved, and what is checked is what is connected to. */
  def check(host: String, found: Array[InetAddress]): Array[InetAddress] = {
    if (!everything && found.exists(Address.isOfTheServer)) throw new FileDenied(s"Reading from $host is not allowed on this server")
    found
  }

  private def strings(key: String): Seq[String] =
    facts.get(key).map(_.asInstanceOf[java.util.List[String]].asScala.toSeq).getOrElse(Nil)

  private def map(key: String): Map[String, String] =
    facts.get(key).map(_.asInstanceOf[java.util.Map[String, String]].asScala.toMap).getOrElse(Map.empty)

  private def records(key: String): Seq[Map[String, Any]] =
    facts.get(key).map(_.asInstanceOf[java.util.List[java.util.Map[String, Any]]].asScala.toSeq.map(_.asScala.toMap)).getOrElse(Nil)
}

object FileAccess {
  private val sessionKey = "spark.sqe.files"

  /** In Hadoop's settings. It begins with `fs.` so that Delta, which keeps logs for all sessions, keeps them apart by it. */
  val key = "fs.sqe.files"

  def of(session: SparkSession): FileAccess = new FileAccess(text(session))

  def text(session: SparkSession): String = session.sessionState.conf.getConfString(sessionKey, "{}")

  def of(conf: Configuration): FileAccess = new FileAccess(conf.get(key, "{}"))
}

/** Where a file lies, in one spelling: two texts that mean the same place are equal, and no text climbs out of its folder. */
final case class Address(scheme: String, authority: String, path: String) {
  /** Whether `other` is this or lies below it. */
  def contains(other: Address): Boolean =
    scheme == other.scheme && (authority == other.authority || (authority.isEmpty && path.isEmpty)) &&
      (path.isEmpty || other.path == path || other.path.startsWith(if (path.endsWith("/")) path else path + "/"))

  override def toString: String = if (scheme == "file") path else s"$scheme://$authority$path"

  /** Without what may be a signature. */
  def shown: String = toString.takeWhile(_ != '?')

  /** The last step of the path. */
  def name: String = path.split("/").lastOption.getOrElse("")

  def host: String = authority.replaceFirst(":[0-9]+$", "")
}

object Address {
  private val schemes = Map("s3a" -> "s3", "s3n" -> "s3")
  private val known = Set("file", "s3", "http", "https", "hf", "gs", "abfss", "abfs", "wasbs")
  private val ports = Map("http" -> ":80", "https" -> ":443")
  private val full = "(?s)([A-Za-z][A-Za-z0-9+.-]+):(?://([^/?#]*))?(.*)".r

  def parse(text: String): Address = {
    if (text.exists(char => char < ' ' || char == '\u007f')) throw new FileUnreadable("The path of a file has no control characters")
    text match {
      case full(written, authority, rest) =>
        val lower = written.toLowerCase(Locale.ROOT)
        val scheme = schemes.getOrElse(lower, lower)
        if (!known(scheme)) throw new FileUnreadable(s"Files of $written: cannot be read")
        val place = Option(authority).getOrElse("")
        if (place.contains('@') && !scheme.startsWith("abfs") && !scheme.startsWith("wasb"))
          throw new FileUnreadable("The address of a file has no name or password in it")
        val host = place.toLowerCase(Locale.ROOT).stripSuffix(ports.getOrElse(scheme, "\u0000"))
        Address(scheme, if (scheme == "file") "" else host, plain(rest))
      case _ =>
        val path = if (text.startsWith("~/")) System.getProperty("user.home") + text.drop(1) else text
        if (!path.startsWith("/")) throw new FileUnreadable(s"The path $text is not a full one: write /… or s3://…, https://…, hf://…")
        Address("file", "", plain(path))
    }
  }

  /** Steps up are refused, however they are written; a browser or a store might take them. */
  private def plain(path: String): String = {
    val steps = path.takeWhile(_ != '?').replace('\\', '/').split("/")
    val decoded = steps.map(step => Try(java.net.URLDecoder.decode(step.replace("+", "%2B"), "UTF-8")).getOrElse(step))
    if (decoded.exists(step => step == ".." || step == "." || step.contains("/../") || step.startsWith("../") || step.endsWith("/..")))
      throw new FileUnreadable("The path of a file has no . and .. in it")
    path
  }

  /** The server's own addresses and those of the machine it runs on: link-local ones hand out the machine's keys. */
  def isOfTheServer(address: InetAddress): Boolean = {
    val bytes = address.getAddress.map(_ & 0xff)
    address.isLoopbackAddress || address.isLinkLocalAddress || address.isAnyLocalAddress || address.isMulticastAddress ||
      (bytes.length == 4 && (bytes(0) == 0 || bytes.sameElements(Array(100, 100, 100, 200)))) ||
      (bytes.length == 16 && (embedded(bytes).exists(isOfTheServer) || (bytes(0) == 0xfd && bytes(1) == 0 && bytes(2) == 0x0e && bytes(3) == 0xc2)))
  }

  /** The IPv4 address inside an IPv6 one: NAT64, 6to4, IPv4-compatible. */
  private def embedded(bytes: Array[Int]): Option[InetAddress] = {
    def at(start: Int) = Some(InetAddress.getByAddress(bytes.slice(start, start + 4).map(_.toByte)))
    if (bytes.startsWith(Seq(0x00, 0x64, 0xff, 0x9b)) || bytes.take(12).forall(_ == 0)) at(12)
    else if (bytes.startsWith(Seq(0x20, 0x02))) at(2)
    else None
  }
}
