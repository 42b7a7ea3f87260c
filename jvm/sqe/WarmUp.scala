package org.apache.spark.sql.sqe

import java.nio.file.{Files, Path}

import scala.util.control.NonFatal

import org.apache.commons.io.FileUtils
import org.apache.spark.internal.Logging
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.sqe.kernel.KernelSettings

/**
 * What a server does while nobody asks anything: it runs statements of its own, on tables of its own, so that Java has compiled Spark's code
 * when somebody comes. A driver whose queries mostly run in the native kernel would stay young in all else for hours: an UPDATE took 1.3 times
 * as long as in one that runs everything on Spark, a metadata table 1.6 times (docs/native.md).
 *
 * Once a driver's life, for `millis` of its own running time at most; it waits as long as a statement of anybody's runs, or has just ended.
 * Nothing of it is in audit log, metrics or anybody's session: it reaches no catalog but the one in its own folder, which goes with it.
 */
final class WarmUp(root: SparkSession, folder: Path, millis: Long, link: Link) extends Logging {
  private val home = folder.resolve("warm-up")

  def run(): Unit =
    try {
      waitForRest()
      Files.createDirectories(home)
      val session = new UserSession("warm-up", root.newSession(), "sqe", enforced = false)
      (WarmUp.settings(home, session.id) ++ KernelSettings.never("require", root)).foreach { case (key, value) => session.set(key, value) }
      try walk(session)
      finally session.close()
    } catch {
      case NonFatal(failure) => logWarning("warming up failed", failure) // only time is lost
    } finally {
      FileUtils.deleteQuietly(home.toFile)
      link.used() // what it left is given back as after any statement
      link.warmingUp = false
    }

  private def walk(session: UserSession): Unit = {
    WarmUp.tables.foreach(onSpark(session, _))
    var left = millis * 1000000
    var round = 0
    while (left > 0) {
      WarmUp.round(round).takeWhile(_ => left > 0).foreach { sql =>
        waitForRest()
        val begun = System.nanoTime
        onSpark(session, sql)
        if (sql.startsWith("SELECT")) asUsers(session, sql)
        left -= System.nanoTime - begun
      }
      round += 1
    }
  }

  private def onSpark(session: UserSession, sql: String): Unit = KernelSettings.skipping(session.spark)(run(session, sql))

  /** As users' statements run, but for the way out: natively where that is possible, and counted nowhere. */
  private def asUsers(session: UserSession, sql: String): Unit = KernelSettings.uncounted(session.spark)(run(session, sql))

  private def run(session: UserSession, sql: String): Unit = {
    val spark = session.spark
    session.asUser(spark.withActive(spark.sql(sql).queryExecution.toRdd.foreach(_ => ())))
  }

  private def waitForRest(): Unit = while (!link.rests(WarmUp.restMillis)) Thread.sleep(WarmUp.lookMillis)
}

object WarmUp {
  private val restMillis = 3000L
  private val lookMillis = 500L

  private def settings(home: Path, session: String): Map[String, String] = Map(
    "" -> classOf[LakeCatalog].getName,
    ".type" -> "jdbc",
    ".uri" -> s"jdbc:sqlite:${home.resolve("catalog.db")}",
    ".warehouse" -> home.toUri.toString,
    ".jdbc.schema-version" -> "V1",
    ".clients" -> "1",
    ".cache-enabled" -> "false",
    ".sqe.session" -> session).map { case (key, value) => s"spark.sql.catalog.own$key" -> value }

  private val tables = Seq(
    "CREATE NAMESPACE own.s",
    """CREATE TABLE own.s.facts AS SELECT id, CAST(id % 100 AS INT) AS g, concat('name ', id % 1000) AS name, CAST(id % 9999 / 7 AS DECIMAL(12,2)) AS price,
      |  CAST(id AS DOUBLE) / 3 AS x, date_add(DATE '2026-01-01', CAST(id % 365 AS INT)) AS day, timestamp_seconds(1767225600 + id) AS at
      |FROM range(0, 100000, 1, 2)""".stripMargin,
    "CREATE TABLE own.s.groups AS SELECT CAST(id AS INT) AS g, concat('group ', id) AS title FROM range(0, 100, 1, 1)",
    "CREATE TABLE own.s.changed AS SELECT id, CAST(id % 10 AS INT) AS g, CAST(id AS DECIMAL(12,2)) AS price FROM range(0, 1000, 1, 1)",
    // Files in partitions. Not more: writing 500 of them took 700 MB, which a heap then keeps.
    "CREATE TABLE own.s.pieces PARTITIONED BY (bucket(20, id)) AS SELECT id, g, price FROM own.s.facts WHERE id < 20000")

  /** With another number each time: what Spark generates for it is new, and has to be compiled, as for a new query. */
  private def round(n: Int): Seq[String] = Seq(
    s"SELECT g, count(*), sum(price + $n), avg(price), min(name), max(day) FROM own.s.facts WHERE id > $n AND name IS NOT NULL GROUP BY g ORDER BY g",
    s"SELECT title, count(DISTINCT name) AS n, sum(CASE WHEN x > $n THEN price ELSE 0 END) FROM own.s.facts JOIN own.s.groups USING (g) WHERE day >= date_add(DATE '2026-02-01', ${n % 100}) GROUP BY title ORDER BY n DESC, title LIMIT 10",
    s"SELECT /*+ MERGE(b) */ a.g, max(b.at) FROM own.s.facts a JOIN own.s.facts b ON a.id = b.id + $n WHERE a.g < 50 GROUP BY a.g HAVING count(*) > 1",
    s"SELECT /*+ SHUFFLE_HASH(b) */ count(*) FROM own.s.facts a LEFT JOIN own.s.facts b ON a.id = b.id + $n AND b.g < 20 WHERE b.id IS NULL",
    s"SELECT id, r FROM (SELECT id, g, row_number() OVER (PARTITION BY g ORDER BY price DESC, id) AS r, lag(price) OVER (PARTITION BY g ORDER BY id) AS p FROM own.s.facts) WHERE r <= ${n % 5 + 1} AND p > $n",
    s"SELECT DISTINCT upper(substr(name, 1, ${n % 7 + 3})) FROM own.s.facts WHERE name LIKE '%${n % 10}%' UNION SELECT title FROM own.s.groups",
    s"SELECT avg(id + $n), stddev(x), sum(x) FROM own.s.facts WHERE price > (SELECT avg(price) - $n FROM own.s.facts)",
    s"SELECT * FROM own.s.facts WHERE g = ${n % 100} AND EXISTS (SELECT 1 FROM own.s.groups WHERE groups.g = facts.g AND title <> '$n') ORDER BY at DESC LIMIT 20",
    s"UPDATE own.s.changed SET price = price + $n WHERE id = ${n % 1000}",
    s"INSERT INTO own.s.changed VALUES (${1000 + n}, $n, $n.50)",
    s"MERGE INTO own.s.changed t USING (SELECT id, price FROM own.s.facts WHERE id < ${n % 50 + 10}) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET price = s.price WHEN NOT MATCHED THEN INSERT (id, price) VALUES (s.id, s.price)",
    s"DELETE FROM own.s.changed WHERE id = ${1000 + n}",
    s"SELECT operation, count(*) FROM own.s.changed.snapshots WHERE snapshot_id > $n GROUP BY operation ORDER BY operation",
    s"SELECT count(*), sum(record_count + $n) FROM own.s.pieces.files",
    s"SELECT count(*), max(record_count + $n) FROM own.s.pieces.partitions",
    s"SELECT sum(price), count(*) FROM own.s.pieces WHERE id = $n")
}
