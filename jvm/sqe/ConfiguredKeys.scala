package org.apache.spark.sql.sqe

import java.util

import software.amazon.awssdk.auth.credentials.{AwsBasicCredentials, AwsCredentials, AwsCredentialsProvider, AwsSessionCredentials}

/** The keys of sqe.toml, or of the server's environment, for services of AWS to which Iceberg has no setting for keys (Glue). No others are looked for. */
final class ConfiguredKeys(keys: AwsCredentials) extends AwsCredentialsProvider {
  override def resolveCredentials(): AwsCredentials = keys
}

object ConfiguredKeys {
  /** As Iceberg makes it, from the settings below `client.credentials-provider.`. */
  def create(settings: util.Map[String, String]): AwsCredentialsProvider = {
    val (key, secret) = (settings.get("access-key-id"), settings.get("secret-access-key"))
    new ConfiguredKeys(Option(settings.get("session-token")) match {
      case Some(token) => AwsSessionCredentials.create(key, secret, token)
      case None => AwsBasicCredentials.create(key, secret)
    })
  }
}
