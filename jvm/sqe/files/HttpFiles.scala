package org.apache.spark.sql.sqe.files

import java.io.{EOFException, IOException, InputStream}
import java.net.{InetAddress, URI}
import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

import org.apache.hadoop.fs.FSInputStream
import org.apache.iceberg.shaded.org.apache.hc.client5.http.DnsResolver
import org.apache.iceberg.shaded.org.apache.hc.client5.http.classic.methods.{HttpGet, HttpUriRequestBase}
import org.apache.iceberg.shaded.org.apache.hc.client5.http.config.{ConnectionConfig, RequestConfig}
import org.apache.iceberg.shaded.org.apache.hc.client5.http.impl.classic.{CloseableHttpClient, HttpClients}
import org.apache.iceberg.shaded.org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder
import org.apache.iceberg.shaded.org.apache.hc.core5.http.ClassicHttpResponse
import org.apache.iceberg.shaded.org.apache.hc.core5.util.Timeout

/**
 * Files behind http and https. No proxy, no cookies, no redirect that was not looked at; the addresses that a name resolves to
 * are checked where they are connected to, so that a name cannot mean one thing for the check and another for the connection.
 */
final class HttpFiles(access: FileAccess) {
  private val client = if (access.everything) HttpFiles.open else HttpFiles.guarded

  /** The size, by a request for the first byte: HEAD is refused by addresses that are signed for GET. */
  def size(address: Address): Long = {
    val response = get(address, Some(0L -> Some(0L)))
    try response.getCode match {
      case 206 => Option(response.getFirstHeader("Content-Range")).map(_.getValue.split("/").last).filter(_.forall(_.isDigit)).map(_.toLong)
          .getOrElse(throw new FileUnreadable(s"${address.shown} does not tell its size"))
      case 416 => 0L
      case _ => Option(response.getFirstHeader("Content-Length")).filter(_ => response.getFirstHeader("Content-Encoding") == null)
          .map(_.getValue.toLong).getOrElse(throw new FileUnreadable(s"${address.shown} does not tell its size"))
    }
    finally response.close()
  }

  def text(address: Address): (String, Option[String]) = {
    val response = get(address, None)
    try {
      val bytes = response.getEntity.getContent.readNBytes(HttpFiles.longestAnswer)
      (new String(bytes, "UTF-8"), Option(response.getFirstHeader("Link")).map(_.getValue))
    } finally response.close()
  }

  /** The answer with the bytes from `range` on. Redirects lead to places that are open, too. */
  def get(address: Address, range: Option[(Long, Option[Long])]): ClassicHttpResponse = {
    @tailrec def follow(at: Address, hops: Int): ClassicHttpResponse = {
      val request = new HttpGet(HttpFiles.uri(at))
      access.headers(at).foreach { case (name, value) => request.setHeader(name, value) }
      range.foreach { case (first, last) => request.setHeader("Range", s"bytes=$first-${last.getOrElse("")}") }
      request.setHeader("Accept-Encoding", "identity")
      val response = HttpFiles.run(client, request, at)
      response.getCode match {
        case 301 | 302 | 303 | 307 | 308 =>
          val target = Option(response.getFirstHeader("Location")).map(_.getValue)
          response.close()
          if (hops == 0) throw new FileUnreadable(s"${address.shown} leads in circles")
          val next = Address.parse(HttpFiles.uri(at).resolve(target.getOrElse("")).toString)
          if (!Set("http", "https")(next.scheme) || (at.scheme == "https" && next.scheme == "http"))
            throw new FileDenied(s"${address.shown} leads to an address that is not read")
          if (!isOfHub(at, next)) access.check(next)
          follow(next, hops - 1)
        case 200 | 206 | 416 => response
        case 401 | 403 | 404 | 410 =>
          response.close()
          throw new FileMissing(s"The file ${address.shown} does not exist")
        case code =>
          response.close()
          throw new FileUnreadable(s"${address.shown} answers with status $code")
      }
    }
    follow(address, HttpFiles.mostHops)
  }

  /** The hub keeps large files elsewhere. */
  private def isOfHub(from: Address, to: Address): Boolean = access.hub.nonEmpty && {
    val hub = Address.parse(access.hub)
    (from.authority == hub.authority || HttpFiles.ofHub(from.host)) && (HttpFiles.ofHub(to.host) || to.authority == hub.authority)
  }
}

object HttpFiles {
  private val mostHops = 5
  private val longestAnswer = 32 * 1024 * 1024

  private def ofHub(host: String): Boolean = Seq("huggingface.co", "hf.co").exists(name => host == name || host.endsWith("." + name))

  private final class Checked(access: FileAccess) extends DnsResolver {
    override def resolve(host: String): Array[InetAddress] = access.check(host, InetAddress.getAllByName(host))

    override def resolveCanonicalHostname(host: String): String = host
  }

  private lazy val open = client(new FileAccess("""{"everything": true}"""))
  private lazy val guarded = client(new FileAccess("{}"))

  private def client(access: FileAccess): CloseableHttpClient = {
    val timeouts = ConnectionConfig.custom.setConnectTimeout(Timeout.ofSeconds(10)).setSocketTimeout(Timeout.ofSeconds(60)).build
    val connections = PoolingHttpClientConnectionManagerBuilder.create.setDnsResolver(new Checked(access))
      .setMaxConnPerRoute(32).setMaxConnTotal(128).setDefaultConnectionConfig(timeouts).build
    HttpClients.custom.setConnectionManager(connections).disableRedirectHandling.disableCookieManagement.disableAuthCaching
      .disableContentCompression.disableAutomaticRetries.setUserAgent("sqe")
      .setDefaultRequestConfig(RequestConfig.custom.setConnectionRequestTimeout(60, TimeUnit.SECONDS).build).build
  }

  private def run(client: CloseableHttpClient, request: HttpUriRequestBase, at: Address): ClassicHttpResponse =
    try client.executeOpen(null, request, null)
    catch {
      case denied: FileDenied => throw denied
      case failed: IOException => throw new FileUnreadable(s"${at.shown} cannot be reached")
    }

  /** What the user wrote, with what a URI cannot have in it encoded. */
  private def uri(address: Address): URI = {
    val (path, query) = address.path.span(_ != '?')
    def encoded(text: String) = text.flatMap(char =>
      if (char > ' ' && char < 127 && !"\"<>\\^`{|}[]".contains(char)) char.toString
      else java.net.URLEncoder.encode(char.toString, "UTF-8").replace("+", "%20"))
    URI.create(s"${address.scheme}://${address.authority}${encoded(path)}${encoded(query)}")
  }
}

/** Reads on from where it is told to; a step ahead is read over, a leap is a new request. */
final class HttpInput(files: HttpFiles, address: Address, size: Long) extends FSInputStream {
  private var at = 0L
  private var response: ClassicHttpResponse = _
  private var body: InputStream = _
  private var bodyAt = 0L

  override def seek(position: Long): Unit = {
    if (position < 0 || position > size) throw new EOFException("behind the end of the file")
    at = position
  }

  override def getPos: Long = at

  override def seekToNewSource(position: Long): Boolean = false

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 1) -1 else one(0) & 0xff
  }

  override def read(buffer: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0
    else if (at >= size) -1
    else {
      val count = stream().read(buffer, offset, length)
      if (count < 0) throw new EOFException(s"${address.shown} ended early")
      at += count
      bodyAt = at
      count
    }

  private def stream(): InputStream = {
    if (body != null && at >= bodyAt && at - bodyAt <= HttpInput.step) body.skipNBytes(at - bodyAt)
    else {
      close()
      response = files.get(address, if (at == 0) None else Some(at -> None))
      body = response.getEntity.getContent
      if (at > 0 && response.getCode != 206) body.skipNBytes(at) // a server that knows no ranges
    }
    bodyAt = at
    body
  }

  override def close(): Unit = if (response != null) {
    response.close()
    response = null
    body = null
  }
}

object HttpInput {
  private val step = 256 * 1024L
}
