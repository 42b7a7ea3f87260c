"""`sqe login` on real Keycloak and a real `sqe-server`: a person with a browser, a shell that never sees a password."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pexpect
import pytest
from cli_home import SQE, Cli
from clients import Login
from people import Person
from server_process import ANY_PORTS, ServerProcess, serving
from waiting import eventually

SHORT_SECONDS = 30

CONFIG = (
    ANY_PORTS
    + """
[session]
idle_timeout = "15s"

[[auth.providers]]
type = "bearer_token"
issuer = "{issuer}"
audience = "sqe"
cli_client_id = "sqe-cli"
cli_scopes = ["openid"]

[catalog]
path = "{folder}/warehouse"
"""
)


@pytest.fixture(scope="module")
def server(login: Login) -> Iterator[str]:
    """Its port."""
    folder = Path(tempfile.mkdtemp(prefix="sqe-login-"))
    config = CONFIG.format(issuer=login.keycloak["issuer"], folder=folder)
    with serving(ServerProcess, folder, config) as running:
        yield str(running.port)
    told = (folder / "log").read_text()
    assert "eyJ" not in told, "a token is in the server's log"
    shutil.rmtree(folder)


class Shell:
    """`sqe` of one person in a home of their own."""

    def __init__(self, home: Path, port: str) -> None:
        self.cli = Cli(home)
        self.at = ("--host", "127.0.0.1", "--port", port)
        self.uri = f"grpc://127.0.0.1:{port}"
        self.name = f"127.0.0.1:{port}"

    def terminal(self, *arguments: str, **env: str) -> pexpect.spawn[str]:
        command = [*SQE[1:], *arguments, *self.at]
        # Ctrl-C must reach it also where the tests themselves run in the background, and ignore it.
        listens: Any = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
        return pexpect.spawn(
            SQE[0], command, env=self.cli.env | env, encoding="utf-8", timeout=60, dimensions=(40, 1000), preexec_fn=listens
        )

    def query(self, sql: str) -> subprocess.CompletedProcess[str]:
        return self.cli.run(*self.at, "-f", "csv", "-e", sql)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.cli.run(*arguments, *self.at)

    def log_in(self, person: Person, *arguments: str) -> str:
        """By a device code; everything that the terminal showed."""
        terminal = self.terminal("login", *arguments)
        terminal.expect(r"open (\S+) and confirm the code (\S+)")
        person.agree_on_device(terminal.match.group(1))
        return terminal.before + terminal.match.group(0) + ended(terminal, 0)

    @property
    def credentials(self) -> Path:
        return self.cli.folder / ".sqe" / "credentials"

    @property
    def kept(self) -> dict[str, Any]:
        (file,) = self.credentials.glob("*.json")
        content: dict[str, Any] = json.loads(file.read_text())
        return content


def ended(terminal: pexpect.spawn[str], status: int) -> str:
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == status, terminal.before
    return str(terminal.before)


@pytest.fixture
def shell(tmp_path: Path, server: str) -> Shell:
    return Shell(tmp_path, server)


@pytest.fixture
def alice() -> Person:
    return Person("alice")


def test_a_code_on_another_device_logs_the_shell_in(shell: Shell, alice: Person, login: Login) -> None:
    said = shell.log_in(alice)
    first, last = said.split("\r\n")[0], said.split("\r\n")[-2]
    assert re.fullmatch(
        rf"To log in to {shell.name}, open {login.keycloak['issuer']}/device\?\S+ and confirm the code \S+", first
    )
    assert last == f"Logged in to {shell.name} as alice."
    done = shell.query("SELECT current_user() AS me")
    assert (done.stdout, done.stderr) == ("me\nalice\n", "")


def test_tokens_are_in_a_file_of_their_owner_and_nowhere_else(shell: Shell, alice: Person) -> None:
    said = shell.log_in(alice)
    kept = shell.kept
    assert kept["access"].startswith("eyJ")
    assert kept["refresh"]
    status = shell.run("login", "--status")
    assert kept["access"] not in said + status.stdout + status.stderr
    assert kept["refresh"] not in said + status.stdout + status.stderr
    assert stat.S_IMODE(shell.credentials.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.lstat().st_mode) for file in shell.credentials.iterdir()} == {0o600}


def test_the_status_says_who_is_logged_in_where(shell: Shell, alice: Person, login: Login) -> None:
    assert (shell.run("login", "--status").returncode, shell.cli.run("login", "--status").returncode) == (1, 1)
    shell.log_in(alice)
    line = f"{shell.name}: alice at {login.keycloak['issuer']}, renewed by itself\n"
    for status in (shell.run("login", "--status"), shell.cli.run("login", "--status")):
        assert (status.returncode, status.stdout) == (0, line)


def test_a_browser_logs_the_shell_in_and_python_with_it(shell: Shell, alice: Person, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o700)
    terminal = shell.terminal("login", "--browser", BROWSER=f"{browser} %s")
    eventually(opened.exists)
    url = opened.read_text()
    assert "code_challenge_method=S256" in url
    page = alice.log_in_at(url)
    assert "return to the terminal" in page.text
    assert "eyJ" not in page.text
    said = ended(terminal, 0)
    assert said.endswith(f"Logged in to {shell.name} as alice.\r\n")
    with pytest.raises(httpx.ConnectError):
        httpx.get(str(page.url), trust_env=False)
    program = f"import sqe; print(sqe.connect({shell.uri!r}).execute('SELECT current_user()').fetchall())"
    done = subprocess.run([sys.executable, "-c", program], env=shell.cli.env, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[('alice',)]\n", "")


def test_a_browser_is_opened_only_when_asked_for(shell: Shell, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    terminal = shell.terminal("login", BROWSER=f"touch {opened} %s")
    terminal.expect_exact("and confirm the code")
    terminal.sendintr()
    assert "USER_CANCELED" in ended(terminal, 1)
    assert not opened.exists()


def test_no_is_a_no(shell: Shell, alice: Person) -> None:
    terminal = shell.terminal("login")
    terminal.expect(r"open (\S+) and")
    alice.refuse_on_device(terminal.match.group(1))
    assert "AUTHENTICATION_FAILED: The log-in was denied" in ended(terminal, 1)
    assert not list(shell.credentials.glob("*.json"))


@pytest.mark.parametrize("how", [(), ("--browser",)])
def test_ctrl_c_ends_a_log_in_and_nothing_is_kept(shell: Shell, how: tuple[str, ...]) -> None:
    terminal = shell.terminal("login", *how, BROWSER="true %s")
    terminal.expect_exact("To log in to")
    terminal.kill(signal.SIGINT)
    assert "USER_CANCELED: Interrupted" in ended(terminal, 1)
    assert not list(shell.credentials.glob("*.json"))


def test_logging_out_ends_it_here_and_at_keycloak(shell: Shell, alice: Person, login: Login) -> None:
    shell.log_in(alice)
    refresh = shell.kept["refresh"]
    done = shell.run("logout")
    assert (done.returncode, done.stdout) == (0, f"Logged out from {shell.name}.\n")
    assert not list(shell.credentials.glob("*.json"))
    renewed = login.ask(grant_type="refresh_token", client_id="sqe-cli", refresh_token=refresh)
    assert (renewed.status_code, renewed.json()["error"]) == (400, "invalid_grant")
    refused = shell.query("SELECT 1")
    assert (refused.returncode, refused.stderr) == (1, "AUTHENTICATION_FAILED: Authentication failed\n")
    assert shell.run("logout").returncode == 1


def test_tokens_for_another_audience_are_told_at_once_and_not_kept(shell: Shell, keycloak: Admin) -> None:
    client = keycloak.public_client(audiences=())
    terminal = shell.terminal("login", *keycloak.flags(client))
    terminal.expect(r"open (\S+) and")
    keycloak.person().agree_on_device(terminal.match.group(1))
    assert "AUTHENTICATION_FAILED: The server does not take log-ins of" in ended(terminal, 1)
    assert not list(shell.credentials.glob("*.json"))


@pytest.mark.long
def test_a_session_outlives_its_tokens_and_a_night(shell: Shell, keycloak: Admin) -> None:
    """Tokens of half a minute: under a statement that is being read, under a temporary view, and after the session is gone."""
    person = keycloak.person()
    shell.log_in(person, *keycloak.flags(keycloak.public_client(life=SHORT_SECONDS)))
    program = subprocess.Popen(
        [sys.executable, "-c", LONG_PROGRAM, shell.uri],
        env=shell.cli.env | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, err = program.communicate(timeout=240)
    assert err == ""
    assert out.splitlines() == ["read on", "still here", "told once", person.name]
    assert shell.kept["obtained_at"] > time.time() - SHORT_SECONDS * 2


LONG_PROGRAM = f"""
import sys, time
import sqe
from waiting import eventually

def after(seconds):
    end = time.monotonic() + seconds
    eventually(lambda: time.monotonic() > end, seconds + 1)

connection = sqe.connect(sys.argv[1])
connection.execute("CREATE TEMPORARY VIEW mine AS SELECT 'still here' AS word")
rows = connection.execute("SELECT id FROM range(100000000)")
rows.fetchone()
after({SHORT_SECONDS} + 10)
assert len(rows.fetchmany(100000)) == 100000
print("read on")
rows.close()
print(connection.execute("SELECT word FROM mine").fetchone()[0])
after({SHORT_SECONDS} + 10)
try:
    connection.execute("SELECT word FROM mine")
except sqe.OperationalError as error:
    assert "a new one was opened" in str(error), error
    print("told once")
print(connection.execute("SELECT current_user()").fetchone()[0])
connection.close()
"""


@dataclass
class Admin:
    """People and clients of these tests alone, made by Keycloak's administrator and removed at the end."""

    address: dict[str, str]
    made: list[str]

    def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        url = path if path.startswith("http") else f"{self.address['url']}/admin/realms/sqe{path}"
        headers = {"Authorization": f"Bearer {self._token()}"}
        answer = httpx.request(method, url, json=body, headers=headers, trust_env=False, timeout=30)
        assert answer.is_success, answer.text
        return answer

    def _token(self) -> str:
        form = {
            "grant_type": "password",
            "client_id": "admin-cli",
            "username": self.address["admin_user"],
            "password": self.address["admin_password"],
        }
        url = f"{self.address['url']}/realms/master/protocol/openid-connect/token"
        return str(httpx.post(url, data=form, trust_env=False, timeout=30).json()["access_token"])

    def make(self, path: str, body: object) -> str:
        location = self.ask("POST", path, body).headers["location"]
        self.made.append(location)
        return str(location)

    def person(self) -> Person:
        """With Keycloak's default roles, among them the one for tokens that outlive the browser's session."""
        name = f"night-{secrets.token_hex(4)}"
        user = {
            "username": name,
            "enabled": True,
            "email": f"{name}@example.org",
            "emailVerified": True,
            "firstName": "N",
            "lastName": "N",
            "credentials": [{"type": "password", "value": f"{name}-password", "temporary": False}],
        }
        where = self.make("/users", user)
        role = self.ask("GET", "/roles/offline_access").json()
        self.ask("POST", f"{where}/role-mappings/realm", [role])
        return Person(name)

    def public_client(self, life: int = 600, audiences: tuple[str, ...] = ("sqe",)) -> str:
        name = f"cli-{secrets.token_hex(4)}"
        mappers = [
            {
                "name": audience,
                "protocol": "openid-connect",
                "protocolMapper": "oidc-audience-mapper",
                "config": {"included.client.audience": audience, "access.token.claim": "true"},
            }
            for audience in audiences
        ]
        attributes = {"oauth2.device.authorization.grant.enabled": "true", "access.token.lifespan": str(life)}
        client = {"clientId": name, "publicClient": True, "standardFlowEnabled": True, "attributes": attributes}
        self.make("/clients", client | {"protocolMappers": mappers})
        return name

    def flags(self, client: str) -> tuple[str, ...]:
        return ("--issuer", self.address["issuer"], "--client-id", client)


@pytest.fixture
def keycloak(login: Login) -> Iterator[Admin]:
    admin = Admin(dict(login.keycloak), [])
    yield admin
    for each in admin.made:
        admin.ask("DELETE", each)
