package org.apache.spark.sql.sqe.files

import java.io.IOException

import scala.util.Try

import org.apache.iceberg.exceptions.NotFoundException

/** What goes wrong with files that a statement names. Their words are for the user; Python has the codes (engine/failures.py). */
final class FileMissing(message: String) extends RuntimeException(message)

final class FileUnreadable(message: String) extends RuntimeException(message)

final class FileDenied(message: String) extends RuntimeException(message)

final class WrongOption(message: String) extends RuntimeException(message)

final class KeysRefused(cause: Throwable) extends NotFoundException(cause, "The store refuses the keys")

final class StoreUnreachable(cause: Throwable) extends NotFoundException(cause, "The store does not answer")

private object StoreFailure {
  private def causes(failure: Throwable): Iterator[Throwable] = Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(20)

  /** The status with which a store answered, by reflection: the compiler has no library of Azure's (`getStatusCode`) or Google's. */
  def status(failure: Throwable): Option[Int] = causes(failure).flatMap { each =>
    Seq("getStatusCode", "getCode").flatMap(name => Try(each.getClass.getMethod(name).invoke(each).asInstanceOf[Int]).toOption)
  }.nextOption()

  def isOfTheNetwork(failure: Throwable): Boolean = status(failure).isEmpty && causes(failure).exists(_.isInstanceOf[IOException])
}
