"""Keycloak's own API, for people who come, change and go while others look."""

from __future__ import annotations

import secrets
from typing import Any

import httpx

from dev.services.service import Address


class Administrator:
    """Makes and changes a person of the realm, by Keycloak's own API."""

    def __init__(self, keycloak: Address) -> None:
        self._keycloak = keycloak
        self.name = f"temporary-{secrets.token_hex(4)}"
        person = {
            "username": self.name,
            "enabled": True,
            "email": f"{self.name}@example.org",
            "firstName": "Some",
            "lastName": "Body",
            "credentials": [{"type": "password", "value": f"{self.name}-password", "temporary": False}],
        }
        self.url = str(self.ask("POST", f"{self._realm}/users", person).headers["Location"])

    @property
    def _realm(self) -> str:
        return f"{self._keycloak['url']}/admin/realms/sqe"

    def ask(self, method: str, url: str, body: Any = None) -> httpx.Response:
        form = {
            "grant_type": "password",
            "client_id": "admin-cli",
            "username": self._keycloak["admin_user"],
            "password": self._keycloak["admin_password"],
        }
        token_url = f"{self._keycloak['url']}/realms/master/protocol/openid-connect/token"
        token = httpx.post(token_url, data=form, trust_env=False, timeout=30).json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        response = httpx.request(method, url, json=body, headers=headers, trust_env=False, timeout=30)
        assert response.is_success, response.text
        return response

    def give_role(self, role: str) -> None:
        described = self.ask("GET", f"{self._realm}/roles/{role}").json()
        self.ask("POST", f"{self.url}/role-mappings/realm", [described])

    def disable(self) -> None:
        self.ask("PUT", self.url, {"enabled": False})

    def give_tokens_of(self, seconds: int, client: str) -> None:
        """How long the client's access tokens live from now on."""
        (found,) = self.ask("GET", f"{self._realm}/clients?clientId={client}").json()
        found["attributes"]["access.token.lifespan"] = str(seconds)
        self.ask("PUT", f"{self._realm}/clients/{found['id']}", found)

    def log_out(self) -> None:
        self.ask("POST", f"{self.url}/logout")
