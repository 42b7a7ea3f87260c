package org.apache.iceberg.parquet

import java.util.{Optional, PrimitiveIterator}
import java.util.stream.IntStream

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.iceberg.Schema
import org.apache.iceberg.expressions.Expression
import org.apache.iceberg.io.{CloseableGroup, CloseableIterable, CloseableIterator, InputFile}
import org.apache.iceberg.shaded.org.apache.parquet.column.ColumnDescriptor
import org.apache.iceberg.shaded.org.apache.parquet.column.page.{PageReader, PageReadStore}
import org.apache.iceberg.shaded.org.apache.parquet.filter2.compat.FilterCompat
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.ParquetFileReader
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.iceberg.shaded.org.apache.parquet.internal.filter2.columnindex.{ColumnIndexFilter, ColumnIndexStore, RowRanges}

/**
 * The batches of a Parquet file, without pages that cannot hold a wanted row. `whole` is Iceberg's reader of all of them; what it
 * has prepared (row groups to skip, the readers of columns) is used as it is. Spark filters the rows again, as before.
 */
final class SelectedPages[T](whole: VectorizedParquetReader[T], file: InputFile, schema: Schema, wanted: Expression, caseSensitive: Boolean)
    extends CloseableGroup with CloseableIterable[T] {
  override def iterator(): CloseableIterator[T] = {
    val conf = SelectedPages.prepare.invoke(whole).asInstanceOf[ReadConf[T]]
    val batches = new PieceReader[T](conf, selection)
    addCloseable(batches)
    batches
  }

  /** Files without ids were written by others: Iceberg finds their columns by name, and they are read whole. */
  private def selection(reader: ParquetFileReader): Selection = {
    val all = reader.getFileMetaData.getSchema
    if (!ParquetSchemaUtil.hasIds(all)) new Selection(reader, file, Nil, None)
    else {
      val read = ParquetSchemaUtil.pruneColumns(all, schema)
      val columns = read.getColumns.asScala.map(column => ColumnPath.get(column.getPath: _*)).toSeq
      new Selection(reader, file, columns, PagePredicate.of(read, schema, wanted, caseSensitive))
    }
  }
}

private object SelectedPages {
  /** Private in Iceberg 1.12; opens the file. */
  private val prepare = {
    val method = classOf[VectorizedParquetReader[_]].getDeclaredMethod("init")
    method.setAccessible(true)
    method
  }
}

/** Rows of one row group, from one that begins a page in every column to one that ends a page in every column. */
private final case class Piece(rowGroup: Int, first: Long, rows: Long)

/** Iceberg's own iteration, over pieces instead of row groups: Iceberg's column readers take each for a row group. */
private final class PieceReader[T](conf: ReadConf[T], selection: ParquetFileReader => Selection) extends CloseableIterator[T] {
  private val reader = conf.reader()
  private val selected = selection(reader)
  private val model = conf.vectorizedModel()
  model.setBatchSize(conf.batchSize)
  private val pieces = conf.shouldSkip.indices.iterator.filterNot(conf.shouldSkip()(_)).flatMap(selected.pieces)
  private var pages: PageReadStore = _
  private var left = 0L
  private var last: T = _

  @tailrec override def hasNext: Boolean = left > 0 || pieces.hasNext && {
    open(pieces.next())
    hasNext
  }

  override def next(): T = {
    if (!hasNext) throw new NoSuchElementException
    val rows = math.min(left, conf.batchSize.toLong).toInt
    last = model.read(if (conf.reuseContainers) last else null.asInstanceOf[T], rows)
    left -= rows
    last
  }

  private def open(piece: Piece): Unit = {
    closePages()
    pages = selected.read(piece)
    left = piece.rows
    model.setRowGroupInfo(pages, conf.columnChunkMetadataForRowGroups.get(piece.rowGroup))
  }

  private def closePages(): Unit = if (pages != null) pages.close()

  override def close(): Unit = {
    closePages()
    model.close()
    reader.close()
  }
}

/** Which rows of a row group are worth reading. */
private final class Selection(reader: ParquetFileReader, file: InputFile, columns: Seq[ColumnPath], predicate: Option[FilterCompat.Filter]) {
  private val groups = reader.getRowGroups

  def pieces(group: Int): Seq[Piece] = {
    val rows = groups.get(group).getRowCount
    val all = Seq(Piece(group, 0, rows))
    predicate.filter(_ => rows >= Selection.fewRows && columns.nonEmpty) match {
      case None => all
      case Some(filter) =>
        val store = reader.getColumnIndexStore(group)
        val found = ColumnIndexFilter.calculateRowRanges(filter, store, columns.toSet.asJava, rows)
        if (found.rowCount == 0) Nil
        else if (found.rowCount >= rows / 2) all
        else aligned(group, rows, store, found).filter(worthIt(group, _)).getOrElse(all)
    }
  }

  /**
   * Columns break into pages at different rows. Iceberg's column readers cannot skip rows inside a page, so each range grows to the
   * nearest rows at which all columns begin a page. Pages end after 20,000 rows unless their values fill 1 MB before.
   */
  private def aligned(group: Int, rows: Long, store: ColumnIndexStore, found: RowRanges): Option[Seq[Piece]] =
    try {
      val starts = columns.map(pageStarts(store, _).toSet).reduce(_ intersect _).toArray.sorted
      val empty = List.empty[(Long, Long)]
      val grown = found.getRanges.asScala.map { range =>
        (starts(before(starts, range.from)), starts.lift(before(starts, range.to) + 1).getOrElse(rows))
      }
      val merged = grown.foldLeft(empty) {
        case ((from, to) :: earlier, (next, end)) if next <= to => (from, math.max(to, end)) :: earlier
        case (earlier, range) => range :: earlier
      }.reverse
      Some(merged.map { case (from, to) => Piece(group, from, to - from) })
    } catch { case _: ColumnIndexStore.MissingOffsetIndexException => None }

  private def pageStarts(store: ColumnIndexStore, column: ColumnPath): Iterator[Long] = {
    val pages = store.getOffsetIndex(column)
    Iterator.range(0, pages.getPageCount).map(pages.getFirstRowIndex)
  }

  private def before(starts: Array[Long], row: Long): Int = {
    val found = java.util.Arrays.binarySearch(starts, row)
    if (found >= 0) found else -found - 2
  }

  /** A row group is one long read, a piece a read for each of its columns: far away, a request costs as much as a megabyte. */
  private def worthIt(group: Int, pieces: Seq[Piece]): Boolean = {
    val whole = groups.get(group)
    val share = pieces.map(_.rows).sum.toDouble / whole.getRowCount
    val local = file.location.startsWith("file:") || file.location.startsWith("/")
    share <= 0.5 && (local || whole.getCompressedSize * (1 - share) > Selection.requestBytes * columns.size * pieces.size)
  }

  def read(piece: Piece): PageReadStore = {
    val group = groups.get(piece.rowGroup)
    if (piece.rows == group.getRowCount) reader.readRowGroup(piece.rowGroup)
    else new PiecePages(reader.readFilteredRowGroup(piece.rowGroup, ranges(piece, group.getRowCount)), group.getRowIndexOffset + piece.first, piece.rows)
  }

  private def ranges(piece: Piece, rows: Long): RowRanges = {
    val pages = reader.getColumnIndexStore(piece.rowGroup).getOffsetIndex(columns.head)
    val inside = IntStream.range(0, pages.getPageCount).filter { page =>
      val first = pages.getFirstRowIndex(page)
      first >= piece.first && first < piece.first + piece.rows
    }
    RowRanges.create(rows, inside.iterator(): PrimitiveIterator.OfInt, pages)
  }
}

private object Selection {
  /** Fewer are a page or two: nothing to gain. */
  private val fewRows = 10000
  private val requestBytes = 1L << 20
}

/** A piece as if it were a row group: row positions (deletes, `_pos`, `_row_id`) count from its own first row. */
private final class PiecePages(inner: PageReadStore, first: Long, rows: Long) extends PageReadStore {
  override def getPageReader(column: ColumnDescriptor): PageReader = inner.getPageReader(column)

  override def getRowCount: Long = rows

  override def getRowIndexOffset: Optional[java.lang.Long] = Optional.of(first)

  override def close(): Unit = inner.close()
}
