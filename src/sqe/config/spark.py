"""Which Spark settings `[engine] spark` takes: tuning only.

An exact list and not prefixes, because under almost every prefix there is a setting that loads classes, or that
switches rules off (`spark.sql.optimizer.excludedRules` could remove the rules that enforce row filters).
"""

from __future__ import annotations

from sqe.config.kinds import Wrong

ALLOWED = frozenset(
    {
        "spark.default.parallelism",
        "spark.driver.maxResultSize",
        "spark.executor.cores",
        "spark.executor.memory",
        "spark.executor.memoryOverhead",
        "spark.io.compression.codec",
        "spark.locality.wait",
        "spark.local.dir",
        "spark.memory.fraction",
        "spark.memory.offHeap.enabled",
        "spark.memory.offHeap.size",
        "spark.memory.storageFraction",
        "spark.network.timeout",
        "spark.rdd.compress",
        "spark.reducer.maxSizeInFlight",
        "spark.scheduler.mode",
        "spark.shuffle.compress",
        "spark.shuffle.file.buffer",
        "spark.shuffle.spill.compress",
        "spark.speculation",
        "spark.speculation.multiplier",
        "spark.speculation.quantile",
        "spark.sql.adaptive.advisoryPartitionSizeInBytes",
        "spark.sql.adaptive.autoBroadcastJoinThreshold",
        "spark.sql.adaptive.coalescePartitions.enabled",
        "spark.sql.adaptive.coalescePartitions.initialPartitionNum",
        "spark.sql.adaptive.coalescePartitions.minPartitionSize",
        "spark.sql.adaptive.coalescePartitions.parallelismFirst",
        "spark.sql.adaptive.enabled",
        "spark.sql.adaptive.localShuffleReader.enabled",
        "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold",
        "spark.sql.adaptive.skewJoin.enabled",
        "spark.sql.adaptive.skewJoin.skewedPartitionFactor",
        "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes",
        "spark.sql.autoBroadcastJoinThreshold",
        "spark.sql.broadcastTimeout",
        "spark.sql.cbo.enabled",
        "spark.sql.cbo.joinReorder.enabled",
        "spark.sql.execution.arrow.maxRecordsPerBatch",
        "spark.sql.files.maxPartitionBytes",
        "spark.sql.files.minPartitionNum",
        "spark.sql.files.openCostInBytes",
        "spark.sql.iceberg.compression-codec",
        "spark.sql.iceberg.compression-level",
        "spark.sql.iceberg.read.adaptive-split-size.enabled",
        "spark.sql.iceberg.read.adaptive-split-size.parallelism",
        "spark.sql.iceberg.read.split-size",
        "spark.sql.join.preferSortMergeJoin",
        "spark.sql.optimizer.runtime.bloomFilter.enabled",
        "spark.sql.parquet.columnarReaderBatchSize",
        "spark.sql.session.timeZone",
        "spark.sql.shuffle.partitions",
        "spark.task.cpus",
        "spark.task.maxFailures",
    }
)


def checked(name: str, _: str) -> None:
    if name in ALLOWED:
        return
    import difflib

    close = difflib.get_close_matches(name, sorted(ALLOWED), n=1, cutoff=0.8)
    nearest = f" (did you mean {close[0]}?)" if close else ""
    raise Wrong(f"takes only the tuning settings that docs/configuration.md lists, and not {name}{nearest}")
