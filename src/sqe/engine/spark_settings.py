"""The Spark settings of every driver, each with its reason. Measurements: docs/architecture.md and docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Mapping

EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions,org.apache.spark.sql.sqe.Extension"

# key → (value, why)
SETTINGS: Mapping[str, tuple[str, str]] = {
    "spark.app.name": ("sqe", "shown by cluster managers"),
    "spark.sql.extensions": (EXTENSIONS, "Iceberg's statements, then ours: later rules of ours must see its views resolved"),
    "spark.sql.catalogImplementation": ("in-memory", "no Hive metastore: every table lives in a configured catalog"),
    "spark.sql.ansi.enabled": ("true", "errors instead of silent NULLs"),
    "spark.sql.ansi.doubleQuotedIdentifiers": ("true", '"name" is an identifier, as in every other SQL database'),
    "spark.sql.session.timeZone": ("UTC", "results do not depend on where the server stands"),
    "spark.sql.timestampType": ("TIMESTAMP_LTZ", "Iceberg's timestamptz; TIMESTAMP_NTZ has its own name"),
    "spark.sql.sources.useV1SourceList": ("avro,csv,json,kafka,orc,parquet,text", "Spark's default, pinned"),
    "spark.sql.runSQLOnFiles": ("false", "SELECT * FROM parquet.`/etc/…` would read the server's files"),
    "spark.sql.legacy.createHiveTableByDefault": ("false", "CREATE TABLE without USING means the catalog's own format"),
    "spark.sql.optimizer.excludedRules": (
        "org.apache.spark.sql.catalyst.optimizer.DecimalAggregates",
        "it averages short decimals as doubles; without it they are exact, on Spark and in the native kernel",
    ),
    "spark.sql.shuffle.partitions": (
        "4",
        "for small inputs (large ones: jvm, ShufflePartitions); with the broadcast limit below 1.34x less wall on TPC-H SF1",
    ),
    "spark.sql.autoBroadcastJoinThreshold": ("64m", "see shuffle.partitions; the joint effect was measured"),
    "spark.sql.adaptive.autoBroadcastJoinThreshold": (
        "10m",
        "sizes known at run time are those of compressed rows; one thread makes the table, and with 64m the others waited for it",
    ),
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": (
        "32m",
        "no sort where a partition's smaller side fits in memory; with the one above 5 % less wall on nine queries of TPC-H SF1",
    ),
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": (
        "true",
        "8 % less wall on twelve queries of TPC-H SF1 than false, which left small shuffles to one core",
    ),
    "spark.sql.cbo.enabled": ("false", "estimates by statistics: docs/statistics.md"),
    "spark.sql.adaptive.optimizer.excludedRules": (
        "org.apache.spark.sql.catalyst.optimizer.EliminateLimits,org.apache.spark.sql.catalyst.optimizer.OptimizeOneRowPlan",
        "they take estimates of stages that have not run for the most rows, and drop a LIMIT by them (SPARK-57956, Spark 4.1)",
    ),
    "spark.sql.iceberg.report-column-stats": (
        "false",
        "distinct values alone, by which Spark expects no row of c = 5 and fails on TIMESTAMP_NTZ; ours are in MeasuredScans",
    ),
    "spark.ui.enabled": ("false", "an unauthenticated page that shows statements, plans and settings"),
    "spark.ui.showConsoleProgress": ("false", "progress belongs to our clients, not to the driver's stderr"),
    "spark.eventLog.enabled": ("false", "an event log holds statements and settings of all users"),
    "spark.sql.ui.retainedExecutions": ("10", "plans of finished statements are heap that nobody reads without the UI"),
    "spark.ui.retainedJobs": ("50", "as above; still enough for progress"),
    "spark.ui.retainedStages": ("50", "as above"),
    "spark.ui.retainedTasks": ("1000", "as above"),
    "spark.ui.retainedDeadExecutors": ("2", "as above"),
    "spark.appStatusStore.diskStoreDir": ("", "no status store on disk"),
    "spark.metrics.executorMetricsSource.enabled": (
        "false",
        "nobody reads Spark's own metrics (ours: docs/metrics.md), and making this one holds up the start by 80 CPU-ms",
    ),
    "spark.metrics.staticSources.enabled": ("false", "as above"),
    "spark.cleaner.periodicGC.interval": ("10min", "dropped sessions and shuffles give their memory and files back"),
    "spark.sql.execution.arrow.maxRecordsPerBatch": ("0", "our stream sizes its own batches"),
    "spark.sql.codegen.cache.maxEntries": ("200", "generated classes are metaspace"),
    "spark.sql.artifact.isolation.enabled": (
        "false",
        "nobody can add jars or files; with it on, every session compiles generated code again (192 CPU-ms, not 123)",
    ),
    "spark.sql.shuffleExchange.maxThreadThreshold": ("32", "idle threads of these pools hold on to closed sessions for a minute"),
    "spark.sql.resultQueryStage.maxThreadThreshold": ("32", "as above; not fewer than statements that may run at once"),
    "spark.sql.broadcastExchange.maxThreadThreshold": ("32", "as above"),
    "spark.driver.host": ("127.0.0.1", "local mode needs no other address; a cluster sets its own"),
    "spark.driver.bindAddress": ("127.0.0.1", "as above"),
    "spark.sql.geospatial.enabled": ("true", "Iceberg's geometry and geography; Spark 4.1 has them switched off"),
    "spark.databricks.delta.snapshotPartitions": ("2", "a Delta table's log is small; the default of 50 took 30 s to read one"),
    "spark.scheduler.mode": ("FAIR", "a short query does not wait behind a long one's tasks; jvm: StagesInOrder"),
    "spark.sql.sources.parallelPartitionDiscovery.threshold": ("1000", "no job to list a handful of files"),
    "spark.sql.maxPlanStringLength": ("65536", "plans as text are for EXPLAIN; megabytes of them were heap"),
    "spark.executor.killOnFatalError.depth": ("0", "one task's lack of memory is not the driver's end; jvm: MemoryGuard decides"),
    "spark.executor.heartbeatInterval": ("30s", "local mode has nobody to tell"),
}


def uses_estimates(extra: Mapping[str, str]) -> bool:
    """Whether anybody plans by the statistics of tables."""
    return driver_settings("", "", extra)["spark.sql.cbo.enabled"] == "true"


def driver_settings(master: str, local_folder: str, extra: Mapping[str, str]) -> dict[str, str]:
    """What the boot class gets: ours, then where it runs, then what the operator set in `[engine] spark`."""
    settings = {key: value for key, (value, _) in SETTINGS.items() if value}
    settings |= {
        "spark.master": master,
        "spark.local.dir": local_folder,
        "spark.sql.warehouse.dir": f"{local_folder}/spark-warehouse",
    }
    return settings | dict(extra)
