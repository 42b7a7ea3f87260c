"""The process of the Hive Metastore: a JVM inside Python, as in `fixture_server`.

The metastore's own main class listens on all interfaces (3.1.3 has no setting for that); the same handler behind a Thrift
server of our own listens on the loopback address.
"""

from __future__ import annotations

import os

import jpype

from dev.services.hive import class_path, flags
from dev.services.pins import HIVE_METASTORE
from dev.services.programs import unpacked_folder
from dev.services.service import LOOPBACK
from sqe.engine.install.java import find_java


def main() -> None:
    (libjvm,) = list(find_java().home.glob("lib/server/libjvm.*"))[:1]
    paths = [str(path) for path in class_path(unpacked_folder(HIVE_METASTORE))]
    jpype.startJVM(str(libjvm), *flags(), "-Dlog4j2.level=WARN", classpath=paths)
    _serve(int(os.environ["HIVE_PORT"]))


def _serve(port: int) -> None:
    metastore = jpype.JPackage("org.apache.hadoop.hive.metastore")
    thrift = jpype.JPackage("org.apache.thrift")
    configuration = metastore.conf.MetastoreConf.newMetastoreConf()
    for name, value in _settings().items():
        configuration.set(name, value)
    handler = metastore.RetryingHMSHandler.getProxy(
        configuration,
        jpype.JClass("org.apache.hadoop.hive.metastore.HiveMetaStore$HMSHandler")("metastore", configuration, False),
        False,
    )
    address = jpype.JClass("java.net.InetSocketAddress")(LOOPBACK, port)
    arguments = thrift.server.TThreadPoolServer.Args(thrift.transport.TServerSocket(address))
    # Hive's own processor: it lets each call run for the user that the client named.
    arguments.processor(metastore.TSetIpAddressProcessor(handler))
    arguments.transportFactory(thrift.transport.TTransportFactory())
    arguments.protocolFactory(thrift.protocol.TBinaryProtocol.Factory())
    arguments.minWorkerThreads(4)
    thrift.server.TThreadPoolServer(arguments).serve()


def _settings() -> dict[str, str]:
    return {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={os.environ['HIVE_DATABASE']}",
        "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
        "metastore.warehouse.dir": f"file://{os.environ['HIVE_WAREHOUSE']}",
        # These two come with Hive's query engine, which is not here.
        "metastore.task.threads.always": "org.apache.hadoop.hive.metastore.events.EventCleanerTask",
        "metastore.expression.proxy": "org.apache.hadoop.hive.metastore.DefaultPartitionExpressionProxy",
    }


if __name__ == "__main__":
    main()
