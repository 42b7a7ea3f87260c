package org.apache.spark.sql.sqe

import java.io.File
import java.net.URLClassLoader
import java.sql.{Connection, Driver, DriverManager, DriverPropertyInfo}
import java.util.Properties
import java.util.concurrent.ConcurrentHashMap
import java.util.logging.Logger

/**
 * Drivers of the databases that hold JDBC catalogs. Not on the class path, which the class archive is bound to: a driver is
 * loaded from its jar when the first catalog wants it, and a live engine can get one more.
 */
object DatabaseDrivers {
  private val known = new ConcurrentHashMap[String, Driver]

  def add(jar: String, driverClass: String): Unit = known.computeIfAbsent(jar, _ => {
    val loader = new URLClassLoader(Array(new File(jar).toURI.toURL), getClass.getClassLoader)
    val driver = Class.forName(driverClass, true, loader).getDeclaredConstructor().newInstance().asInstanceOf[Driver]
    DriverManager.registerDriver(new Lent(driver))
    driver
  })

  /** DriverManager offers to callers only what their own class loader can see. */
  private final class Lent(driver: Driver) extends Driver {
    override def connect(url: String, info: Properties): Connection = driver.connect(url, info)

    override def acceptsURL(url: String): Boolean = driver.acceptsURL(url)

    override def getPropertyInfo(url: String, info: Properties): Array[DriverPropertyInfo] = driver.getPropertyInfo(url, info)

    override def getMajorVersion: Int = driver.getMajorVersion

    override def getMinorVersion: Int = driver.getMinorVersion

    override def jdbcCompliant: Boolean = driver.jdbcCompliant

    override def getParentLogger: Logger = driver.getParentLogger
  }
}
