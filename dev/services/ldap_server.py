"""The process of the directory: a JVM inside Python, because UnboundID's own command listens on all interfaces."""

from __future__ import annotations

import os
import threading
from typing import Any

import jpype

from dev.services.ldap import BASE, READER, READER_PASSWORD, STORE_PASSWORD
from dev.services.pins import UNBOUNDID
from dev.services.service import LOOPBACK
from sqe.engine.install.java import find_java


def main() -> None:
    (libjvm,) = list(find_java().home.glob("lib/server/libjvm.*"))[:1]
    flags = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    jpype.startJVM(str(libjvm), *flags, classpath=[str(UNBOUNDID.path)])
    _serve()
    threading.Event().wait()


def _serve() -> None:
    listener = jpype.JPackage("com.unboundid.ldap.listener")
    tls = _tls()
    address = jpype.JClass("java.net.InetAddress").getByName(LOOPBACK)
    config = listener.InMemoryDirectoryServerConfig([BASE])
    config.setListenerConfigs(
        listener.InMemoryListenerConfig.createLDAPConfig(
            "ldap", address, int(os.environ["LDAP_PORT"]), tls.createSSLSocketFactory()
        ),
        listener.InMemoryListenerConfig.createLDAPSConfig(
            "ldaps", address, int(os.environ["LDAPS_PORT"]), tls.createSSLServerSocketFactory(), None
        ),
    )
    config.addAdditionalBindCredentials(READER, READER_PASSWORD)
    config.setSchema(None)  # the entries have attributes of several products
    # As a careful directory is set up: strangers cannot even look.
    types = jpype.JClass("com.unboundid.ldap.sdk.OperationType")
    config.setAuthenticationRequiredOperationTypes(types.SEARCH, types.COMPARE, types.MODIFY)
    server = listener.InMemoryDirectoryServer(config)
    server.importFromLDIF(True, os.environ["LDAP_ENTRIES"])
    server.startListening()


def _tls() -> Any:
    ssl = jpype.JPackage("com.unboundid.util.ssl")
    password = jpype.JArray(jpype.JChar)(list(STORE_PASSWORD))
    keys = ssl.KeyStoreKeyManager(os.environ["LDAP_STORE"], password, "PKCS12", None)
    return ssl.SSLUtil(keys, ssl.TrustAllTrustManager())


if __name__ == "__main__":
    main()
