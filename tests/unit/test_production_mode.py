"""`production_mode` names every weakness at once; the same file without it starts, and so does a sound one with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from argon2 import PasswordHasher
from authority import Authority
from config_files import Written, problems

from sqe.config import load
from sqe.config.production import CHECKS, is_loopback

WEAK = """\
[coordinator]
host = "0.0.0.0"
production_mode = true
[[auth.providers]]
type = "static"
users = [
  { name = "root", password = "plain" },
]
[[auth.providers]]
type = "bearer_token"
issuer = "http://idp.example.com/realms/lake"
user_claim = "sub"
[[auth.providers]]
type = "aws_iam"
server_id = "sqe"
insecure = true
accounts = ["123456789012"]
arn_patterns = [{ arn = "arn:aws:iam::123456789012:user/*" }]
[[auth.providers]]
type = "anonymous"
[catalog]
name = "lake"
type = "rest"
uri = "http://catalog.example.com:8181/api"
auth = "none"
[catalogs.other]
type = "rest"
uri = "https://catalog.example.com"
auth = "static"
token = "t"
[storage]
s3_endpoint = "http://10.0.0.9:9000"
s3_access_key = "a"
s3_secret_key = "b"
[files]
allow_locations = true
[log]
sql = "full"
"""

REFUSED = [
    "2: production_mode refuses plain ports on coordinator.host 0.0.0.0: set coordinator.tls_cert and coordinator.tls_key",
    "7: production_mode refuses the plain password of the static user 'root': write its argon2 hash",
    "9: production_mode refuses auth.providers that take tokens for any audience: set audience",
    "11: production_mode refuses the plain connection to idp.example.com of auth.providers.issuer: use https://",
    "16: production_mode refuses auth.providers with insecure = true",
    "19: production_mode refuses auth.providers of type 'anonymous'",
    "24: production_mode refuses the plain connection to catalog.example.com of catalog.uri: use https://",
    "25: production_mode refuses catalog lake with auth = 'none': it would not learn who asks",
    "29: production_mode refuses catalog other with auth = 'static': it would not learn who asks",
    "32: production_mode refuses the plain connection to 10.0.0.9 of storage.s3_endpoint: use https://",
    "33: production_mode refuses storage.s3_access_key, which all users would share: let the catalog vend keys",
    "36: production_mode refuses files.allow_locations: statements would touch files with the server's account",
    "38: production_mode refuses log.sql = 'full': statements hold personal data",
]


def test_all_weaknesses_are_named_at_once_with_their_lines(written: Written) -> None:
    assert problems(written(WEAK)) == [f"sqe.toml:{each}" for each in REFUSED]


def test_without_the_mode_the_same_file_is_taken(written: Written) -> None:
    assert load(written(WEAK.replace("production_mode = true", "production_mode = false")), {}).coordinator.host == "0.0.0.0"


def test_a_private_key_that_everybody_can_read_is_refused(written: Written, tmp_path: Path) -> None:
    pair = Authority(tmp_path).server()
    sound = f"""\
        [coordinator]
        host = "0.0.0.0"
        production_mode = true
        tls_cert = "{pair.certificate}"
        tls_key = "{pair.key}"
        [[auth.providers]]
        type = "static"
        users = [{{ name = "root", password = "{PasswordHasher().hash("secret")}" }}]
        [storage]
        s3_endpoint = "http://localhost:9000"
    """
    load(written(sound), {})
    pair.key.chmod(0o644)
    assert problems(written(sound)) == [
        "sqe.toml:5: production_mode refuses coordinator.tls_key server-key.pem, which every user of this machine can read"
    ]


def test_the_mode_can_be_forced_from_outside(written: Written) -> None:
    text = "[[auth.providers]]\ntype = 'anonymous'"
    found = problems(written(text), {"SQE_COORDINATOR__PRODUCTION_MODE": "true"})
    assert found == ["sqe.toml:1: production_mode refuses auth.providers of type 'anonymous'"]


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
        ("", False),
    ],
)
def test_what_counts_as_this_machine(host: str, local: bool) -> None:
    assert is_loopback(host) == local


def test_the_documentation_lists_what_is_refused() -> None:
    page = (Path(__file__).parents[2] / "docs/tls.md").read_text(encoding="utf-8")
    assert [check.refuses for check in CHECKS if f"- {check.refuses}\n" not in page] == []
