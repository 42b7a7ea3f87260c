package org.apache.spark.sql.sqe

import java.util.Locale

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.{Expression, SchemaOfXml, XmlToStructs}

/** Spark's functions without what reaches the server itself: its classes, its files, its network. */
object SafeFunctions {
  // They call any static Java method, and load its class while a statement is still being analysed.
  private val dropped = Seq("reflect", "java_method", "try_reflect")

  private val ofXml = Seq("from_xml", "schema_of_xml")

  def leaveIn(registry: FunctionRegistry): Unit = {
    dropped.foreach(name => registry.dropFunction(FunctionIdentifier(name)))
    ofXml.map(FunctionIdentifier(_)).foreach { name =>
      for (info <- registry.lookupFunction(name); build <- registry.lookupFunctionBuilder(name)) {
        registry.dropFunction(name) // replacing it would be a warning in the log
        registry.registerFunction(name, info, (arguments: Seq[Expression]) => withoutFiles(build(arguments)))
      }
    }
  }

  /**
   * The option `rowValidationXSDPath` opens any file or address of the server's. Refused when the function is made, because
   * `from_xml(x, schema_of_xml(…))` runs the inner one during analysis, before any rule of ours could look.
   */
  private def withoutFiles(function: Expression): Expression = {
    val options = function match {
      case parse: XmlToStructs => parse.options
      case infer: SchemaOfXml => infer.options
      case _ => throw new Failure.Refused("XML is not available")
    }
    if (options.keys.exists(_.toLowerCase(Locale.ROOT) == "rowvalidationxsdpath"))
      throw new Failure.Refused("Validating XML by a schema file is not available")
    function
  }
}
