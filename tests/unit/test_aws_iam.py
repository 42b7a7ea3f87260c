"""AWS log-ins as far as they can be judged without STS: the form of a token, the mapping of ARNs, signatures used twice."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from botocore.credentials import Credentials

from sqe.client.aws_iam import aws_iam_token
from sqe.config.providers import ArnPattern, AwsIamProvider
from sqe.config.values import Secret
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity.aws_arn import ArnMapping
from sqe.identity.aws_iam import AwsIam, UsedSignatures
from sqe.identity.aws_iam_token import BODY, LONGEST_TOKEN, PREFIX, Malformed, decoded
from sqe.identity.aws_sts import Caller, host_of
from sqe.identity.provider import Bearer, Nothing, Password, Rejected

# Nobody listens there: what reaches it was let through by mistake, and is an outage and no rejection.
ENDPOINT = "https://127.0.0.1:1"
ACCOUNT = "123456789012"
USERS = ArnPattern(f"arn:aws:iam::{ACCOUNT}:user/*", roles=("analyst",))
SETTINGS = AwsIamProvider("sqe-test", (ACCOUNT,), (USERS,), sts_endpoint=ENDPOINT)
KEYS = Credentials("AKIAIOSFODNN7EXAMPLE", "secret")
SESSION_KEYS = Credentials("ASIAIOSFODNN7EXAMPLE", "secret", "a session token")


def token(server_id: str = "sqe-test", endpoint: str = ENDPOINT, credentials: Credentials = KEYS) -> str:
    return aws_iam_token(server_id, endpoint=endpoint, credentials=credentials)


def unwrapped(text: str) -> dict[str, Any]:
    payload = text.removeprefix(PREFIX)
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return found


def wrapped(content: Any) -> str:
    return PREFIX + base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def with_headers(**changes: Any) -> str:
    """A good token with headers added, replaced, or (None) left away; `_` stands for `-`."""
    content = unwrapped(token())
    headers = {name.lower(): value for name, value in content["headers"].items()}
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    return wrapped({**content, "headers": {name: value for name, value in headers.items() if value is not None}})


def with_authorization(change: Callable[[str], str]) -> str:
    return with_headers(authorization=change(unwrapped(token())["headers"]["Authorization"]))


@pytest.mark.parametrize("credentials", [KEYS, SESSION_KEYS], ids=["user", "session"])
def test_what_the_client_makes_is_what_the_server_reads(credentials: Credentials) -> None:
    request = decoded(token(credentials=credentials))
    assert (request.server_id, request.host) == ("sqe-test", "127.0.0.1:1")
    assert request.headers.get("x-amz-security-token") == credentials.token
    assert "secret" not in str(request.headers)


def test_a_token_of_a_large_session_still_fits() -> None:
    decoded(token(credentials=Credentials("ASIAIOSFODNN7EXAMPLE", "secret", "A" * 4096)))


MALFORMED: Mapping[str, str] = {
    "nothing behind the prefix": PREFIX,
    "not base64": PREFIX + "!" * 40,
    "characters between": token()[:40] + "\n" + token()[40:],
    "the other alphabet": token() + "/+",
    "too long": PREFIX + "A" * LONGEST_TOKEN,
    "not ASCII": PREFIX + "é" * 40,
    "a surrogate": PREFIX + "\udcff",
    "a NUL": token() + "\0",
    "not JSON": PREFIX + base64.urlsafe_b64encode(b"{").decode(),
    "deeply nested": PREFIX + base64.urlsafe_b64encode(b"[" * 6000).decode(),
    "a list": wrapped([]),
    "a number": wrapped(7),
    "null": wrapped(None),
    "headers is a list": wrapped({"headers": [], "body": BODY}),
    "headers is null": wrapped({"headers": None, "body": BODY}),
    "no body": wrapped({"headers": unwrapped(token())["headers"]}),
    "body is a number": wrapped({**unwrapped(token()), "body": 7}),
    "another action": wrapped({**unwrapped(token()), "body": "Action=GetSessionToken&Version=2011-06-15"}),
    "a second action": wrapped({**unwrapped(token()), "body": BODY + "&Action=AssumeRole"}),
    "its own address": wrapped({**unwrapped(token()), "url": "https://sts.evil.example"}),
    "another method": wrapped({**unwrapped(token()), "method": "GET"}),
    "a header that is a number": with_headers(x_amz_date=7),
    "a header that is a list": with_headers(x_amz_date=["a", "b"]),
    "a header with a line feed": with_headers(x_sqe_server_id="sqe-test\r\nHost: sts.evil.example"),
    "a header with a NUL": with_headers(x_sqe_server_id="sqe-test\0"),
    "another format of the answer": with_headers(accept="application/json"),
    "another target": with_headers(x_amz_target="x"),
    "a forwarded host": with_headers(x_forwarded_host="sts.evil.example"),
    "another content type": with_headers(content_type="application/json"),
    "a header in two cases": wrapped({**unwrapped(token()), "headers": {**unwrapped(token())["headers"], "HOST": "x"}}),
    "no host": with_headers(host=None),
    "no date": with_headers(x_amz_date=None),
    "no server id": with_headers(x_sqe_server_id=None),
    "no signature": with_headers(authorization=None),
    "a session token that is not signed": with_headers(**{"x-amz-security-token": "x"}),
    "a date of another day than the key's": with_headers(x_amz_date="20200101T000000Z"),
    "a date that is none": with_headers(x_amz_date=unwrapped(token())["headers"]["X-Amz-Date"][:8] + "T999999Z"),
    "another scheme": with_authorization(lambda text: text.replace("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256")),
    "another service": with_authorization(lambda text: text.replace("/sts/", "/s3/")),
    "the server id is not signed": with_authorization(lambda text: text.replace(";x-sqe-server-id", "")),
    "the host is not signed": with_authorization(lambda text: text.replace("host;", "")),
    "the date is not signed": with_authorization(lambda text: text.replace("x-amz-date;", "")),
    "a signed header that is not there": with_authorization(lambda text: text.replace("x-sqe-server-id", "x-sqe-server-id;z")),
    "signed twice": with_authorization(lambda text: text.replace("host;", "host;host;")),
    "a signature in capitals": with_authorization(lambda text: text[:-64] + text[-64:].upper().replace("0", "A")),
    "two signatures": with_authorization(lambda text: f"{text}, Signature={'0' * 64}"),
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_token_that_no_client_makes_is_rejected_before_sts_is_asked(text: str) -> None:
    with pytest.raises(Malformed):
        decoded(text)
    with pytest.raises(Rejected):
        AwsIam(SETTINGS).identify(Bearer(Secret(text)))


def test_other_credentials_are_left_to_the_next_provider() -> None:
    provider = AwsIam(SETTINGS)
    for credentials in (Bearer(Secret("eyJ.e30.")), Bearer(Secret("")), Password("a", Secret(token())), Nothing()):
        assert provider.identify(credentials) is None


def outcome(provider: AwsIam, text: str) -> str:
    """STS is not there, so that whatever gets as far as asking it is an outage."""
    try:
        provider.identify(Bearer(Secret(text)))
    except Rejected:
        return "rejected"
    except SqeError as error:
        return "asked" if error.code is IDENTITY_PROVIDER_UNAVAILABLE else error.code.name
    return "let in"


def test_a_signature_for_another_server_or_endpoint_is_rejected_before_sts_is_asked() -> None:
    provider = AwsIam(SETTINGS)
    assert outcome(provider, token()) == "asked"
    assert outcome(provider, token(server_id="sqe-tes")) == "rejected"
    assert outcome(provider, token(server_id="SQE-TEST")) == "rejected"
    assert outcome(provider, token(endpoint="https://127.0.0.1:2")) == "rejected"
    assert outcome(provider, token(endpoint="https://sts.evil.example")) == "rejected"


@pytest.mark.parametrize(
    ("seconds_later", "expected"), [(0, "asked"), (290, "asked"), (301, "rejected"), (-50, "asked"), (-70, "rejected")]
)
def test_a_signature_counts_for_some_minutes(seconds_later: float, expected: str) -> None:
    text = token()
    signed_at = decoded(text).signed_at.timestamp()
    now = [signed_at - 1000.0]
    provider = AwsIam(SETTINGS, clock=lambda: now[0])
    now[0] = signed_at + seconds_later
    assert outcome(provider, text) == expected


def test_what_was_signed_before_the_server_started_is_rejected() -> None:
    """The server before it may have let it in, and its memory is gone."""
    text = token()
    signed_at = decoded(text).signed_at.timestamp()
    assert outcome(AwsIam(SETTINGS, clock=lambda: signed_at + 1), text) == "rejected"
    assert outcome(AwsIam(SETTINGS, clock=lambda: signed_at + 0.9), text) == "asked"  # X-Amz-Date has whole seconds


def test_of_many_with_one_signature_one_is_let_in() -> None:
    used, start, won = UsedSignatures(10), threading.Barrier(8), []

    def use() -> None:
        start.wait()
        try:
            used.add("signature", until=10, now=0)
        except Rejected:
            return
        won.append(True)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [True]


def test_used_signatures_are_bounded_and_none_is_forgotten_while_it_counts() -> None:
    used = UsedSignatures(3)
    for number, until in enumerate((10, 20, 30)):
        used.add(str(number), until=until, now=0)
    with pytest.raises(SqeError) as caught:
        used.add("new", until=40, now=5)
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    used.add("new", until=40, now=15)  # the first one is over
    for known in ("1", "2", "new"):
        with pytest.raises(Rejected):
            used.add(known, until=50, now=15)


def user_of(arn: str, *patterns: ArnPattern, account: str = ACCOUNT) -> str | None:
    identity = ArnMapping(patterns).identity(Caller(account, arn, "AIDA"))
    return identity.user if identity else None


ROLE = f"arn:aws:sts::{ACCOUNT}:assumed-role"


@pytest.mark.parametrize(
    ("arn", "pattern", "user"),
    [
        (f"arn:aws:iam::{ACCOUNT}:user/alice", f"arn:aws:iam::{ACCOUNT}:user/*", "alice"),
        (f"arn:aws:iam::{ACCOUNT}:user/eu/alice", f"arn:aws:iam::{ACCOUNT}:user/*", None),
        (f"arn:aws:iam::{ACCOUNT}:user/eu/alice", f"arn:aws:iam::{ACCOUNT}:user/eu/*", "alice"),
        (f"arn:aws:iam::{ACCOUNT}:user/alice", f"arn:aws:iam::{ACCOUNT}:user/a.*", None),
        (f"arn:aws:iam::{ACCOUNT}:user/ALICE", f"arn:aws:iam::{ACCOUNT}:user/alice", None),
        (f"{ROLE}/etl/i-0123", f"{ROLE}/etl/*", "etl"),
        (f"{ROLE}/etl-evil/x", f"{ROLE}/etl/*", None),
        (f"{ROLE}/evil/etl", f"{ROLE}/*etl/*", None),
        (f"arn:aws-cn:sts::{ACCOUNT}:assumed-role/etl/x", f"{ROLE}/etl/*", None),
        (f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:iam::{ACCOUNT}:user/*", None),
        (f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:iam::{ACCOUNT}:root", "root"),
        (f"arn:aws:iam::{ACCOUNT}:user/alice\n", f"arn:aws:iam::{ACCOUNT}:user/*", None),
        (f"arn:aws:iam::{ACCOUNT}:user/al ice", f"arn:aws:iam::{ACCOUNT}:user/*", None),
        ("arn:aws:iam::999999999999:user/alice", "arn:aws:iam::*:user/*", None),
        ("", "*", None),
    ],
)
def test_a_pattern_stays_within_its_part_of_the_arn(arn: str, pattern: str, user: str | None) -> None:
    assert user_of(arn, ArnPattern(pattern)) == user


def test_the_first_pattern_that_fits_counts_and_its_words_are_filled_in_once() -> None:
    patterns = (
        ArnPattern(f"{ROLE}/sso-*/*", user="{session}", roles=("person",)),
        ArnPattern(f"{ROLE}/*/*", user="aws:{account}:{name}", groups=("machines",)),
    )
    assert user_of(f"{ROLE}/sso-eu/alice@example.com", *patterns) == "alice@example.com"
    assert user_of(f"{ROLE}/etl/x", *patterns) == f"aws:{ACCOUNT}:etl"
    identity = ArnMapping(patterns).identity(Caller(ACCOUNT, f"{ROLE}/etl/x", "AROA:x"))
    assert identity is not None
    assert (identity.roles, identity.groups, identity.subject, identity.provider) == (set(), {"machines"}, "AROA:x", "aws_iam")


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ("https://sts.amazonaws.com", "sts.amazonaws.com"),
        ("https://STS.eu-central-1.amazonaws.com:443/", "sts.eu-central-1.amazonaws.com"),
        ("http://127.0.0.1:5000", "127.0.0.1:5000"),
        ("http://[::1]:5000", "[::1]:5000"),
    ],
)
def test_the_host_that_clients_sign(endpoint: str, host: str) -> None:
    assert host_of(endpoint) == host


GOOD: dict[str, Any] = {"server_id": "sqe-test", "accounts": (ACCOUNT,), "arn_patterns": (USERS,)}
CONTRADICTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "all of AWS": ({"accounts": ()}, "all of AWS could log in"),
    "an account that is none": ({"accounts": ("*",)}, "not a number of 12 digits"),
    "no pattern": ({"arn_patterns": ()}, "needs the key 'arn_patterns'"),
    "a pattern for everything": ({"arn_patterns": (ArnPattern("*"),)}, "is not the ARN"),
    "an unknown word": ({"arn_patterns": (ArnPattern(USERS.arn, user="{email}"),)}, "unknown word {email}"),
    "a session of a user": ({"arn_patterns": (ArnPattern(USERS.arn, user="{session}"),)}, "needs a pattern for an assumed role"),
    "no TLS": ({"sts_endpoint": "http://sts.example.com"}, "without TLS"),
    "a path": ({"sts_endpoint": "https://sts.example.com/x"}, "without a path"),
    "a user in the endpoint": ({"sts_endpoint": "https://a@sts.example.com"}, "without a path"),
    "a query": ({"sts_endpoint": "https://sts.example.com?x"}, "without a path"),
    "another scheme": ({"sts_endpoint": "file:///etc/passwd"}, "without a path"),
    "a server id that no header holds": ({"server_id": "a\nb"}, "in ASCII"),
}


@pytest.mark.parametrize(("change", "sentence"), CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_a_weak_configuration_is_refused(change: dict[str, Any], sentence: str) -> None:
    assert not list(AwsIamProvider(**GOOD).contradictions())
    assert sentence in " ".join(text for _, text in AwsIamProvider(**{**GOOD, **change}).contradictions())
