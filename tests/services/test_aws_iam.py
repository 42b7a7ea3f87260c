"""AWS log-ins against an STS that computes every signature again (moto with its checks switched on)."""

from __future__ import annotations

import base64
import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import botocore.session
import httpx
import pytest
from botocore.credentials import Credentials

from dev.services.stack import Stack
from sqe.client.aws_iam import aws_iam_token
from sqe.config.providers import ArnPattern, AwsIamProvider
from sqe.config.sections import Auth
from sqe.config.values import Duration, Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, ErrorCode, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import Authenticator, authenticator
from sqe.identity.aws_iam import AwsIam
from sqe.identity.aws_iam_token import PREFIX
from sqe.identity.oidc.http import identity_http
from sqe.identity.provider import Bearer, Rejected

SERVER_ID = "sqe-test"
ANYBODY = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})
TRUST = json.dumps(
    {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}
)


@dataclass(frozen=True)
class Aws:
    """One account with a user `alice` and a role `etl` that somebody has assumed as `nightly`."""

    endpoint: str
    account: str
    alice: Credentials
    nightly: Credentials

    def token(self, credentials: Credentials, server_id: str = SERVER_ID, endpoint: str | None = None) -> str:
        return aws_iam_token(server_id, endpoint=endpoint or self.endpoint, credentials=credentials)

    @property
    def settings(self) -> AwsIamProvider:
        users = ArnPattern(f"arn:aws:iam::{self.account}:user/*", roles=("analyst",), groups=("people",))
        etl = ArnPattern(f"arn:aws:sts::{self.account}:assumed-role/etl/*", user="job:{name}", roles=("writer",))
        return AwsIamProvider(SERVER_ID, (self.account,), (users, etl), sts_endpoint=self.endpoint, insecure=True)


@pytest.fixture(scope="module")
def aws(stack: Stack) -> Iterator[Aws]:
    address = stack.up(["moto"])["moto"]
    httpx.post(address["aws"] + "/moto-api/reset", trust_env=False).raise_for_status()
    _check_signatures_after(address["aws"], "inf")

    def client(service: str) -> Any:
        session = botocore.session.get_session()
        keys = {"aws_access_key_id": "first", "aws_secret_access_key": "first"}
        return session.create_client(service, region_name=address["region"], endpoint_url=address["aws"], **keys)

    iam, sts = client("iam"), client("sts")
    iam.create_user(UserName="alice")
    iam.put_user_policy(UserName="alice", PolicyName="all", PolicyDocument=ANYBODY)
    key = iam.create_access_key(UserName="alice")["AccessKey"]
    role = iam.create_role(RoleName="etl", AssumeRolePolicyDocument=TRUST)["Role"]["Arn"]
    session = sts.assume_role(RoleArn=role, RoleSessionName="nightly")["Credentials"]
    _check_signatures_after(address["aws"], "0")
    yield Aws(
        address["aws"],
        address["account"],
        Credentials(key["AccessKeyId"], key["SecretAccessKey"]),
        Credentials(session["AccessKeyId"], session["SecretAccessKey"], session["SessionToken"]),
    )
    _check_signatures_after(address["aws"], "inf")


def _check_signatures_after(endpoint: str, actions: str) -> None:
    httpx.post(endpoint + "/moto-api/reset-auth", content=actions, trust_env=False).raise_for_status()


@pytest.fixture
def chain(aws: Aws) -> Authenticator:
    return authenticator(Auth(providers=(aws.settings,)))


def log_in(chain: Authenticator, token: str) -> Identity:
    return chain.log_in(Bearer(Secret(token))).identity


def refusal(chain: Authenticator, token: str) -> ErrorCode:
    with pytest.raises(SqeError) as caught:
        log_in(chain, token)
    return caught.value.code


def test_a_user_and_a_role_log_in_by_their_signatures(aws: Aws, chain: Authenticator) -> None:
    alice, job = log_in(chain, aws.token(aws.alice)), log_in(chain, aws.token(aws.nightly))
    assert (alice.user, alice.roles, alice.groups, alice.provider) == ("alice", {"analyst"}, {"people"}, "aws_iam")
    assert (job.user, job.roles, job.groups) == ("job:etl", {"writer"}, frozenset())
    assert job.subject.endswith(":nightly")


def test_a_token_is_good_once(aws: Aws, chain: Authenticator) -> None:
    token = aws.token(aws.alice)
    assert log_in(chain, token).user == "alice"
    assert refusal(chain, token) is AUTHENTICATION_FAILED


def test_of_many_who_present_one_token_at_once_one_gets_in(aws: Aws, chain: Authenticator) -> None:
    token, start = aws.token(aws.alice), threading.Barrier(4)
    outcomes: list[str] = []

    def attempt() -> None:
        start.wait()
        try:
            outcomes.append(log_in(chain, token).user)
        except SqeError as error:
            outcomes.append(error.code.name)

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["AUTHENTICATION_FAILED"] * 3 + ["alice"]


def test_a_signature_that_sts_does_not_confirm_is_refused(aws: Aws, chain: Authenticator) -> None:
    wrong = {
        "a wrong secret": Credentials(aws.alice.access_key, "wrong"),
        "an unknown key": Credentials("AKIAIOSFODNN7EXAMPLE", aws.alice.secret_key),
        "a session without its token": Credentials(aws.nightly.access_key, aws.nightly.secret_key),
        "another's session token": Credentials(aws.alice.access_key, aws.alice.secret_key, aws.nightly.token),
    }
    assert {what: refusal(chain, aws.token(keys)) for what, keys in wrong.items()} == dict.fromkeys(wrong, AUTHENTICATION_FAILED)


def test_a_changed_token_is_refused_by_the_signature(aws: Aws) -> None:
    """Made for another server, then relabelled: the header is part of what was signed."""
    token = aws.token(aws.alice, server_id="other")
    payload = token.removeprefix(PREFIX)
    text = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode().replace('"other"', f'"{SERVER_ID}"')
    relabelled = PREFIX + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    chain = authenticator(Auth(providers=(aws.settings,)))
    assert refusal(chain, relabelled) is AUTHENTICATION_FAILED
    other = authenticator(Auth(providers=(replace(aws.settings, server_id="other"),)))
    assert log_in(other, token).user == "alice"  # as it was signed, and where it was meant for


def test_identities_of_other_accounts_and_without_a_pattern_are_refused(aws: Aws) -> None:
    only_roles = tuple(each for each in aws.settings.arn_patterns if "assumed-role" in each.arn)
    for settings in (replace(aws.settings, accounts=("999999999999",)), replace(aws.settings, arn_patterns=only_roles)):
        assert refusal(authenticator(Auth(providers=(settings,))), aws.token(aws.alice)) is AUTHENTICATION_FAILED


def test_a_token_that_is_too_old_is_refused(aws: Aws) -> None:
    now = [time.time()]
    provider = AwsIam(replace(aws.settings, max_age=Duration(30)), clock=lambda: now[0])
    token = aws.token(aws.alice)
    now[0] += 31
    with pytest.raises(Rejected):
        provider.identify(Bearer(Secret(token)))


@contextmanager
def answering(status: int, body: bytes, headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[str]]]:
    """Something that is not STS, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


XML = """<{root} xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{root_result}><Arn>arn:aws:iam::123456789012:user/alice</Arn>
<UserId>AIDA</UserId><Account>123456789012</Account></{root_result}></{root}>"""
RIGHT = XML.format(root="GetCallerIdentityResponse", root_result="GetCallerIdentityResult").encode()

ANSWERS: dict[str, tuple[int, bytes, ErrorCode]] = {
    "refused": (403, b"<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>", AUTHENTICATION_FAILED),
    "too many": (400, b"<ErrorResponse><Error><Code>Throttling</Code></Error></ErrorResponse>", IDENTITY_PROVIDER_UNAVAILABLE),
    "defect": (500, b"", IDENTITY_PROVIDER_UNAVAILABLE),
    "not found": (404, RIGHT, IDENTITY_PROVIDER_UNAVAILABLE),
    "empty": (200, b"", IDENTITY_PROVIDER_UNAVAILABLE),
    "JSON": (200, b'{"Arn": "arn:aws:iam::123456789012:user/alice"}', IDENTITY_PROVIDER_UNAVAILABLE),
    "not UTF-8": (200, b"\xff\xfe", IDENTITY_PROVIDER_UNAVAILABLE),
    "entities": (200, b'<!DOCTYPE x [<!ENTITY a "b">]>' + RIGHT, IDENTITY_PROVIDER_UNAVAILABLE),
    "another action": (200, RIGHT.replace(b"GetCallerIdentity", b"AssumeRole"), IDENTITY_PROVIDER_UNAVAILABLE),
    "no namespace": (200, RIGHT.replace(b"xmlns", b"x"), IDENTITY_PROVIDER_UNAVAILABLE),
    "too large": (200, RIGHT + b" " * (2 << 20), IDENTITY_PROVIDER_UNAVAILABLE),
}


@pytest.mark.parametrize(("status", "body", "code"), ANSWERS.values(), ids=ANSWERS.keys())
def test_only_a_clear_yes_lets_anybody_in(aws: Aws, status: int, body: bytes, code: ErrorCode) -> None:
    with answering(status, body) as (endpoint, asked):
        chain = authenticator(Auth(providers=(replace(aws.settings, sts_endpoint=endpoint),)))
        assert refusal(chain, aws.token(aws.alice, endpoint=endpoint)) is code
        assert asked == ["/"]


def test_the_answer_of_the_stand_in_would_let_alice_in(aws: Aws) -> None:
    with answering(200, RIGHT) as (endpoint, _):
        chain = authenticator(Auth(providers=(replace(aws.settings, sts_endpoint=endpoint),)))
        assert log_in(chain, aws.token(aws.alice, endpoint=endpoint)).user == "alice"


def test_a_redirect_is_not_followed(aws: Aws) -> None:
    with answering(200, RIGHT) as (elsewhere, asked), answering(307, b"", {"location": elsewhere}) as (endpoint, _):
        chain = authenticator(Auth(providers=(replace(aws.settings, sts_endpoint=endpoint),)))
        assert refusal(chain, aws.token(aws.alice, endpoint=endpoint)) is IDENTITY_PROVIDER_UNAVAILABLE
        assert asked == []


def test_an_outage_is_told_within_five_seconds_and_ends_with_it(aws: Aws, tmp_path: Path) -> None:
    stack = Stack(tmp_path / "state")
    try:
        endpoint = stack.up(["moto"])["moto"]["aws"]
        settings = replace(aws.settings, sts_endpoint=endpoint)
        chain = authenticator(Auth(providers=(settings,)))
        stack.stop(["moto"])
        began = time.monotonic()
        assert refusal(chain, aws.token(aws.alice, endpoint=endpoint)) is IDENTITY_PROVIDER_UNAVAILABLE
        assert time.monotonic() - began < 5
        stack.up(["moto"])
        identity_http.cache_clear()  # what it knows of the outage, so that the test need not wait for it to forget
        assert refusal(chain, aws.token(aws.alice, endpoint=endpoint)) is AUTHENTICATION_FAILED  # unknown to the new one
    finally:
        stack.down()
