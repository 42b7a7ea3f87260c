package org.apache.spark.sql.sqe

import java.util

import software.amazon.awssdk.auth.credentials.{AwsBasicCredentials, AwsCredentials, AwsCredentialsProvider}

/** The keys of sqe.toml for services of AWS to which Iceberg has no setting for keys (Glue). No others are looked for. */
final class ConfiguredKeys(keys: AwsCredentials) extends AwsCredentialsProvider {
  override def resolveCredentials(): AwsCredentials = keys
}

object ConfiguredKeys {
  /** As Iceberg makes it, from the settings below `client.credentials-provider.`. */
  def create(settings: util.Map[String, String]): AwsCredentialsProvider =
    new ConfiguredKeys(AwsBasicCredentials.create(settings.get("access-key-id"), settings.get("secret-access-key")))
}
