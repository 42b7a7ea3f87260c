package org.apache.spark.sql.sqe.files

import java.net.{URLEncoder, URLDecoder}
import java.nio.file.Paths

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

/** `hf://datasets/owner/name[@revision]/path or pattern`: the files, as the hub's API lists them. */
final class Hub(access: FileAccess) {
  private val http = new HttpFiles(access)

  def find(address: Address): Seq[Address] = {
    access.check(address.copy(path = FileFinder.asked(address.path)))
    val (owner, name, revision, path) = s"${address.authority}${address.path}" match {
      case Hub.dataset(owner, name, revision, path) => (owner, name, Option(revision).getOrElse("main"), path)
      case _ => throw new FileUnreadable("Write hf://datasets/owner/name/path, or …/name@revision/path")
    }
    val revisionPart = URLEncoder.encode(URLDecoder.decode(revision, "UTF-8"), "UTF-8")
    def at(file: String) = Address.parse(s"${access.hub}/datasets/$owner/$name/resolve/$revisionPart/$file")
    if (!FileFinder.isPattern(path)) Seq(at(path))
    else {
      val wanted = FileFinder.matcher("/" + path)
      val tree = Address.parse(s"${access.hub}/api/datasets/$owner/$name/tree/$revisionPart?recursive=true")
      val found = files(tree, Nil).filter(file => wanted.matches(Paths.get("/" + file))).sorted
      if (found.isEmpty) throw new FileMissing(s"No file fits ${address.shown}")
      found.map(at)
    }
  }

  /** Page by page; where the next one is, is said in a header. */
  @tailrec private def files(page: Address, before: Seq[String]): Seq[String] = {
    val (text, link) = http.text(page)
    val entries = try Hub.mapper.readTree(text) catch { case _: java.io.IOException => Hub.mapper.createArrayNode }
    val here = before ++ entries.elements.asScala.filter(_.path("type").asText == "file").map(_.path("path").asText)
    link.flatMap(Hub.next.findFirstMatchIn(_)).map(_.group(1)) match {
      case Some(more) if here.size < 100000 =>
        val following = Address.parse(more)
        if (following.authority != page.authority || following.scheme != page.scheme)
          throw new FileDenied("The hub's list leads to another address")
        files(following, here)
      case _ => here
    }
  }
}

object Hub {
  private val mapper = new ObjectMapper
  private val dataset = "datasets/([\\w.-]+)/([\\w.-]+?)(?:@([^/]+))?/(.+)".r
  private val next = """<([^>]+)>;\s*rel="next"""".r
}
