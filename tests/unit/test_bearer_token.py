"""Tokens that clients bring: the issuer's own good ones get in, everything else does not, and nobody learns why."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from identity_provider import DESCRIPTION, KEYS, IdentityProvider, SigningPair, answer, segment

from sqe.config.providers import AnonymousProvider, BearerTokenProvider, StaticProvider, StaticUser
from sqe.config.sections import Auth
from sqe.config.values import Duration, Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import authenticator
from sqe.identity.bearer_token import BearerToken
from sqe.identity.login import Login
from sqe.identity.oidc import http, signing_keys
from sqe.identity.oidc.discovery import fixed
from sqe.identity.oidc.http import Http
from sqe.identity.oidc.signing_keys import SigningKeys
from sqe.identity.provider import Bearer, Nothing, Password, Rejected


@dataclass(frozen=True)
class Later:
    """A moment this many seconds after the test began: tables like those below are made long before, at import."""

    seconds: float
    as_claim: Callable[[float], Any] = lambda at: at


def said(claims: dict[str, Any]) -> dict[str, Any]:
    now = int(time.time())
    return {name: claim.as_claim(now + claim.seconds) if isinstance(claim, Later) else claim for name, claim in claims.items()}


def provider(idp: IdentityProvider, **settings: Any) -> BearerToken:
    return BearerToken(BearerTokenProvider(**({"issuer": idp.url, "audience": ("sqe",)} | settings)), Http())


def identify(provider: BearerToken, token: str) -> Login | None:
    return provider.identify(Bearer(Secret(token)))


def test_a_good_token_is_its_user_with_roles_and_groups_until_it_ends(idp: IdentityProvider) -> None:
    end = int(time.time()) + 300
    token = idp.token(exp=end)
    login = identify(provider(idp), token)
    assert login is not None
    assert login.identity == Identity("alice", frozenset({"analyst"}), frozenset({"eu"}), "bearer_token", "alice-1")
    assert login.tokens is not None
    assert login.tokens.access.reveal() == token
    assert login.tokens.expires_at == end + 30
    assert login.renewer is None


GOOD: dict[str, dict[str, Any]] = {
    "Keycloak's access token, also with a nonce": {"typ": "Bearer", "nonce": "n"},
    "Cognito's access token": {"token_use": "access"},
    "one of several audiences": {"aud": ["account", "sqe"]},
    "expired within the clocks' difference": {"exp": Later(-20)},
    "issued within the clocks' difference": {"iat": Later(20), "nbf": Later(20)},
    "fractions of a second": {"exp": Later(300.5)},
    "no roles and no groups": {"realm_access": None, "groups": None},
    "no subject": {"sub": None},
    "one group as a text": {"groups": "eu"},
}


@pytest.mark.parametrize("changes", GOOD.values(), ids=GOOD.keys())
def test_tokens_that_are_unusual_but_right_get_in(idp: IdentityProvider, changes: dict[str, Any]) -> None:
    login = identify(provider(idp), idp.token(**said(changes)))
    assert login is not None
    assert login.identity.user == "alice"


WRONG_CLAIMS: dict[str, dict[str, Any]] = {
    "Keycloak's ID token": {"typ": "ID"},
    "Keycloak's refresh token": {"typ": "Refresh"},
    "Cognito's ID token": {"token_use": "id"},
    "an ID token, by the hash of its access token": {"at_hash": "u1gnWZ2wtB0E-Qf6QirS_Q"},
    "an ID token, by its nonce": {"nonce": "n"},
    "of a kind that is no text": {"typ": ["Bearer"]},
    "expired": {"exp": Later(-31)},
    "no expiry": {"exp": None},
    "expiry as a text": {"exp": Later(300, str)},
    "expiry as a boolean": {"exp": True},
    "expiry beyond all numbers": {"exp": 10**400},
    "expiry as a list": {"exp": Later(300, lambda at: [at])},
    "not valid yet": {"nbf": Later(90)},
    "not-before as a text": {"nbf": "0"},
    "issued in the future": {"iat": Later(90)},
    "another audience": {"aud": "lake"},
    "other audiences": {"aud": ["lake", "nessie"]},
    "no audience": {"aud": None},
    "an audience with more letters": {"aud": "sqe-admin"},
    "audiences that are no texts": {"aud": ["sqe", 7]},
    "audience as an object": {"aud": {"sqe": True}},
    "issuer as a list": {"iss": ["http://127.0.0.1"]},
    "no user": {"preferred_username": None},
    "empty user": {"preferred_username": ""},
    "user as a number": {"preferred_username": 7},
    "user as a list": {"preferred_username": ["alice"]},
    "user with a line break": {"preferred_username": "alice\nadmin"},
    "user with a null": {"preferred_username": "alice\0"},
    "user with blanks around": {"preferred_username": " alice"},
    "endless user": {"preferred_username": "a" * 257},
    "subject as a number": {"sub": 7},
    "roles as a number": {"realm_access": {"roles": 7}},
    "roles as an object": {"realm_access": {"roles": {"admin": True}}},
    "roles that are no texts": {"realm_access": {"roles": ["analyst", None]}},
    "groups as a boolean": {"groups": True},
    "groups that were left out": {"groups": None, "_claim_names": {"groups": "src1"}},
}


@pytest.mark.parametrize("changes", WRONG_CLAIMS.values(), ids=WRONG_CLAIMS.keys())
def test_well_signed_tokens_with_wrong_claims_are_rejected(idp: IdentityProvider, changes: dict[str, Any]) -> None:
    with pytest.raises(Rejected):
        identify(provider(idp), idp.token(**said(changes)))


def _resigned(idp: IdentityProvider, header: dict[str, Any], signature: str = "") -> str:
    claims = segment(json.dumps(idp.claims(preferred_username="root")).encode())
    return f"{segment(json.dumps(header).encode())}.{claims}.{signature}"


def _other_claims_under_a_good_signature(idp: IdentityProvider) -> str:
    _, _, signature = idp.token().split(".")
    return _resigned(idp, {"alg": "RS256", "kid": "first"}, signature)


def _signed_with_the_public_key_as_a_password(idp: IdentityProvider) -> str:
    import hashlib
    import hmac

    unsigned = _resigned(idp, {"alg": "HS256", "kid": "first"})[:-1]
    return f"{unsigned}.{segment(hmac.new(idp.pair.public_pem, unsigned.encode(), hashlib.sha256).digest())}"


def _with_its_own_key_inside(idp: IdentityProvider) -> str:
    stranger = SigningPair("first")
    return stranger.signed(idp.claims(), jwk=stranger.published)


def _with_a_key_to_fetch(idp: IdentityProvider) -> str:
    stranger = SigningPair("stranger")
    idp.answers["/strangers-keys"] = lambda _: answer(keys=[stranger.published])
    return stranger.signed(idp.claims(), jku=f"{idp.url}/strangers-keys", x5u=f"{idp.url}/strangers-keys")


def _signed_raw(idp: IdentityProvider, payload: bytes, **header: Any) -> str:
    return jwt.PyJWS().encode(payload, idp.pair.private, "RS256", {"kid": "first", **header})


def _twice(idp: IdentityProvider, claim: str) -> bytes:
    return json.dumps(idp.claims()).encode()[:-1] + claim.encode() + b"}"


FORGED: dict[str, Callable[[IdentityProvider], str]] = {
    "claims that were changed": _other_claims_under_a_good_signature,
    "signature that was changed": lambda idp: idp.token()[:-8] + "AAAAAAAA",
    "no signature": lambda idp: idp.token().rpartition(".")[0] + ".",
    "algorithm none": lambda idp: _resigned(idp, {"alg": "none", "kid": "first"}),
    "algorithm None": lambda idp: _resigned(idp, {"alg": "nOnE", "kid": "first"}),
    "algorithm as a list": lambda idp: _resigned(idp, {"alg": ["RS256"], "kid": "first"}),
    "the public key as a password": _signed_with_the_public_key_as_a_password,
    "another key under the issuer's name": lambda idp: SigningPair("first").signed(idp.claims()),
    "a key of its own in the header": _with_its_own_key_inside,
    "a key to fetch": _with_a_key_to_fetch,
    "an elliptic key under the name of the other": lambda idp: SigningPair("first", curve=ec.SECP256R1()).signed(idp.claims()),
    "a key nobody has": lambda idp: SigningPair("elsewhere").signed(idp.claims()),
    "key name as a number": lambda idp: _resigned(idp, {"alg": "RS256", "kid": 7}),
    "something critical": lambda idp: idp.pair.signed(idp.claims(), crit=["exp"]),
    "an unencoded payload": lambda idp: _resigned(idp, {"alg": "RS256", "kid": "first", "b64": False, "crit": ["b64"]}),
    "a logout token": lambda idp: idp.pair.signed(idp.claims(), typ="logout+jwt"),
    "claims twice": lambda idp: _signed_raw(idp, _twice(idp, ', "preferred_username": "root"')),
    "inner claims twice": lambda idp: _signed_raw(idp, _twice(idp, ', "x": {"a": 1, "a": 2}')),
    "claims that are a list": lambda idp: _signed_raw(idp, b"[1]"),
    "claims that are not UTF-8": lambda idp: _signed_raw(idp, b'{"iss": "\xff"}'),
    "claims that are not JSON": lambda idp: _signed_raw(idp, b"iss"),
    "claims with NaN": lambda idp: _signed_raw(idp, _twice(idp, ', "nbf": NaN')),
    "claims nested without end": lambda idp: _signed_raw(idp, b'{"a":' * 3000 + b"1" + b"}" * 3000),
    "over-long": lambda idp: idp.token(padding="x" * 40_000),
    "over-long nothing": lambda idp: "x" * 10_000_000,
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED.keys())
def test_forged_and_broken_tokens_are_rejected(idp: IdentityProvider, forge: Callable[[IdentityProvider], str]) -> None:
    with pytest.raises(Rejected):
        identify(provider(idp), forge(idp))
    assert idp.count("/strangers-keys") == 0


NOT_MINE: dict[str, Callable[[IdentityProvider], str]] = {
    "nothing": lambda _: "",
    "an API key": lambda _: "sqe_0123456789",
    "three words": lambda _: "one.two.three",
    "two parts": lambda idp: idp.token().rpartition(".")[0],
    "an encrypted token": lambda idp: f"{idp.token()}.more.parts",
    "another issuer's": lambda idp: idp.token(iss="https://idp.example.com"),
    "an issuer that begins like ours": lambda idp: idp.token(iss=f"{idp.url}.example.com"),
    "nobody's": lambda idp: idp.token(iss=None),
    "bytes that are not UTF-8": lambda idp: idp.token() + "\udcff",
    "letters that are not ASCII": lambda idp: idp.token() + "ü",
    "line breaks": lambda idp: idp.token() + "\r\nX-Admin: 1",
    "a header that is not JSON": lambda _: f"{segment(b'alg')}.{segment(b'{}')}.AA",
    "a header that is a list": lambda _: f"{segment(b'[]')}.{segment(b'{}')}.AA",
}


@pytest.mark.parametrize("make", NOT_MINE.values(), ids=NOT_MINE.keys())
def test_what_is_not_this_issuers_goes_on_to_the_next_provider(
    idp: IdentityProvider, make: Callable[[IdentityProvider], str]
) -> None:
    assert identify(provider(idp), make(idp)) is None
    assert idp.asked == []


def test_only_bearers_are_its_own(idp: IdentityProvider) -> None:
    tokens = provider(idp)
    assert tokens.identify(Password("alice", Secret(idp.token()))) is None
    assert tokens.identify(Nothing()) is None


def test_whatever_is_wrong_clients_read_the_same_sentence(idp: IdentityProvider) -> None:
    settings = BearerTokenProvider(issuer=idp.url, audience=("sqe",))
    chain = authenticator(Auth(providers=(settings, StaticProvider((StaticUser("a", Secret("b")),)), AnonymousProvider())))
    for token in (
        idp.token(exp=int(time.time()) - 999),
        idp.token(aud="lake"),
        SigningPair("first").signed(idp.claims()),
        "no token",
    ):
        with pytest.raises(SqeError) as caught:
            chain.log_in(Bearer(Secret(token)))
        assert str(caught.value) == f"{AUTHENTICATION_FAILED.name}: Authentication failed"


def test_nothing_of_a_token_is_logged(idp: IdentityProvider, caplog: pytest.LogCaptureFixture) -> None:
    token = idp.token(aud="lake", remark="sensitive")
    with caplog.at_level("DEBUG"), pytest.raises(Rejected):
        identify(provider(idp), token)
    said = " ".join(str(record.__dict__) + record.getMessage() for record in caplog.records if record.name.startswith("sqe"))
    assert "another audience" in said
    assert not [part for part in (*token.split("."), "sensitive") if part in said]


def test_claims_are_found_where_the_settings_say(idp: IdentityProvider) -> None:
    where = {"user_claim": "sub", "roles_claim": "https://example.com/roles", "groups_claim": "resource_access.my.app.groups"}
    token = idp.token(**{"https://example.com/roles": ["dba"], "resource_access": {"my.app": {"groups": ["emea"]}}})
    login = identify(provider(idp, **where), token)
    assert login is not None
    assert (login.identity.user, login.identity.roles, login.identity.groups) == ("alice-1", {"dba"}, {"emea"})


def test_a_list_in_oauths_own_form_is_a_list(idp: IdentityProvider) -> None:
    login = identify(provider(idp, roles_claim="scope"), idp.token(scope="read write"))
    assert login is not None
    assert login.identity.roles == {"read", "write"}


def test_without_an_audience_in_the_settings_any_is_taken(idp: IdentityProvider) -> None:
    assert identify(provider(idp, audience=()), idp.token(aud=None)) is not None


def test_the_clocks_difference_is_a_setting(idp: IdentityProvider) -> None:
    with pytest.raises(Rejected):
        identify(provider(idp, clock_skew=Duration(0)), idp.token(exp=int(time.time()) - 5))


def test_the_algorithms_can_be_fewer(idp: IdentityProvider) -> None:
    with pytest.raises(Rejected):
        identify(provider(idp, algorithms=("ES256",)), idp.token())


def test_an_issuers_name_may_end_with_a_slash_that_the_settings_leave_out(idp: IdentityProvider) -> None:
    idp.answers[DESCRIPTION] = lambda _: answer(issuer=f"{idp.url}/", jwks_uri=idp.url + KEYS)
    assert identify(provider(idp), idp.token(iss=f"{idp.url}/")) is not None


def test_keys_can_be_had_without_discovery(idp: IdentityProvider) -> None:
    tokens = provider(idp, jwks_url=idp.url + KEYS)
    assert identify(tokens, idp.token()) is not None
    assert idp.count(DESCRIPTION) == 0
    alone = provider(idp, jwks_url=idp.url + KEYS, issuer=None)
    assert identify(alone, idp.token(iss="whoever")) is not None


def test_elliptic_keys_do_too(idp: IdentityProvider) -> None:
    idp.pair = SigningPair("curve", curve=ec.SECP256R1())
    idp.published = [idp.pair.published]
    assert identify(provider(idp), idp.token()) is not None


def test_a_token_that_names_no_key_is_the_only_ones(idp: IdentityProvider) -> None:
    unnamed = jwt.encode(idp.claims(), idp.pair.private, "RS256")
    assert identify(provider(idp), unnamed) is not None
    idp.published.append(SigningPair("second").published)
    with pytest.raises(Rejected):
        identify(provider(idp), unnamed)


UNUSABLE: dict[str, Callable[[IdentityProvider], dict[str, Any]]] = {
    "for encryption": lambda idp: {**idp.pair.published, "use": "enc"},
    "for another algorithm": lambda idp: {**idp.pair.published, "alg": "PS256"},
    "for passwords": lambda idp: {**idp.pair.published, "alg": "HS256"},
    "a password": lambda _: {"kty": "oct", "kid": "first", "k": segment(b"x" * 64)},
    "no key": lambda _: {"kid": "first"},
    "broken": lambda idp: {**idp.pair.published, "n": "AQAB"},
}


@pytest.mark.parametrize("publish", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_keys_that_are_not_for_this_are_not_used(
    idp: IdentityProvider, publish: Callable[[IdentityProvider], dict[str, Any]]
) -> None:
    idp.published = [publish(idp), SigningPair("second", curve=ec.SECP256R1()).published]
    with pytest.raises(Rejected):
        identify(provider(idp), idp.token())


@pytest.mark.filterwarnings("ignore::jwt.InsecureKeyLengthWarning")
def test_keys_that_are_too_short_are_not_used(idp: IdentityProvider) -> None:
    idp.pair = SigningPair("short", bits=1024)
    idp.published = [idp.pair.published]
    with pytest.raises(Rejected):
        identify(provider(idp), idp.token())


# Rotation, and the number of requests


def test_a_token_is_verified_once_and_keys_are_fetched_once(idp: IdentityProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens, token = provider(idp), idp.token()
    assert identify(tokens, token) is not None
    # Whoever verified again would need a signature that is right.
    monkeypatch.setattr(jwt.PyJWS, "decode_complete", lambda *_, **__: pytest.fail("it was verified again"))
    assert identify(tokens, token) is not None
    assert (idp.count(KEYS), idp.count(DESCRIPTION)) == (1, 1)


def test_what_was_verified_still_expires(idp: IdentityProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    end = int(time.time()) + 60
    tokens, token = provider(idp), idp.token(exp=end)
    assert identify(tokens, token) is not None
    monkeypatch.setattr(tokens._verifier, "_clock", lambda: end + 31)
    with pytest.raises(Rejected):
        identify(tokens, token)


class Ticking:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def keys_of(idp: IdentityProvider, clock: Ticking) -> SigningKeys:
    return SigningKeys(fixed(jwks=idp.url + KEYS), Http(clock), clock)


def test_a_new_key_is_looked_up_and_an_old_one_forgotten(idp: IdentityProvider) -> None:
    clock = Ticking()
    keys = keys_of(idp, clock)
    assert keys.key("first", "RS256") is not None
    idp.published = [SigningPair("second").published]
    clock.now += signing_keys.PAUSE_SECONDS
    assert keys.key("second", "RS256") is not None
    assert keys.key("first", "RS256") is None


def test_a_withdrawn_key_takes_what_it_signed_with_it(idp: IdentityProvider) -> None:
    tokens, token = provider(idp), idp.token()
    assert identify(tokens, token) is not None
    clock = Ticking()
    keys = tokens._issuer._keys
    assert keys is not None
    clock.now = time.monotonic() + signing_keys.LIFE_SECONDS
    keys._clock = clock
    idp.published = [SigningPair("second").published]
    with pytest.raises(Rejected):
        identify(tokens, token)


def test_a_flood_of_unknown_keys_reaches_the_issuer_once_in_ten_seconds(idp: IdentityProvider) -> None:
    tokens = provider(idp)
    assert identify(tokens, idp.token()) is not None
    stranger = SigningPair("stranger")

    def attempt(number: int) -> None:
        with pytest.raises(Rejected):
            identify(tokens, stranger.signed(idp.claims(), kid=f"garbage-{number}"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(attempt, range(200)))
    assert idp.count(KEYS) <= 2
    assert identify(tokens, idp.token(sub="after the flood")) is not None


def test_known_keys_outlast_the_issuer(idp: IdentityProvider) -> None:
    clock = Ticking()
    keys = keys_of(idp, clock)
    assert keys.key("first", "RS256") is not None
    idp.stop()
    clock.now += signing_keys.LIFE_SECONDS + 1
    assert keys.key("first", "RS256") is not None
    with pytest.raises(SqeError) as caught:  # whether this one is the issuer's nobody can say now
        keys.key("second", "RS256")
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    clock.now += signing_keys.LONGEST_OUTAGE_SECONDS
    with pytest.raises(SqeError):
        keys.key("first", "RS256")


# Outages: one clear sentence, soon, and never a rejection or a weaker provider


BROKEN: dict[str, Callable[[IdentityProvider], object]] = {
    "it is down": lambda idp: idp.stop(),
    "it answers 500": lambda idp: idp.answers.update({DESCRIPTION: lambda _: answer(500)}),
    "it answers 404": lambda idp: idp.answers.pop(DESCRIPTION),
    "it answers garbage": lambda idp: idp.answers.update({DESCRIPTION: lambda _: (200, b"<html>")}),
    "it answers without end": lambda idp: idp.answers.update({DESCRIPTION: lambda _: (200, b'"' + b"x" * 3_000_000)}),
    "it is another one": lambda idp: idp.answers.update({DESCRIPTION: lambda _: answer(issuer="https://evil.example.com")}),
    "it leads elsewhere": lambda idp: idp.answers.update({DESCRIPTION: lambda _: (302, f"{idp.url}{KEYS}".encode())}),
    "it has no keys": lambda idp: idp.answers.update({DESCRIPTION: lambda _: answer(issuer=idp.url)}),
    "its keys are garbage": lambda idp: idp.answers.update({KEYS: lambda _: (200, b"[]")}),
    "its keys answer 500": lambda idp: idp.answers.update({KEYS: lambda _: answer(503)}),
    "its keys are without end": lambda idp: idp.answers.update({KEYS: lambda _: answer(keys=["x" * 3_000_000])}),
}


@pytest.mark.parametrize("break_it", BROKEN.values(), ids=BROKEN.keys())
def test_an_issuer_that_cannot_be_asked_is_an_outage(
    idp: IdentityProvider, break_it: Callable[[IdentityProvider], object]
) -> None:
    token = idp.token()
    break_it(idp)
    began = time.monotonic()
    with pytest.raises(SqeError) as caught:
        identify(provider(idp), token)
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    assert time.monotonic() - began < 5


def test_an_outage_never_falls_through_to_a_weaker_provider(idp: IdentityProvider) -> None:
    token = idp.token()
    idp.stop()
    chain = authenticator(Auth(providers=(BearerTokenProvider(issuer=idp.url), AnonymousProvider())))
    with pytest.raises(SqeError) as caught:
        chain.log_in(Bearer(Secret(token)))
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    assert str(caught.value) == f"IDENTITY_PROVIDER_UNAVAILABLE: The identity provider at {idp.url} does not answer"


def test_an_issuer_that_was_down_at_the_start_is_asked_again(idp: IdentityProvider) -> None:
    describe = idp.answers.pop(DESCRIPTION)
    tokens, token = provider(idp), idp.token()
    keys = tokens._issuer._keys
    assert keys is not None
    with pytest.raises(SqeError):
        identify(tokens, token)
    idp.answers[DESCRIPTION] = describe
    with pytest.raises(SqeError):  # the pause
        identify(tokens, token)
    keys._tried = None
    assert identify(tokens, token) is not None


def test_a_stalled_issuer_costs_one_time_out_and_then_nothing(idp: IdentityProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TOTAL_SECONDS", 0.3)
    release = idp.stall(DESCRIPTION)
    clock = Ticking()
    asking = Http(clock)
    with pytest.raises(SqeError, match="does not answer"):
        asking.get(idp.url + DESCRIPTION)
    with pytest.raises(SqeError, match="does not answer"):
        asking.get(idp.url + KEYS)
    assert idp.count(KEYS) == 0
    clock.now += http.PAUSE_SECONDS
    assert asking.get(idp.url + KEYS).status == 200
    assert asking.get(idp.url + KEYS).status == 200
    release.set()


def test_all_requests_of_one_log_in_share_one_time_limit(idp: IdentityProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TOTAL_SECONDS", 0.6)
    idp.stall(DESCRIPTION, 0.4)
    release = idp.stall(KEYS)
    began = time.monotonic()
    with pytest.raises(SqeError, match="does not answer"):
        identify(provider(idp), idp.token())
    assert 0.5 < time.monotonic() - began < 1.5
    release.set()
