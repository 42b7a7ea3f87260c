package org.apache.spark.sql.sqe.files

import java.io.IOException

import scala.util.Try

import org.apache.iceberg.exceptions.NotFoundException
import org.apache.iceberg.io.{InputFile, SeekableInputStream}
import software.amazon.awssdk.core.exception.SdkServiceException

final class KeysRefused(cause: Throwable) extends NotFoundException(cause, "The store refuses the keys")

final class StoreUnreachable(cause: Throwable) extends NotFoundException(cause, "The store does not answer")

/**
 * A table's metadata file that tells at once when its store refuses the keys or does not answer. Iceberg 1.12 tries twenty times to
 * read it, which takes minutes, unless what it meets is a file that is not there: so these are such ones.
 */
private final class FranklyMissing(file: InputFile) extends InputFile {
  override def getLength: Long = FranklyMissing.told(file.getLength)

  override def newStream(): SeekableInputStream = new FranklyRead(FranklyMissing.told(file.newStream()))

  override def location(): String = file.location()

  override def exists(): Boolean = FranklyMissing.told(file.exists())
}

private object FranklyMissing {
  /** Other files stay as they are: their readers want more of a stream than its bytes in order. */
  def of(file: InputFile): InputFile = if (file.location.endsWith(".metadata.json")) new FranklyMissing(file) else file

  def told[T](body: => T): T =
    try body
    catch {
      case failure: RuntimeException if StoreFailure.status(failure).exists(code => code == 401 || code == 403) => throw new KeysRefused(failure)
      case failure: RuntimeException if StoreFailure.isOfTheNetwork(failure) => throw new StoreUnreachable(failure)
    }
}

/** Some stores are asked at the first byte only. */
private final class FranklyRead(stream: SeekableInputStream) extends SeekableInputStream {
  override def read(): Int = FranklyMissing.told(stream.read())

  override def read(buffer: Array[Byte], offset: Int, length: Int): Int = FranklyMissing.told(stream.read(buffer, offset, length))

  override def getPos: Long = stream.getPos

  override def seek(position: Long): Unit = stream.seek(position)

  override def close(): Unit = stream.close()
}

private object StoreFailure {
  private def causes(failure: Throwable): Iterator[Throwable] = Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).take(20)

  /** The status with which a store answered; of Azure's and Google's by reflection: the compiler has no such jars. */
  def status(failure: Throwable): Option[Int] = causes(failure).flatMap {
    case answered: SdkServiceException => Some(answered.statusCode)
    case other => Seq("getStatusCode", "getCode").flatMap(name => Try(other.getClass.getMethod(name).invoke(other).asInstanceOf[Int]).toOption)
  }.nextOption()

  def isOfTheNetwork(failure: Throwable): Boolean = status(failure).isEmpty && causes(failure).exists(_.isInstanceOf[IOException])
}
