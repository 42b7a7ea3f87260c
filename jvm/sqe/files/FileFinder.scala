package org.apache.spark.sql.sqe.files

import java.io.FileNotFoundException
import java.nio.file.{FileSystems, PathMatcher, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/** The files that a statement names: one, a folder, or all that a pattern with `*`, `?`, `[…]`, `{…}` or `**` fits. None is an error. */
final class FileFinder(access: FileAccess, conf: Configuration) {
  def find(texts: Seq[String]): Seq[FileStatus] = {
    val found = texts.flatMap(text => one(Address.parse(text)))
    if (found.size > FileFinder.most) throw new FileUnreadable(s"These are more than ${FileFinder.most} files")
    found.distinctBy(_.getPath)
  }

  /** Whether there is such a folder, for formats that are one. */
  def isFolder(text: String): Boolean = {
    val address = Address.parse(text)
    !Set("http", "https", "hf")(address.scheme) && !FileFinder.isPattern(address.path) && {
      access.check(address)
      try files(address).getFileStatus(GuardedFileSystem.path(address)).isDirectory
      catch { case _: FileNotFoundException => false }
    }
  }

  private def one(address: Address): Seq[FileStatus] = {
    if (address.scheme == "hf") return one(new Hub(access).find(address))
    access.check(Address(address.scheme, address.authority, FileFinder.asked(address.path)))
    val pattern = FileFinder.isPattern(address.path) && !Set("http", "https")(address.scheme)
    val found =
      try if (pattern) matching(address) else named(address)
      catch { case _: FileNotFoundException => Nil }
    if (found.isEmpty && pattern) throw new FileMissing(s"No file fits ${address.shown}")
    if (found.isEmpty) throw new FileMissing(s"The file ${address.shown} does not exist")
    found
  }

  private def one(addresses: Seq[Address]): Seq[FileStatus] = addresses.flatMap(named)

  private def named(address: Address): Seq[FileStatus] = {
    val status = files(address).getFileStatus(GuardedFileSystem.path(address))
    if (status.isDirectory) below(files(address), status.getPath, _ => true).sortBy(_.getPath) else Seq(status)
  }

  private def matching(address: Address): Seq[FileStatus] = {
    val base = FileFinder.fixed(address.path)
    val wanted = FileFinder.matcher(address.path)
    val depth = if (address.path.contains("**")) Int.MaxValue else address.path.count(_ == '/')
    val store = files(address)
    below(store, GuardedFileSystem.path(address.copy(path = if (base.isEmpty) "/" else base)), path => path.count(_ == '/') < depth)
      .filter(status => wanted.matches(Paths.get(status.getPath.toUri.getPath))).sortBy(_.getPath)
  }

  /** Files below a folder; what begins with _ or . is left out, as every engine writes its own things there. */
  private def below(store: FileSystem, folder: Path, enter: String => Boolean): Seq[FileStatus] =
    store.listStatus(folder).toSeq.filterNot(each => each.getPath.getName.startsWith("_") || each.getPath.getName.startsWith(".")).flatMap {
      case each if !each.isDirectory => Seq(each)
      case each if enter(each.getPath.toUri.getPath) => below(store, each.getPath, enter)
      case _ => Nil
    }

  private def files(address: Address): FileSystem = GuardedFileSystem.path(address).getFileSystem(conf)
}

object FileFinder {
  private val most = 100000

  def isPattern(path: String): Boolean = path.exists("*?[{".contains(_))

  /** The folder above the first pattern. */
  def fixed(path: String): String =
    if (!isPattern(path)) path
    else {
      val steps = path.split("/", -1)
      steps.takeWhile(step => !isPattern(step)).mkString("/")
    }

  /** What a path asks to see: a file, or, of a pattern, the inside of the folder above it. */
  def asked(path: String): String = if (isPattern(path)) fixed(path) + "/" else path

  def matcher(path: String): PathMatcher = {
    val both = path.replace("/**/", "/{**/,}") // no folder in between is fine, too
    FileSystems.getDefault.getPathMatcher("glob:" + both)
  }
}
