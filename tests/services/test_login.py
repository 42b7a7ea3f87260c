"""Keycloak's realm: every grant that SQE will use gives a token that says who it is and whom it is for."""

from __future__ import annotations

import base64
import hashlib

import httpx
from clients import Login, claims

from dev.services.realm import SHORT_SECONDS


def test_a_password_gives_a_token_with_groups_roles_and_audiences(login: Login) -> None:
    said = claims(login.password("alice"))
    assert said["preferred_username"] == "alice"
    assert said["groups"] == ["analysts"]
    assert said["realm_access"]["roles"] == ["analyst"]
    assert set(said["aud"]) == {"sqe", "lake", "nessie"}
    assert said["iss"] == login.keycloak["issuer"]


def test_a_wrong_password_gives_none(login: Login) -> None:
    answer = login.refused_password("alice", "bob-password")
    assert answer.status_code in (400, 401)
    assert answer.json()["error"] == "invalid_grant"


def test_a_machine_has_a_token_of_its_own(login: Login) -> None:
    said = claims(login.machine("report"))
    assert said["azp"] == "report"
    assert said["realm_access"]["roles"] == ["machine"]


def test_a_short_client_has_tokens_of_a_minute(login: Login) -> None:
    said = claims(login.password("alice", "sqe-short"))
    assert said["exp"] - said["iat"] == SHORT_SECONDS


def test_a_token_for_sqe_alone_can_be_exchanged_for_one_of_the_same_user_for_a_catalog(login: Login) -> None:
    narrow = login.password("alice", "sqe-narrow")
    assert claims(narrow)["aud"] == "sqe"
    exchanged = claims(login.exchange(narrow, "lake"))
    assert exchanged["aud"] == "lake"
    assert exchanged["sub"] == claims(narrow)["sub"]


def test_a_device_gets_a_code_to_show(login: Login) -> None:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(b"verifier" * 8).digest()).rstrip(b"=").decode()
    answer = httpx.post(
        f"{login.keycloak['issuer']}/protocol/openid-connect/auth/device",
        data={"client_id": "sqe-cli", "code_challenge": challenge, "code_challenge_method": "S256"},
        trust_env=False,
        timeout=30,
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["verification_uri_complete"].startswith(login.keycloak["issuer"])
