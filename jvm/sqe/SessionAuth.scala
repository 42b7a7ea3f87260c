package org.apache.spark.sql.sqe

import java.util
import java.util.concurrent.ConcurrentHashMap

import scala.annotation.unused

import org.apache.iceberg.rest.{HTTPHeaders, HTTPRequest, ImmutableHTTPRequest, RESTClient}
import org.apache.iceberg.rest.auth.{AuthManager, AuthSession}

/**
 * The tokens that sessions show to their catalogs, as Python hands them over. A live catalog client reads the one of now
 * with every request, so a renewed token reaches it without a new client and without the loss of the session's state.
 */
object CatalogTokens {
  private val bySession = new ConcurrentHashMap[String, Map[String, String]]

  def put(session: String, tokens: Map[String, String]): Unit = bySession.put(session, tokens)

  def remove(session: String): Unit = bySession.remove(session)

  def of(session: String, catalog: String): Option[String] = Option(bySession.get(session)).flatMap(_.get(catalog))
}

/**
 * Iceberg's hook for requests to a REST catalog: each carries the token of the session that the catalog was made for. Which
 * one that is, the catalog's settings say; the name given here is another one where keys of the object store are renewed.
 */
final class SessionAuth(@unused name: String) extends AuthManager {
  override def initSession(client: RESTClient, properties: util.Map[String, String]): AuthSession = session(properties)

  override def catalogSession(client: RESTClient, properties: util.Map[String, String]): AuthSession = session(properties)

  override def close(): Unit = {}

  private def session(properties: util.Map[String, String]): AuthSession =
    new SessionAuth.Bearer(properties.get("sqe.session"), properties.get("sqe.catalog"))
}

object SessionAuth {
  private final class Bearer(session: String, catalog: String) extends AuthSession {
    override def authenticate(request: HTTPRequest): HTTPRequest = {
      Execution.stopIfCancelled()
      val token = CatalogTokens.of(session, catalog).getOrElse(throw new Failure.NoTokenFor(catalog))
      val header = HTTPHeaders.of(HTTPHeaders.HTTPHeader.of("Authorization", s"Bearer $token"))
      ImmutableHTTPRequest.builder().from(request).headers(request.headers.putIfAbsent(header)).build()
    }

    override def close(): Unit = {}
  }
}
