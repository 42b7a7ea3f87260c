"""Trino's external authentication at real Keycloak: a client waits, a person logs in by a browser, the client goes on."""

from __future__ import annotations

import re
import ssl
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import trino
from authority import Authority
from clients import Login
from people import Person
from server_process import ANY_PORTS, ServerProcess, serving

from sqe.engine.install.jars import TRINO_CLI, ensure_jars
from sqe.engine.install.java import find_java

CONFIG = (
    ANY_PORTS.replace("[coordinator]", '[coordinator]\nhost = "localhost"\ntls_cert = "{cert}"\ntls_key = "{key}"')
    + """
[[auth.providers]]
type = "bearer_token"
issuer = "{issuer}"
audience = "sqe"
browser_client_id = "sqe"
browser_client_secret = "sqe-secret"

[catalog]
path = "{folder}/warehouse"
"""
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def server(login: Login, authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("browser")
    pair = authority.server()
    config = CONFIG.format(issuer=login.keycloak["issuer"], folder=folder, cert=pair.certificate, key=pair.key)
    with serving(ServerProcess, folder, config) as running:
        yield running
    assert "eyJ" not in (folder / "log").read_text(), "a token is in the server's log"


@pytest.fixture
def base(server: ServerProcess) -> str:
    return f"https://localhost:{server.ready['trino_http'].rpartition(':')[2]}"


@pytest.fixture
def web(authority: Authority) -> Iterator[httpx.Client]:
    with httpx.Client(verify=ssl.create_default_context(cafile=str(authority.file)), trust_env=False, timeout=30) as client:
        yield client


@pytest.fixture
def alice(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Her browser trusts the tests' authority."""
    plain = httpx.request
    context = ssl.create_default_context(cafile=str(authority.file))
    monkeypatch.setattr(httpx, "request", lambda *args, **options: plain(*args, **{"verify": context, **options}))
    return Person("alice")


def challenge(web: httpx.Client, base: str) -> tuple[str, str]:
    answer = web.post(f"{base}/v1/statement", content="SELECT 1")
    assert answer.status_code == 401
    found = re.search(
        r'x_redirect_server="([^"]+)", x_token_server="([^"]+)"', ", ".join(answer.headers.get_list("www-authenticate"))
    )
    assert found is not None
    return found[1], found[2]


def test_the_python_client_logs_a_person_in(
    base: str, alice: Person, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    browsers: list[threading.Thread] = []

    def browser(url: str) -> None:
        browsers.append(threading.Thread(target=alice.log_in_at, args=(url,)))
        browsers[0].start()

    auth = trino.auth.OAuth2Authentication(redirect_auth_url_handler=browser)
    port = int(base.rpartition(":")[2])
    options: dict[str, Any] = {"http_scheme": "https", "auth": auth, "verify": str(authority.file)}
    with trino.dbapi.connect(host="localhost", port=port, user="alice", **options) as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT 1 AS one")
        assert cursor.fetchall() == [[1]]
    browsers[0].join()


def test_trinos_cli_logs_a_person_in(base: str, alice: Person, authority: Authority) -> None:
    (jar,) = ensure_jars([TRINO_CLI])
    handler = ("--external-authentication", "--external-authentication-redirect-handler", "PRINT")
    command = [
        str(find_java().executable),
        "-jar",
        str(jar),
        "--server",
        base,
        "--truststore-path",
        str(authority.file),
        *handler,
    ]
    process = subprocess.Popen(
        [*command, "--user", "alice", "--execute", "SELECT 1 AS one"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        address = next(line.strip() for line in process.stdout if line.startswith("https://"))
        alice.log_in_at(address)
        said = process.stdout.read()
        assert (process.wait(60), said.strip().splitlines()[-1]) == (0, '"1"')
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_token_is_the_persons_own(base: str, web: httpx.Client, alice: Person) -> None:
    redirect, token_server = challenge(web, base)
    assert "You are logged in" in alice.log_in_at(redirect).text
    token = web.get(token_server).json()["token"]
    mine = {"Authorization": f"Bearer {token}", "X-Trino-User": "alice"}
    asked = web.post(f"{base}/v1/statement", content="SELECT 1", headers=mine)
    assert asked.status_code == 200
    assert web.delete(asked.json()["nextUri"], headers=mine).status_code == 204  # else the server waits for its reader at the end
    somebody_elses = mine | {"X-Trino-User": "bob"}
    assert web.post(f"{base}/v1/statement", content="SELECT 1", headers=somebody_elses).status_code == 403
    assert web.delete(token_server).status_code == 200
    assert web.get(token_server.replace("/oauth2/token/", "/oauth2/token/initiate/")).status_code == 404


def test_an_answer_needs_the_browser_that_asked(base: str, web: httpx.Client, alice: Person, authority: Authority) -> None:
    """Whoever is sent the last address of somebody else's log-in does not end it."""
    redirect, _ = challenge(web, base)
    page = web.get(redirect)
    assert page.status_code == 303
    state = re.search(r"state=([^&]+)", page.headers["location"])
    assert state is not None
    stranger = httpx.get(
        f"{base}/oauth2/callback?state={state[1]}&code=x", verify=ssl.create_default_context(cafile=str(authority.file))
    )
    assert stranger.status_code == 403
    assert "not known here" in stranger.text


def test_an_address_of_elsewhere_is_asked_about(base: str, web: httpx.Client) -> None:
    redirect, _ = challenge(web, base)
    changed = redirect.replace("from=127.0.0.1", "from=203.0.113.9")
    assert changed != redirect
    assert web.get(changed).status_code == 404  # the mark is for the address that it was handed out to


@pytest.mark.parametrize(
    "path", ["/oauth2/token/x", "/oauth2/token/initiate/x", "/oauth2/callback", "/oauth2/callback?state=x&code=y"]
)
def test_what_was_never_handed_out_is_refused(base: str, web: httpx.Client, path: str) -> None:
    assert web.get(base + path).status_code in (403, 404)
