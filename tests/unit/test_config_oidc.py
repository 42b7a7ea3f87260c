"""Settings for identity providers: the short form of the samples, defaults, and what is refused."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from config_files import Written, problems

from sqe.config import Duration, Secret, load, load_with_origins
from sqe.config.providers import ALGORITHMS, BearerTokenProvider, ClientCredentialsProvider, OidcPasswordProvider
from sqe.config.show import effective
from sqe.identity.authenticator import authenticator
from sqe.identity.catalogs import ExchangedToken, SessionBearer, SharedToken, catalog_identities, shared_identities

POLARIS = """\
[auth]
token_endpoint = "http://localhost:18181/api/catalog/v1/oauth/tokens"
client_id = "root"
[catalog]
polaris_url = "http://localhost:18181/api/catalog"
warehouse = "test_warehouse"
[storage]
s3_endpoint = "http://localhost:19000"
s3_region = "us-east-1"
s3_path_style = true
"""

BEARER = """\
[[auth.providers]]
type = "bearer_token"
issuer = "https://idp.example.com/realms/lake"
audience = "sqe"
user_claim = "preferred_username"
roles_claim = "realm_access.roles"
"""


def test_the_sample_with_polaris_loads_as_written(written: Written) -> None:
    settings = load(written(POLARIS), {})
    client, password = settings.auth.providers
    assert isinstance(client, ClientCredentialsProvider)
    assert (client.clients, client.token_endpoint, client.scope) == (
        ("root",),
        "http://localhost:18181/api/catalog/v1/oauth/tokens",
        "PRINCIPAL_ROLE:ALL",
    )
    assert isinstance(password, OidcPasswordProvider)
    assert password.client_id == "root"
    assert isinstance(catalog_identities(settings)["test_warehouse"], SessionBearer)


def test_the_sample_with_a_bearer_loads_as_written(written: Written) -> None:
    (provider,) = load(written(BEARER), {}).auth.providers
    assert provider == BearerTokenProvider(issuer="https://idp.example.com/realms/lake", audience=("sqe",))
    assert provider.clock_skew == Duration(30)


def test_providers_that_are_listed_are_the_only_ones(written: Written) -> None:
    """`[auth]` then says where catalogs' tokens are had; it opens no door for passwords."""
    text = '[auth]\nissuer = "https://idp.example.com"\nclient_id = "sqe"\nclient_secret = "x"\n' + BEARER
    (provider,) = load(written(text), {}).auth.providers
    assert isinstance(provider, BearerTokenProvider)


def test_no_provider_asks_anybody_before_a_log_in(written: Written) -> None:
    every = (
        BEARER
        + """
[[auth.providers]]
type = "token_exchange"
issuer = "https://idp.invalid"
client_id = "sqe"
request_audience = "lake"
[[auth.providers]]
type = "client_credentials"
issuer = "https://idp.invalid"
clients = ["etl-*"]
[[auth.providers]]
type = "oidc_password"
issuer = "https://idp.invalid"
client_id = "sqe"
client_secret = { env = "SQE_CLIENT_SECRET" }
"""
    )
    loaded = load_with_origins(written(every), {"SQE_CLIENT_SECRET": "hush"})
    authenticator(loaded.settings.auth)
    assert "hush" not in effective(loaded)


CATALOG = '[catalog]\ntype = "rest"\nuri = "http://127.0.0.1:1"\nname = "lake"\n'
CLIENT = '[auth]\nissuer = "https://idp.example.com"\nclient_id = "sqe"\nclient_secret = "x"\n'

REFUSED = {
    "bearers of nobody": (
        "[[auth.providers]]\ntype = 'bearer_token'",
        ":1: auth.providers of type 'bearer_token' needs the key 'issuer' (or 'jwks_url')",
    ),
    "passwords of nobody": (
        "[[auth.providers]]\ntype = 'oidc_password'\nclient_id = 'sqe'",
        ":1: auth.providers of type 'oidc_password' needs the key 'issuer' (or 'token_endpoint')",
    ),
    "passwords without a client": (
        "[[auth.providers]]\ntype = 'oidc_password'\nissuer = 'https://x'",
        ":1: auth.providers needs the key 'client_id'",
    ),
    "an exchange of what cannot be verified": (
        "[[auth.providers]]\ntype = 'token_exchange'\nclient_id = 'sqe'\ntoken_endpoint = 'https://x/token'",
        ":1: auth.providers of type 'token_exchange' needs the key 'issuer' (or 'jwks_url')",
    ),
    "signatures by passwords": (
        f"{BEARER}algorithms = ['HS256']",
        f":7: auth.providers.algorithms must be one of {', '.join(ALGORITHMS)}, not 'HS256'",
    ),
    "no signatures": (f"{BEARER}algorithms = []", ":7: auth.providers.algorithms must not be empty"),
    "clocks of different days": (f"{BEARER}clock_skew = '1h'", ":7: auth.providers.clock_skew must be between 0s and 5m, not 1h"),
    "users behind one that takes all": (
        "[[auth.providers]]\ntype = 'oidc_password'\nissuer = 'https://x'\nclient_id = 'sqe'\n"
        "[[auth.providers]]\ntype = 'static'\nusers = [{ name = 'a', password = 'x' }]",
        ":5: auth.providers of type 'static' is never asked: 'oidc_password' before it takes every name",
    ),
    "the short form without a client": ("[auth]\nissuer = 'https://x'", ":2: auth.issuer needs the key 'client_id'"),
    "the short form without a place": (
        "[auth]\nclient_id = 'sqe'",
        ":2: auth.client_id needs the key 'issuer' (or 'token_endpoint')",
    ),
    "an exchange for nobody": (
        f"{CATALOG}auth = 'token_exchange'\n{CLIENT}",
        ":5: catalog with auth = 'token_exchange' needs the key 'audience' (or 'scope')",
    ),
    "an exchange nowhere": (
        f"{CATALOG}auth = 'token_exchange'\naudience = 'lake'\nclient_id = 'sqe'",
        ":5: catalog with auth = 'token_exchange' needs the key 'token_endpoint', or that of [auth]",
    ),
    "a shared client without a secret": (
        f"{CATALOG}auth = 'client_credentials'\ntoken_endpoint = 'https://x'\nclient_id = 'sqe'",
        ":5: catalog with auth = 'client_credentials' needs the key 'client_secret'",
    ),
    "another client without its secret": (
        f"{CATALOG}auth = 'client_credentials'\nclient_id = 'other'\n{CLIENT}",
        ":5: catalog with auth = 'client_credentials' needs the key 'client_secret'",
    ),
    "an audience that nobody asks for": (
        f"{CATALOG}audience = 'lake'",
        ":5: catalog.audience is not used with auth = 'session_bearer'",
    ),
}


@pytest.mark.parametrize(("text", "problem"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_file_is_refused_with_its_line(written: Written, text: str, problem: str) -> None:
    assert problems(written(text)) == [f"sqe.toml{problem}"]


SHARED = f"""{CATALOG}auth = "none"
[catalogs.own]
type = "rest"
uri = "http://127.0.0.1:1"
[catalogs.exchanged]
type = "rest"
uri = "http://127.0.0.1:1"
auth = "token_exchange"
audience = "lake"
[catalogs.machine]
type = "rest"
uri = "http://127.0.0.1:1"
auth = "client_credentials"
[catalogs.fixed]
type = "rest"
uri = "http://127.0.0.1:1"
auth = "static"
token = "t"
[catalogs.files]
path = "./files"
{CLIENT}"""


def test_each_mode_has_its_identity(written: Written) -> None:
    found = catalog_identities(load(written(SHARED), {}))
    assert {name: (type(each).__name__, each.personal) for name, each in found.items()} == {
        "own": (SessionBearer.__name__, True),
        "exchanged": (ExchangedToken.__name__, True),
        "machine": (SharedToken.__name__, False),
        "fixed": ("StaticToken", False),
    }


def test_catalogs_that_do_not_learn_who_asks_are_told_by_name(written: Written) -> None:
    said = list(shared_identities(load(written(SHARED), {})))
    assert [sentence.split()[1] for sentence in said] == ["lake", "machine", "fixed"]
    assert said[1] == "catalog machine has auth = 'client_credentials': it sees one identity for all users of this server"


def test_an_issuer_without_tls_is_told_at_the_start(written: Written, caplog: pytest.LogCaptureFixture) -> None:
    plain = BEARER.replace("https://idp.example.com", "http://user:hush@idp.example.com:8080")
    with caplog.at_level(logging.WARNING):
        authenticator(load(written(plain), {}).auth)
    (record,) = caplog.records
    assert record.getMessage() == (
        "the identity provider at http://idp.example.com:8080 is asked without TLS: others can read and change it"
    )


def test_a_clients_secret_is_never_shown(written: Written) -> None:
    settings = load(written(CLIENT), {})
    assert settings.auth.client_secret == Secret("x")
    assert "'x'" not in repr(settings.auth)


PAGE = (Path(__file__).parents[2] / "docs" / "authentication.md").read_text(encoding="utf-8")
EXAMPLES = [text for text in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "idp.example.com" in text or "[auth]" in text]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: " ".join(re.findall(r'(?:type|auth) = "(\w+)"', text)) or "short")
def test_the_examples_of_the_documentation_load(written: Written, example: str) -> None:
    settings = load(written(example), {"SQE_CLIENT_SECRET": "hush"})
    assert settings.auth.providers
    authenticator(settings.auth)
