package org.apache.spark.sql.sqe

import org.apache.iceberg.catalog.Catalog
import org.apache.iceberg.spark.SparkCatalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Iceberg's catalog for Spark, with one difference: the name that a JDBC catalog writes into its rows need not be the name
 * that a session knows it by (`stored-name`). A warehouse made as `lake` is the same warehouse when it is mounted as `sales`.
 */
final class LakeCatalog extends SparkCatalog {
  override protected def buildIcebergCatalog(name: String, options: CaseInsensitiveStringMap): Catalog =
    super.buildIcebergCatalog(options.getOrDefault("stored-name", name), options)
}
