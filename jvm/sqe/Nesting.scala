package org.apache.spark.sql.sqe

import org.antlr.v4.runtime.{CharStream, CharStreams, CodePointCharStream, IntStream, Token}
import org.antlr.v4.runtime.misc.Interval
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer._

/**
 * How deep a statement is nested, from its tokens alone. Spark's parser takes time with the square of the depth and more, and
 * nothing can stop it: 20,000 parentheses kept a core busy for longer than ten minutes.
 */
object Nesting {
  val limit = 250

  final class TooDeep extends RuntimeException(s"nested more than $limit levels deep")

  def check(sql: String): Unit = {
    val lexer = new SqlBaseLexer(new UpperCased(CharStreams.fromString(sql)))
    lexer.removeErrorListeners() // the parser says what is wrong with the text
    var brackets, cases, types, last = 0
    var token = lexer.nextToken()
    while (token.getType != Token.EOF) {
      token.getType match {
        case LEFT_PAREN | LEFT_BRACKET => brackets += 1
        case RIGHT_PAREN | RIGHT_BRACKET => brackets -= 1
        case CASE => cases += 1
        case END if cases > 0 => cases -= 1
        case LT if last == ARRAY || last == MAP || last == STRUCT => types += 1
        case GT if types > 0 => types -= 1
        case _ =>
      }
      if (brackets + cases + types > limit) throw new TooDeep
      if (token.getChannel == Token.DEFAULT_CHANNEL) last = token.getType
      token = lexer.nextToken()
    }
  }

  /** Keywords in any case, as Spark's own parser reads them. */
  private final class UpperCased(text: CodePointCharStream) extends CharStream {
    override def LA(offset: Int): Int = {
      val next = text.LA(offset)
      if (next == 0 || next == IntStream.EOF) next else Character.toUpperCase(next)
    }

    override def consume(): Unit = text.consume()
    override def getSourceName: String = text.getSourceName
    override def index(): Int = text.index
    override def mark(): Int = text.mark()
    override def release(marker: Int): Unit = text.release(marker)
    override def seek(index: Int): Unit = text.seek(index)
    override def size(): Int = text.size
    override def getText(interval: Interval): String = text.getText(interval)
  }
}
