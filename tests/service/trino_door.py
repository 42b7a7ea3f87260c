"""A Trino door for tests: users by password over TLS, which Trino's clients insist on, and a plain one to look at the wire."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from authority import Authority

from sqe.config.providers import MtlsProvider, MtlsRule, StaticProvider, StaticUser
from sqe.config.sections import Auth, Coordinator
from sqe.config.values import Secret
from sqe.doors.tls.certificates import Certificates
from sqe.doors.trino.door import TrinoDoor
from sqe.identity import Identity
from sqe.identity.authenticator import authenticator
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

USERS = StaticProvider(
    (
        StaticUser("root", Secret("secret"), roles=("admin",)),
        StaticUser("alice", Secret("wonderland")),
        StaticUser("bob", Secret("builder")),
    )
)
ROOT, ALICE, BOB = ("root", "secret"), ("alice", "wonderland"), ("bob", "builder")


@contextmanager
def plain_door(handler: QueryHandler, sessions: Sessions, **options: Any) -> Iterator[TrinoDoor]:
    with TrinoDoor(handler=handler, sessions=sessions, authenticator=authenticator(Auth(providers=(USERS,))), **options) as door:
        yield door


@contextmanager
def tls_door(handler: QueryHandler, sessions: Sessions, authority: Authority) -> Iterator[TrinoDoor]:
    """Takes passwords, and certificates of clients that show one."""
    pair = authority.server()
    settings = Coordinator(tls_cert=pair.certificate, tls_key=pair.key, tls_client_auth="optional", tls_client_ca=authority.file)
    chain = authenticator(Auth(providers=(USERS, MtlsProvider((MtlsRule("cn", "svc-*", "$1", ("service",)),)))))
    tls = Certificates(settings, ["http/1.1"], clients=True)
    with TrinoDoor(handler=handler, sessions=sessions, authenticator=chain, tls=tls) as door:
        yield door


MANY = 300_000


def make_many(handler: QueryHandler, sessions: Sessions) -> None:
    """A table with that many rows, made without the door."""
    session = sessions.open(Identity("tester"))
    made = f"CREATE TABLE lake.default.many AS SELECT id, CAST(id AS STRING) AS text FROM range({MANY})"
    handler.submit(session, made, door="test").close()


class Client:
    """One client that looks at every answer."""

    def __init__(self, door: TrinoDoor, who: tuple[str, str] | None = ALICE, **headers: str) -> None:
        self.base = f"http://127.0.0.1:{door.port}"
        given = {f"X-Trino-{name.replace('_', '-')}": value for name, value in headers.items()}
        self.http = httpx.Client(auth=who, headers=given, timeout=30, trust_env=False)

    def post(self, sql: str, **headers: str) -> httpx.Response:
        given = {f"X-Trino-{name.replace('_', '-')}": value for name, value in headers.items()}
        return self.http.post(f"{self.base}/v1/statement", content=sql.encode(), headers=given)

    def pages(self, answer: httpx.Response) -> Iterator[httpx.Response]:
        """All answers to a statement, the first one too."""
        yield answer
        while (following := answer.json().get("nextUri")) is not None:
            answer = self.http.get(following)
            assert answer.status_code == 200, answer.text
            yield answer

    def run(self, sql: str, **headers: str) -> Ran:
        return Ran(list(self.pages(self.post(sql, **headers))))

    def close(self) -> None:
        self.http.close()


class Ran:
    def __init__(self, answers: list[httpx.Response]) -> None:
        self.answers = answers
        self.last = answers[-1].json()

    @property
    def rows(self) -> list[list[Any]]:
        return [row for answer in self.answers for row in answer.json().get("data", [])]

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = self.last["error"]
        return found

    def headers(self, name: str) -> list[str]:
        return self.answers[-1].headers.get_list(f"X-Trino-{name}")
