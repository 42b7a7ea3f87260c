package org.apache.spark.sql.sqe

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

/** What crosses the gateway: JSON text, so that one call carries one answer whatever its shape. */
object Json {
  private val mapper = new ObjectMapper

  def write(value: Any): String = mapper.writeValueAsString(toJava(value))

  def parse(text: String): Map[String, Any] =
    mapper.readValue(text, classOf[java.util.LinkedHashMap[String, Any]]).asScala.toMap

  def strings(text: String): Map[String, String] = parse(text).map { case (key, value) => key -> String.valueOf(value) }

  private def toJava(value: Any): Any = value match {
    case map: scala.collection.Map[_, _] =>
      val out = new java.util.LinkedHashMap[String, Any]
      map.foreach { case (key, item) => out.put(String.valueOf(key), toJava(item)) }
      out
    case items: Iterable[_] => items.map(toJava).toList.asJava
    case Some(item) => toJava(item)
    case None => null
    case other => other
  }
}
