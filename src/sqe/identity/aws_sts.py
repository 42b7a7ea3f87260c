"""Asks STS who signed a request. The one place that speaks to AWS for a log-in, and only to the endpoint of sqe.toml."""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity.aws_iam_token import BODY, CONTENT_TYPE
from sqe.identity.provider import Rejected

if TYPE_CHECKING:
    import httpx

log = logging.getLogger("sqe.identity")

# A log-in answers within five seconds, whatever STS does.
STEP_SECONDS = 2.0
TOTAL_SECONDS = 4.0
LARGEST_ANSWER = 64 << 10

_NAMESPACE = "{https://sts.amazonaws.com/doc/2011-06-15/}"
# STS says "slow down" as a bad request: that is no judgement of the signature.
_THROTTLED = (b"Throttling", b"RequestLimitExceeded", b"ServiceUnavailable", b"InternalFailure")


@dataclass(frozen=True)
class Caller:
    """Who signed, as STS says."""

    account: str
    arn: str
    user_id: str


def host_of(endpoint: str) -> str:
    """The Host header of a request to the endpoint: what clients must have signed."""
    parts = urlsplit(endpoint)
    default = {"https": 443, "http": 80}[parts.scheme]
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, default) else f"{host}:{parts.port}"


def caller_identity(endpoint: str, headers: Mapping[str, str]) -> Caller:
    """`Rejected` when STS refuses the signature; `SqeError` when it gives no answer that says anything about it."""
    import httpx

    try:
        status, content = _answer(endpoint, headers)
    except httpx.HTTPError as error:
        raise _outage(type(error).__name__) from None
    if status in (400, 401, 403) and not any(word in content for word in _THROTTLED):
        raise Rejected
    if status != 200:
        raise _outage(f"status {status}")
    return _parsed(content)


def _answer(endpoint: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
    import httpx

    deadline = time.monotonic() + TOTAL_SECONDS
    # Without the environment: a .netrc would replace the signature by a password. No redirects: they lead to other hosts.
    with (
        httpx.Client(verify=_trust(), trust_env=False, follow_redirects=False, timeout=STEP_SECONDS) as client,
        client.stream("POST", endpoint, content=BODY, headers={**headers, "content-type": CONTENT_TYPE}) as response,
    ):
        return response.status_code, _bounded(response, deadline)


def _bounded(response: httpx.Response, deadline: float) -> bytes:
    content = b""
    for chunk in response.iter_raw():
        content += chunk
        if len(content) > LARGEST_ANSWER:
            raise _outage("an answer that is too large")
        if time.monotonic() > deadline:
            raise _outage("an answer that takes too long")
    return content


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """The machine's authorities; loading them takes longer than the call."""
    return ssl.create_default_context()


def _parsed(content: bytes) -> Caller:
    from xml.etree import ElementTree

    if b"<!" in content:  # no declaration of entities: STS has none, and they are how XML explodes
        raise _outage("an answer with a document type")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError:
        raise _outage("an answer that is not XML") from None
    result = f"{_NAMESPACE}GetCallerIdentityResult/{_NAMESPACE}"
    account, arn, user_id = (root.findtext(result + name) for name in ("Account", "Arn", "UserId"))
    if root.tag != f"{_NAMESPACE}GetCallerIdentityResponse" or not account or not arn or not user_id:
        raise _outage("an answer to another question")
    return Caller(account, arn, user_id)


def _outage(what: str) -> SqeError:
    log.error("STS cannot check signatures: %s", what)
    return SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "AWS identities cannot be checked at present")
