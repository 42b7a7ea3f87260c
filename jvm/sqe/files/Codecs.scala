package org.apache.spark.sql.sqe.files

import java.io.{InputStream, OutputStream}

import com.github.luben.zstd.ZstdInputStream
import org.apache.hadoop.io.compress._
import org.tukaani.xz.XZInputStream

/** Compressed text: Hadoop reads gz and bz2 itself, zst only with a native library that nobody has, and xz not at all. */
object Codecs {
  private val all = Seq(classOf[GzipCodec], classOf[BZip2Codec], classOf[DeflateCodec], classOf[ZstCodec], classOf[XzCodec])

  val names: String = all.map(_.getName).mkString(",")

  val endings: Set[String] = Set("gz", "bz2", "zst", "xz", "deflate")
}

sealed abstract class ReadOnlyCodec(ending: String) extends CompressionCodec {
  protected def decompressed(in: InputStream): InputStream

  override def getDefaultExtension: String = ending

  override def createInputStream(in: InputStream): CompressionInputStream = new CompressionInputStream(in) {
    private val inner = decompressed(in)

    override def read(): Int = inner.read()

    override def read(buffer: Array[Byte], offset: Int, length: Int): Int = inner.read(buffer, offset, length)

    override def resetState(): Unit = throw new UnsupportedOperationException

    override def close(): Unit = inner.close()
  }

  override def createInputStream(in: InputStream, decompressor: Decompressor): CompressionInputStream = createInputStream(in)

  override def getDecompressorType: Class[_ <: Decompressor] = null

  override def createDecompressor(): Decompressor = null

  override def createOutputStream(out: OutputStream): CompressionOutputStream = throw new UnsupportedOperationException

  override def createOutputStream(out: OutputStream, compressor: Compressor): CompressionOutputStream = throw new UnsupportedOperationException

  override def getCompressorType: Class[_ <: Compressor] = null

  override def createCompressor(): Compressor = null
}

final class ZstCodec extends ReadOnlyCodec(".zst") {
  override protected def decompressed(in: InputStream): InputStream = new ZstdInputStream(in).setContinuous(false)
}

final class XzCodec extends ReadOnlyCodec(".xz") {
  override protected def decompressed(in: InputStream): InputStream = new XZInputStream(in)
}
