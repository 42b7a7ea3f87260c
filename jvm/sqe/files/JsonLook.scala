package org.apache.spark.sql.sqe.files

import java.io.InputStream

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types._

/** The columns of a JSON file by its first records, and whether it is one record a line. */
final case class JsonLook(schema: StructType, multiLine: Boolean)

object JsonLook {
  private val mapper = new ObjectMapper

  def of(in: InputStream, file: String, most: Long): JsonLook = {
    val bytes = new java.io.PushbackInputStream(in, 3)
    skipMark(bytes)
    val parser = mapper.getFactory.createParser(bytes)
    parser.configure(JsonParser.Feature.AUTO_CLOSE_SOURCE, true)
    try {
      var token = parser.nextToken()
      val array = token == JsonToken.START_ARRAY
      if (array) token = parser.nextToken()
      var made: DataType = NullType
      var count, lastLine = 0L
      var oneALine = true
      while (token != null && token != JsonToken.END_ARRAY && count < most) {
        if (token != JsonToken.START_OBJECT) throw new FileUnreadable(s"The file $file has no records: JSON objects, one a line or in an array")
        val line = parser.currentTokenLocation.getLineNr
        if (count > 0 && line == lastLine) oneALine = false
        made = merged(made, typeOf(mapper.readTree[JsonNode](parser)))
        lastLine = parser.currentLocation.getLineNr
        if (lastLine != line) oneALine = false
        count += 1
        token = parser.nextToken()
      }
      if (!array && !oneALine && count > 1) throw new FileUnreadable(s"The file $file has records over several lines: put them into an array")
      made match {
        case record: StructType => JsonLook(settled(record).asInstanceOf[StructType], array || !oneALine)
        case _ => JsonLook(new StructType, array)
      }
    } catch {
      case _: com.fasterxml.jackson.core.JsonProcessingException => throw new FileUnreadable(s"The file $file is not JSON")
    } finally parser.close()
  }

  private def skipMark(bytes: java.io.PushbackInputStream): Unit = {
    val first = bytes.readNBytes(3)
    if (!first.sameElements(Array(0xef.toByte, 0xbb.toByte, 0xbf.toByte))) bytes.unread(first)
  }

  private def typeOf(node: JsonNode): DataType = node match {
    case _ if node.isNull => NullType
    case _ if node.isBoolean => BooleanType
    case _ if node.isIntegralNumber => if (node.canConvertToLong) LongType else DecimalType(38, 0)
    case _ if node.isNumber => DoubleType
    case _ if node.isTextual => TextKind.ofJson(node.asText)
    case _ if node.isArray => ArrayType(node.elements.asScala.map(typeOf).foldLeft[DataType](NullType)(merged))
    case _ =>
      val fields = mutable.LinkedHashMap.empty[String, DataType]
      node.fields.asScala.foreach(field => fields(field.getKey) = typeOf(field.getValue))
      StructType(fields.map { case (name, kind) => StructField(name, kind) }.toSeq)
  }

  /** What both are, or text. */
  private def merged(one: DataType, other: DataType): DataType = (one, other) match {
    case (same, again) if same == again => same
    case (NullType, any) => any
    case (any, NullType) => any
    case (ArrayType(inner, _), ArrayType(again, _)) => ArrayType(merged(inner, again))
    case (left: StructType, right: StructType) =>
      val names = (left.fieldNames ++ right.fieldNames).distinct
      def in(record: StructType, name: String) = record.fields.find(_.name == name).map(_.dataType).getOrElse(NullType)
      StructType(names.map(name => StructField(name, merged(in(left, name), in(right, name)))))
    case (left, right) => Widening.of(left, right).getOrElse(StringType)
  }

  /** What was null all over, and what has no fields, is text. */
  private def settled(kind: DataType): DataType = kind match {
    case NullType => StringType
    case ArrayType(inner, _) => ArrayType(settled(inner))
    case record: StructType if record.isEmpty => StringType
    case record: StructType => StructType(record.fields.map(field => field.copy(dataType = settled(field.dataType))))
    case other => other
  }
}

/** The type that holds the values of both, without losing any. */
object Widening {
  private val whole = Seq(ByteType, ShortType, IntegerType, LongType)

  def of(one: DataType, other: DataType): Option[DataType] = (one, other) match {
    case (same, again) if same == again => Some(same)
    case (NullType, any) => Some(any)
    case (any, NullType) => Some(any)
    case (left, right) if whole.contains(left) && whole.contains(right) => Some(whole(math.max(whole.indexOf(left), whole.indexOf(right))))
    case (FloatType, DoubleType) | (DoubleType, FloatType) => Some(DoubleType)
    case (DoubleType | FloatType, number) if whole.contains(number) => Some(DoubleType)
    case (number, DoubleType | FloatType) if whole.contains(number) => Some(DoubleType)
    case (DoubleType, _: DecimalType) | (_: DecimalType, DoubleType) => Some(DoubleType)
    case (left: DecimalType, right: DecimalType) => decimal(left, right)
    case (left: DecimalType, right) if whole.contains(right) => decimal(left, DecimalType(19, 0))
    case (left, right: DecimalType) if whole.contains(left) => decimal(DecimalType(19, 0), right)
    case (DateType, TimestampType) | (TimestampType, DateType) => Some(TimestampType)
    case (DateType, TimestampNTZType) | (TimestampNTZType, DateType) => Some(TimestampNTZType)
    case (ArrayType(left, _), ArrayType(right, _)) => of(left, right).map(ArrayType(_))
    case (MapType(key, left, _), MapType(again, right, _)) if key == again => of(left, right).map(MapType(key, _))
    case (left: StructType, right: StructType) => records(left, right)
    case _ => None
  }

  /** By name; what one of them lacks is null there. */
  def records(left: StructType, right: StructType): Option[StructType] = {
    def key(name: String) = name.toLowerCase(java.util.Locale.ROOT)
    val others = right.fields.map(field => key(field.name) -> field).toMap
    val both = left.fields.map(field => others.get(key(field.name)) match {
      case Some(again) => of(field.dataType, again.dataType).map(StructField(field.name, _))
      case None => Some(field.copy(nullable = true))
    })
    val mine = left.fields.map(field => key(field.name)).toSet
    if (both.exists(_.isEmpty)) None
    else Some(StructType(both.flatten ++ right.fields.filterNot(field => mine(key(field.name))).map(_.copy(nullable = true))))
  }

  private def decimal(left: DecimalType, right: DecimalType): Option[DataType] = {
    val scale = math.max(left.scale, right.scale)
    val digits = math.max(left.precision - left.scale, right.precision - right.scale)
    if (scale + digits <= 38) Some(DecimalType(scale + digits, scale)) else None
  }
}
