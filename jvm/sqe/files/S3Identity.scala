package org.apache.spark.sql.sqe.files

import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.security.MessageDigest
import java.time.Duration
import java.util
import java.util.concurrent.ConcurrentHashMap
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import org.apache.iceberg.exceptions.NotFoundException
import org.apache.spark.SparkEnv
import org.apache.spark.internal.Logging
import software.amazon.awssdk.auth.credentials.{AnonymousCredentialsProvider, AwsCredentials, AwsCredentialsProvider, ProfileCredentialsProvider}
import software.amazon.awssdk.profiles.{ProfileFile, ProfileFileSupplier}
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.sts.StsClient
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider

/** Like a file that is not there, which Iceberg does not ask for again and again (`FranklyMissing`). Its cause is not the store's. */
final class IdentityUnavailable extends NotFoundException("no identity for the store")

/**
 * The server's own identity for AWS, as `[storage] s3_identity` chose it: a profile, or a role for a web identity token. AWS' library
 * reads changed files again and renews keys before they expire. Nothing else is tried when this gives none.
 *
 * It has no `close`: a client closes its provider, and this one is for all.
 */
final class S3Identity private (source: AwsCredentialsProvider, kind: String) extends AwsCredentialsProvider with Logging {
  override def resolveCredentials(): AwsCredentials =
    try source.resolveCredentials()
    catch {
      case failure: RuntimeException =>
        // Its words may be those of a program or of a service: the kind is enough to know where to look.
        logWarning(s"storage.s3_identity = '$kind' gives no keys: ${failure.getClass.getSimpleName}")
        throw new IdentityUnavailable
    }
}

object S3Identity extends Logging {
  private val names = Seq("kind", "profile", "file", "role", "token-file", "endpoint", "region")
  private val known = new ConcurrentHashMap[Seq[String], S3Identity]

  /** As Iceberg makes it, from the settings below `client.credentials-provider.`. A catalog can say those, too, but not seal them. */
  def create(settings: util.Map[String, String]): AwsCredentialsProvider = {
    val values = names.map(settings.getOrDefault(_, ""))
    if (!MessageDigest.isEqual(seal(values).getBytes(UTF_8), settings.getOrDefault("seal", "").getBytes(UTF_8))) {
      logWarning("a catalog chose an identity of this server for S3: refused")
      throw new IdentityUnavailable
    }
    known.computeIfAbsent(values, _ => made(names.zip(values).toMap))
  }

  private def made(facts: Map[String, String]): S3Identity = facts("kind") match {
    case "profile" =>
      val file = ProfileFileSupplier.reloadWhenModified(Path.of(facts("file")), ProfileFile.Type.CREDENTIALS)
      new S3Identity(ProfileCredentialsProvider.builder().profileFile(file).profileName(facts("profile")).build(), facts("kind"))
    case "web_identity" =>
      new S3Identity(
        StsWebIdentityTokenFileCredentialsProvider.builder().stsClient(sts(facts)).roleArn(facts("role"))
          .roleSessionName("sqe").webIdentityTokenFile(Path.of(facts("token-file"))).build(),
        facts("kind"))
  }

  /** The token is what STS is asked with; there are no keys yet. */
  private def sts(facts: Map[String, String]): StsClient = {
    val builder = StsClient.builder().region(Region.of(facts("region"))).credentialsProvider(AnonymousCredentialsProvider.create())
      .overrideConfiguration(each => { each.apiCallTimeout(Duration.ofSeconds(10)); () })
    Some(facts("endpoint")).filter(_.nonEmpty).foreach(endpoint => builder.endpointOverride(URI.create(endpoint)))
    builder.build()
  }

  private def seal(values: Seq[String]): String = {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(SparkEnv.get.conf.get("spark.sqe.identity.secret").getBytes(UTF_8), "HmacSHA256"))
    mac.doFinal(values.mkString("\u0000").getBytes(UTF_8)).map(byte => f"${byte & 0xff}%02x").mkString
  }
}
