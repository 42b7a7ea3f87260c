package org.apache.spark.sql.sqe.files

import com.univocity.parsers.csv.{CsvParser, CsvParserSettings}

/** How a text file is written: what parts its values, what quotes them, whether its first row has names. */
final case class CsvDialect(delimiter: String, quote: Char, escape: Char, header: Boolean, comment: Option[Char], nulls: String, multiLine: Boolean)

/** What a statement says of it; the rest is found out. */
final case class CsvHints(
    delimiter: Option[String], quote: Option[Char], escape: Option[Char], header: Option[Boolean], comment: Option[Char], nulls: String,
    multiLine: Option[Boolean], everythingText: Boolean, dateFormat: Option[String], timestampFormat: Option[String])

/** The dialect, the columns, and how dates are written when it is not ISO's way. */
final case class CsvLook(dialect: CsvDialect, names: Seq[String], kinds: Seq[TextKind])

object CsvDialect {
  private val delimiters = Seq(",", "\t", ";", "|")
  private val mostColumns = 20480

  /** The look of a file by its first lines. `whole`: nothing was cut off. */
  def sniff(text: String, whole: Boolean, hints: CsvHints): CsvLook = {
    val plain = text.stripPrefix("\ufeff")
    val tries = for (delimiter <- hints.delimiter.map(Seq(_)).getOrElse(delimiters); quote <- hints.quote.map(Seq(_)).getOrElse(Seq('"', '\'')))
      yield (delimiter, quote, rows(plain, whole, delimiter, quote, hints))
    val (delimiter, quote, rows_) = tries.maxBy { case (delimiter, quote, rows) => score(rows, delimiter, quote, plain) }
    if (rows_.isEmpty) return CsvLook(made(delimiter, quote, header = false, hints, multiLine = false), Nil, Nil)
    val width = usual(rows_)
    val body = rows_.drop(1)
    def kindsOf(some: Seq[Array[String]]) = (0 until width).map(column =>
      if (hints.everythingText) TextKind.text
      else TextKind.of(some.iterator.map(row => if (column < row.length) row(column) else null).filter(value => value != null && value != hints.nulls), hints))
    val bodyKinds = kindsOf(body)
    val header = hints.header.getOrElse(looksLikeNames(rows_.head, bodyKinds, body.nonEmpty, hints))
    val names = if (header) unique(rows_.head.toSeq.take(width).padTo(width, null)) else (0 until width).map(index => s"column$index")
    val lines = plain.count(_ == '\n')
    val records = rows_.size
    CsvLook(made(delimiter, quote, header, hints, multiLine = lines > records + 1 && quotedBreak(rows_)), names, if (header) bodyKinds else kindsOf(rows_))
  }

  private def made(delimiter: String, quote: Char, header: Boolean, hints: CsvHints, multiLine: Boolean): CsvDialect =
    CsvDialect(delimiter, quote, hints.escape.getOrElse(quote), header, hints.comment, hints.nulls, hints.multiLine.getOrElse(multiLine))

  private def quotedBreak(rows: Seq[Array[String]]): Boolean = rows.exists(_.exists(value => value != null && value.contains('\n')))

  private def rows(text: String, whole: Boolean, delimiter: String, quote: Char, hints: CsvHints): Seq[Array[String]] = {
    val settings = new CsvParserSettings
    val format = settings.getFormat
    format.setDelimiter(delimiter)
    format.setQuote(quote)
    format.setQuoteEscape(hints.escape.getOrElse(quote))
    format.setComment(hints.comment.getOrElse('\u0000'))
    format.setLineSeparator("\n")
    settings.setLineSeparatorDetectionEnabled(true)
    settings.setIgnoreLeadingWhitespaces(false)
    settings.setIgnoreTrailingWhitespaces(false)
    settings.setMaxColumns(mostColumns)
    settings.setMaxCharsPerColumn(-1)
    settings.setEmptyValue("")
    val parser = new CsvParser(settings)
    val found = scala.collection.mutable.ArrayBuffer.empty[Array[String]]
    try {
      parser.beginParsing(new java.io.StringReader(text))
      var row = parser.parseNext()
      while (row != null) {
        found += row
        row = parser.parseNext()
      }
    } catch { case _: com.univocity.parsers.common.TextParsingException => return Nil }
    (if (whole || found.size < 2) found else found.dropRight(1)).toSeq // the last one may be cut
  }

  private def usual(rows: Seq[Array[String]]): Int = rows.groupBy(_.length).maxBy { case (width, same) => (same.size, width) }._1

  /** More rows of the usual width first, then more columns; a quote that is there before one that is not. */
  private def score(rows: Seq[Array[String]], delimiter: String, quote: Char, text: String): (Double, Int, Int, Int) =
    if (rows.isEmpty) (0, 0, 0, 0)
    else {
      val width = usual(rows)
      val share = rows.count(_.length == width).toDouble / rows.size
      (if (width == 1) 0.0 else share, if (share > 0.9) width else 0, if (quote == '"') 1 else 0, -delimiters.indexOf(delimiter))
    }

  /** As DuckDB sees it: the first row has names when it does not fit the others, or when all of them are text. */
  private def looksLikeNames(first: Array[String], kinds: Seq[TextKind], more: Boolean, hints: CsvHints): Boolean = {
    def filled = first.forall(value => value != null && value.trim.nonEmpty)
    val own = first.toSeq.map(value => TextKind.of(Iterator(value).filter(_ != null), hints))
    if (!more) filled && own.forall(_ == TextKind.text) && first.distinct.length == first.length
    else if (kinds.forall(kind => kind == TextKind.text || kind == TextKind.none)) filled && own.forall(_ == TextKind.text)
    else own.zip(kinds).exists { case (mine, kind) => mine == TextKind.text && kind != TextKind.none && kind != TextKind.text }
  }

  private def unique(names: Seq[String]): Seq[String] = {
    val used = scala.collection.mutable.Set.empty[String]
    names.zipWithIndex.map { case (written, index) =>
      val name = Option(written).map(_.trim).filter(_.nonEmpty).getOrElse(s"column$index")
      val free = Iterator(name) ++ Iterator.from(1).map(number => s"${name}_$number")
      free.find(each => used.add(each.toLowerCase(java.util.Locale.ROOT))).get
    }
  }
}
