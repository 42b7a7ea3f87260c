"""TLS as clients meet it: ADBC, Arrow's JDBC driver, `sqe` and `sqe.connect`, with an authority of the tests' own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as flightsql
import pyarrow as pa
import pytest
from adbc_driver_flightsql import DatabaseOptions
from authority import Authority, Pair
from pyarrow import flight
from waiting import eventually

import sqe
from sqe.client import FlightClient
from sqe.client.tls import ClientTls
from sqe.config.providers import MtlsProvider, MtlsRule, StaticProvider, StaticUser
from sqe.config.sections import Auth, Coordinator
from sqe.config.values import Secret
from sqe.doors.flight.door import FlightDoor
from sqe.doors.flight.wire import messages, pack
from sqe.doors.tls import certificates as certificates_module
from sqe.doors.tls.certificates import Certificates
from sqe.errors import SqeError
from sqe.identity.authenticator import authenticator
from sqe.query.events import State
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

SECRET = "secret"  # noqa: S105 - the tests' own
CHAIN = authenticator(
    Auth(
        providers=(
            StaticProvider((StaticUser("root", Secret(SECRET)),)),
            MtlsProvider((MtlsRule("cn", "svc-*", "$1", ("service",)),)),
        )
    )
)
ME = "SELECT current_user() AS me"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def pair(authority: Authority) -> Pair:
    return authority.server()


@pytest.fixture(scope="module")
def robot(authority: Authority) -> Pair:
    return authority.client("svc-etl")


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions, authority: Authority, pair: Pair) -> Iterator[FlightDoor]:
    """Takes passwords, and certificates of clients that show one."""
    settings = Coordinator(tls_cert=pair.certificate, tls_key=pair.key, tls_client_auth="optional", tls_client_ca=authority.file)
    tls = Certificates(settings, ["h2"], clients=True)
    with FlightDoor(handler=handler, sessions=sessions, authenticator=CHAIN, tls=tls) as door:
        yield door


@pytest.fixture(scope="module")
def strict_door(handler: QueryHandler, sessions: Sessions, authority: Authority, pair: Pair) -> Iterator[FlightDoor]:
    """Takes nobody without a certificate."""
    settings = Coordinator(tls_cert=pair.certificate, tls_key=pair.key, tls_client_auth="required", tls_client_ca=authority.file)
    tls = Certificates(settings, ["h2"], clients=True)
    with FlightDoor(handler=handler, sessions=sessions, authenticator=CHAIN, tls=tls) as door:
        yield door


def trust(authority: Authority, pair: Pair | None = None) -> ClientTls:
    root = authority.file.read_bytes()
    return ClientTls(root, pair.certificate.read_bytes(), pair.key.read_bytes()) if pair else ClientTls(root)


def me(client: FlightClient) -> str:
    return str(client.execute(ME).read_all()["me"][0])


# ADBC


def adbc(door: FlightDoor, authority: Authority, pair: Pair | None = None, **more: str) -> Any:
    options = {DatabaseOptions.TLS_ROOT_CERTS.value: authority.file.read_text(), **more}
    if pair is not None:
        options |= {
            DatabaseOptions.MTLS_CERT_CHAIN.value: pair.certificate.read_text(),
            DatabaseOptions.MTLS_PRIVATE_KEY.value: pair.key.read_text(),
        }
    return flightsql.connect(f"grpc+tls://localhost:{door.port}", db_kwargs=options, autocommit=True)


def asked(connection: Any) -> Any:
    with connection, connection.cursor() as cursor:
        cursor.execute(ME)
        return cursor.fetchone()[0]


def test_adbc_with_a_password(door: FlightDoor, authority: Authority) -> None:
    assert asked(adbc(door, authority, username="root", password=SECRET)) == "root"


def test_adbc_with_a_certificate_alone(door: FlightDoor, strict_door: FlightDoor, authority: Authority, robot: Pair) -> None:
    assert asked(adbc(door, authority, robot)) == "etl"
    assert asked(adbc(strict_door, authority, robot)) == "etl"


def test_adbc_with_a_certificate_and_a_password_is_the_password_s_user(
    strict_door: FlightDoor, authority: Authority, robot: Pair
) -> None:
    assert asked(adbc(strict_door, authority, robot, username="root", password=SECRET)) == "root"


@pytest.mark.parametrize("shown", ["nothing", "wrong password", "no rule"])
def test_adbc_without_good_credentials_is_refused(door: FlightDoor, authority: Authority, shown: str) -> None:
    connect: dict[str, Callable[[], Any]] = {
        "nothing": lambda: adbc(door, authority),
        "wrong password": lambda: adbc(door, authority, authority.client("svc-x"), username="root", password=SECRET + "x"),
        "no rule": lambda: adbc(door, authority, authority.client("person")),
    }
    with pytest.raises(flightsql.Error, match="Authentication failed"):
        asked(connect[shown]())


def test_adbc_with_a_wrong_authority_or_certificate_never_gets_through(
    strict_door: FlightDoor, authority: Authority, robot: Pair, tmp_path: Path, sessions: Sessions
) -> None:
    strangers = Authority(tmp_path, "strangers")
    before = len(sessions)
    for trusted, shown in (
        (strangers, robot),
        (authority, strangers.client("svc-etl")),
        (authority, authority.client("svc-late", days=-1)),
        (authority, None),
    ):
        with pytest.raises(flightsql.Error):
            asked(adbc(strict_door, trusted, shown, username="root", password=SECRET))
    assert len(sessions) == before


# JDBC


# In a process of its own: ADBC's Go and a JVM that encrypts do not get along in one.
JDBC = """
import json, os, sys
import jpype
from sqe.engine.install.jars import TEST_JARS, ensure_jars

jpype.startJVM("--add-opens=java.base/java.nio=ALL-UNNAMED", "-Xmx256m", classpath=[str(jar) for jar in ensure_jars(TEST_JARS)])
jpype.JClass("java.util.logging.LogManager").getLogManager().reset()
properties = jpype.JClass("java.util.Properties")()
for name, value in json.loads(sys.argv[2]).items():
    properties.setProperty(name, value)
try:
    connection = jpype.JClass("org.apache.arrow.driver.jdbc.ArrowFlightJdbcDriver")().connect(sys.argv[1], properties)
    rows = connection.createStatement().executeQuery("SELECT current_user() AS me")
    rows.next()
    print(rows.getString("me"), flush=True)
except jpype.JException as error:
    print(error, flush=True)
os._exit(0)  # the driver's threads would keep the JVM
"""


def jdbc(door: FlightDoor, authority: Authority, **properties: str) -> str:
    given = {"useEncryption": "true", "tlsRootCerts": str(authority.file), **properties}
    command = [sys.executable, "-c", JDBC, f"jdbc:arrow-flight-sql://localhost:{door.port}/", json.dumps(given)]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=True).stdout.rstrip()


def test_jdbc_with_a_password_and_with_a_certificate(door: FlightDoor, authority: Authority, robot: Pair) -> None:
    assert jdbc(door, authority, user="root", password=SECRET) == "root"
    assert jdbc(door, authority, clientCertificate=str(robot.certificate), clientKey=str(robot.key)) == "etl"


def test_jdbc_refuses_a_server_that_it_does_not_know(door: FlightDoor, tmp_path: Path) -> None:
    said = jdbc(door, Authority(tmp_path, "strangers"), user="root", password=SECRET)
    assert "UNAVAILABLE" in said
    assert "root" not in said.splitlines()


# Sessions and certificates


def session_options(door: FlightDoor, tls: ClientTls, header: flight.FlightCallOptions) -> list[flight.Result]:
    """A call on a connection of its own with somebody's session token."""
    with flight.FlightClient(door.address, **tls.options(door.address)) as connection:
        return list(connection.do_action(flight.Action("GetSessionOptions", b""), header))


def test_a_session_opened_with_a_certificate_is_good_with_that_one_only(
    door: FlightDoor, authority: Authority, robot: Pair
) -> None:
    with FlightClient(door.address, tls=trust(authority, robot)) as client:
        assert me(client) == "etl"
        stolen = client._options  # the header with the session's token
        other = authority.client("svc-other")
        for thief in (trust(authority), trust(authority, other), trust(authority, authority.client("svc-etl", file="again"))):
            with pytest.raises(flight.FlightUnauthenticatedError):
                session_options(door, thief, stolen)
        assert session_options(door, trust(authority, robot), stolen)
        assert me(client) == "etl"


def test_a_password_s_session_is_bound_to_the_certificate_it_was_opened_with(
    door: FlightDoor, authority: Authority, robot: Pair
) -> None:
    with FlightClient(door.address, user="root", password=SECRET, tls=trust(authority, robot)) as client:
        assert me(client) == "root"
        with pytest.raises(flight.FlightUnauthenticatedError):
            session_options(door, trust(authority), client._options)


def test_sessions_know_where_they_come_from(door: FlightDoor, sessions: Sessions, authority: Authority, robot: Pair) -> None:
    with FlightClient(door.address, tls=trust(authority, robot)) as client:
        me(client)
        origin = sessions.all()[-1].origin
        assert "127.0.0.1" in origin.address
        assert len(origin.certificate) == 64


def test_the_socket_behind_the_front_answers_nobody_else(
    handler: QueryHandler, sessions: Sessions, pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tls = Certificates(Coordinator(tls_cert=pair.certificate, tls_key=pair.key), ["h2"])
    with FlightDoor(handler=handler, sessions=sessions, authenticator=CHAIN, tls=tls):
        (socket,) = tmp_path.glob("*/flight.sock")
        assert socket.parent.stat().st_mode & 0o777 == 0o700
        with pytest.raises(SqeError, match="AUTHENTICATION_FAILED"):
            FlightClient(f"grpc+unix://{socket}", user="root", password=SECRET)
    assert list(tmp_path.iterdir()) == []


# Streams


def test_a_certificate_is_replaced_under_a_running_stream(
    door: FlightDoor, authority: Authority, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates_module, "LOOK_SECONDS", 0.0)
    with FlightClient(door.address, user="root", password=SECRET, tls=trust(authority)) as client:
        batches = client.execute("SELECT id FROM range(6000000)").batches()
        rows = next(batches).num_rows
        newer = Authority(authority.file.parent, "newer")
        pair.replace(newer.server("renewed"))
        try:
            with FlightClient(door.address, user="root", password=SECRET, tls=trust(newer)) as other:
                assert me(other) == "root"
            with pytest.raises(SqeError, match="cannot be trusted"):
                FlightClient(door.address, user="root", password=SECRET, tls=trust(authority))
        finally:
            pair.replace(authority.server("back"))
            FlightClient(door.address, user="root", password=SECRET, tls=trust(authority)).close()
        assert rows + sum(batch.num_rows for batch in batches) == 6_000_000
        assert me(client) == "root"


def running(handler: QueryHandler) -> list[str]:
    return [each.query_id for each in handler.queries() if each.state is State.RUNNING]


def test_a_client_that_leaves_cancels_its_statement(door: FlightDoor, authority: Authority, handler: QueryHandler) -> None:
    client = flight.FlightClient(door.address, **trust(authority).options(door.address))
    token = client.authenticate_basic_token("root", "secret")
    options = flight.FlightCallOptions(headers=[token])
    command = pack(messages.CommandStatementQuery(query=b"SELECT id, uuid() FROM range(10000000000)"))
    info = client.get_flight_info(flight.FlightDescriptor.for_command(command), options)
    reader = client.do_get(info.endpoints[0].ticket, options)
    reader.read_chunk()
    assert running(handler)
    reader.cancel()
    del reader
    client.close()
    eventually(lambda: not running(handler))


def test_uploads_go_through(door: FlightDoor, authority: Authority) -> None:
    with FlightClient(door.address, user="root", password=SECRET, tls=trust(authority)) as client:
        client.update("CREATE SCHEMA IF NOT EXISTS lake.tls")
        table = pa.table({"n": pa.array(range(300_000))})
        assert client.ingest("numbers", table, schema="tls", catalog="lake") == 300_000
        assert client.execute("SELECT sum(n) AS total FROM lake.tls.numbers").read_all()["total"][0].as_py() == sum(
            range(300_000)
        )


# `sqe` and `sqe.connect`


def shell(door_port: int, *flags: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "sqe.cli.main",
        "--host",
        "localhost",
        "--port",
        str(door_port),
        "-f",
        "csv",
        "-e",
        ME,
        *flags,
    ]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SQE_", "SSL_", "GRPC_"))}
    return subprocess.run(command, capture_output=True, text=True, env=env | environ, timeout=60, stdin=subprocess.DEVNULL)


def test_the_shell_with_an_authority_a_variable_a_certificate_or_nothing(
    door: FlightDoor, authority: Authority, robot: Pair
) -> None:
    user = ("--user", "root", "--tls")
    for flags, environ, name in (
        ((*user, "--tls-ca", str(authority.file)), {"SQE_PASSWORD": SECRET}, "root"),
        (user, {"SQE_PASSWORD": SECRET, "SSL_CERT_FILE": str(authority.file)}, "root"),
        ((*user, "--insecure"), {"SQE_PASSWORD": SECRET}, "root"),
        (
            ("--tls", "--tls-ca", str(authority.file), "--tls-cert", str(robot.certificate), "--tls-key", str(robot.key)),
            {},
            "etl",
        ),
    ):
        done = shell(door.port, *flags, **environ)
        assert (done.stdout, done.stderr, done.returncode) == (f"me\n{name}\n", "", 0)


def test_the_shell_says_in_one_sentence_what_is_wrong(
    door: FlightDoor, strict_door: FlightDoor, handler: QueryHandler, sessions: Sessions, authority: Authority, tmp_path: Path
) -> None:
    stranger = str(Authority(tmp_path, "strangers").file)
    ours = ("--tls", "--tls-ca", str(authority.file))
    with FlightDoor(handler=handler, sessions=sessions, authenticator=CHAIN) as plain:
        for port, flags, sentence in (
            (door.port, ("--tls", "--tls-ca", stranger), "cannot be trusted"),
            (door.port, ("--tls",), "cannot be trusted"),
            (door.port, (), "closed the connection [does it want TLS?"),
            (plain.port, ours, "does not speak TLS"),
            (plain.port, ("--tls", "--insecure"), "does not speak TLS"),
            (strict_door.port, ours, "refused the connection; does it want a client certificate?"),
        ):
            done = shell(port, "--user", "root", *flags, SQE_PASSWORD=SECRET)
            assert (done.returncode, done.stdout) == (1, "")
            assert sentence in done.stderr
            assert done.stderr.count("\n") == 1
    for flags, sentence in (
        (("--tls", "--tls-ca", "/no/such/file"), "/no/such/file cannot be read: No such file or directory"),
        (("--tls", "--tls-cert", "/x"), "--tls-cert and --tls-key need each other"),
        (("--tls-ca", str(authority.file)), "--tls-ca needs --tls"),
    ):
        done = shell(door.port, *flags)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert sentence in done.stderr


def test_connect_takes_files_and_texts(door: FlightDoor, authority: Authority, robot: Pair) -> None:
    address = f"grpc+tls://localhost:{door.port}"
    with sqe.connect(address, user="root", password=SECRET, tls_root_certs=str(authority.file)) as connection:
        assert connection.cursor().execute(ME).fetchall() == [("root",)]
    given = {"tls_root_certs": authority.file.read_bytes(), "tls_cert": robot.certificate, "tls_key": robot.key}
    with sqe.connect(address, **given) as connection:
        assert connection.cursor().execute(ME).fetchall() == [("etl",)]
    with pytest.raises(sqe.Error, match="need each other"):
        sqe.connect(address, tls_cert=robot.certificate)
