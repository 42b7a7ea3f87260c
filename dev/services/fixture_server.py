"""The process of the REST fixture: a JVM inside Python.

Iceberg's own main class (`RESTCatalogServer` of iceberg-open-api 1.11.0) listens on all interfaces and cannot be told
otherwise, which would offer everybody in the network a catalog without a log-in. The same parts put together here listen on
the loopback address. JPype is in use for the JDBC tests anyway and needs no compiler.
"""

from __future__ import annotations

import os

import jpype

from dev.services.pins import ICEBERG_REST
from dev.services.service import LOOPBACK
from sqe.engine.install.java import find_java
from sqe.engine.install.spark import find_spark

# Already there with pyspark; iceberg-core 1.11.0 is content with these versions.
FROM_PYSPARK = (
    "aircompressor-*.jar",
    "avro-1.*.jar",
    "hadoop-client-api-*.jar",
    "hadoop-client-runtime-*.jar",
    "jackson-annotations-*.jar",
    "jackson-core-2*.jar",
    "jackson-databind-*.jar",
    "RoaringBitmap-*.jar",
    "slf4j-api-*.jar",
)


def main() -> None:
    spark = find_spark()
    class_path = [jar.path for jar in ICEBERG_REST] + [spark.jar(pattern) for pattern in FROM_PYSPARK]
    (libjvm,) = list(find_java().home.glob("lib/server/libjvm.*"))[:1]
    flags = ["-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
    jpype.startJVM(str(libjvm), *flags, classpath=[str(path) for path in class_path])
    _serve(int(os.environ["FIXTURE_PORT"]))


def _serve(port: int) -> None:
    iceberg = jpype.JPackage("org.apache.iceberg")
    jetty = jpype.JPackage("org.eclipse.jetty")
    properties = jpype.JClass("java.util.HashMap")(_properties())
    catalog = iceberg.CatalogUtil.buildIcebergCatalog("lake", properties, None)
    servlet = iceberg.rest.RESTCatalogServlet(iceberg.rest.RESTCatalogAdapter(catalog))
    handler = jetty.ee10.servlet.ServletContextHandler()
    handler.addServlet(jetty.ee10.servlet.ServletHolder(servlet), "/*")
    server = jetty.server.Server(jpype.JClass("java.net.InetSocketAddress")(LOOPBACK, port))
    server.setHandler(handler)
    server.start()
    server.join()


def _properties() -> dict[str, str]:
    return {
        "catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        "uri": f"jdbc:sqlite:file:{os.environ['FIXTURE_DATABASE']}",
        "jdbc.schema-version": "V1",  # views need it
        "warehouse": os.environ["FIXTURE_WAREHOUSE"],
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint": os.environ["FIXTURE_S3"],
        "s3.path-style-access": "true",
        "http-client.type": "urlconnection",
        # One writer at a time is all that SQLite has; a pool only earns SQLITE_BUSY.
        "clients": "1",
    }


if __name__ == "__main__":
    main()
