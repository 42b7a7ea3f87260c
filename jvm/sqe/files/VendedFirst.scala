package org.apache.spark.sql.sqe.files

import java.util

import scala.jdk.CollectionConverters._

import org.apache.iceberg.aws.s3.S3FileIO
import org.apache.iceberg.io.StorageCredential

/**
 * S3 of REST catalogs on a server with an identity of its own (`[storage] s3_identity`). Iceberg would heed that before the keys that a
 * catalog vends for just this table and this user; here it is for tables without such keys.
 */
final class VendedFirst extends S3FileIO {
  private var vended = false

  override def setCredentials(credentials: util.List[StorageCredential]): Unit = {
    vended = !credentials.isEmpty
    super.setCredentials(credentials)
  }

  override def initialize(settings: util.Map[String, String]): Unit =
    super.initialize(
      if (!vended && !settings.containsKey("s3.access-key-id")) settings
      else settings.asScala.filterNot(_._1.startsWith("client.credentials-provider")).toMap.asJava)
}
