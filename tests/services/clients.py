"""The smallest clients of an identity provider and of an Iceberg REST catalog: one HTTP request a method, nothing hidden."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from dev.services.realm import secret_of
from dev.services.s3 import Keys, client
from dev.services.service import Address

Json = dict[str, Any]
Addresses = dict[str, Address]

SCHEMA: Json = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "amount", "type": "long", "required": False}]}

SUBJECT_KIND = "urn:ietf:params:oauth:token-type:access_token"

VENDED = {"X-Iceberg-Access-Delegation": "vended-credentials"}


@dataclass(frozen=True)
class Login:
    """Grants of the realm `sqe`."""

    keycloak: Address

    def password(self, user: str, client_id: str = "sqe") -> str:
        return self.token(grant_type="password", username=user, password=f"{user}-password", **_client(client_id))

    def refused_password(self, user: str, password: str) -> httpx.Response:
        return self.ask(grant_type="password", username=user, password=password, **_client("sqe"))

    def machine(self, client_id: str) -> str:
        return self.token(grant_type="client_credentials", **_client(client_id))

    def exchange(self, token: str, audience: str) -> str:
        return self.token(
            grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
            subject_token=token,
            subject_token_type=SUBJECT_KIND,
            audience=audience,
            **_client("sqe"),
        )

    def token(self, **form: str) -> str:
        answer = self.ask(**form)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    def ask(self, **form: str) -> httpx.Response:
        return httpx.post(self.keycloak["token"], data=form, trust_env=False, timeout=30)


def _client(client_id: str) -> dict[str, str]:
    public = client_id in ("sqe-cli", "sqe-narrow")
    return {"client_id": client_id} if public else {"client_id": client_id, "client_secret": secret_of(client_id)}


def claims(token: str) -> Json:
    body = token.split(".")[1]
    content: Json = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return content


@dataclass(frozen=True)
class Catalog:
    """The catalog as one user sees it."""

    address: Address
    token: str | None
    prefix: str = "lake"

    def ask(self, method: str, path: str, body: Json | None = None, headers: dict[str, str] | None = None) -> httpx.Response:
        authorization = {"Authorization": f"Bearer {self.token}"} if self.token is not None else {}
        url = f"{self.address['iceberg']}/v1{f'/{self.prefix}' if self.prefix else ''}{path}"
        return httpx.request(method, url, json=body, headers=authorization | (headers or {}), trust_env=False, timeout=60)

    def create_namespace(self, name: str) -> httpx.Response:
        return self.ask("POST", "/namespaces", {"namespace": [name]})

    def create(self, namespace: str, table: str, **more: Any) -> httpx.Response:
        # Nessie 0.99 wants stage-create, which the specification calls optional.
        body = {"name": table, "schema": SCHEMA, "stage-create": False, **more}
        return self.ask("POST", f"/namespaces/{namespace}/tables", body, VENDED)

    def load(self, namespace: str, table: str) -> httpx.Response:
        return self.ask("GET", f"/namespaces/{namespace}/tables/{table}", headers=VENDED)

    def namespaces(self) -> set[str]:
        return {".".join(name) for name in self.ask("GET", "/namespaces").json()["namespaces"]}

    def tables(self, namespace: str) -> set[str]:
        found = self.ask("GET", f"/namespaces/{namespace}/tables").json()["identifiers"]
        return {identifier["name"] for identifier in found}

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"Bearer {self.token}".encode()).hexdigest()


def store_of(loaded: httpx.Response) -> Any:
    """An S3 client with the keys that came with a table."""
    config = loaded.json()["config"]
    keys = Keys(config["s3.access-key-id"], config["s3.secret-access-key"], config["s3.session-token"])
    return client("s3", config["s3.endpoint"], keys, config["client.region"])


def log_lines(path: str) -> list[Json]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]
