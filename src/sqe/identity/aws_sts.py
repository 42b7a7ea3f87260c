"""Asks STS who signed a request. The one place that speaks to AWS for a log-in, and only to the endpoint of sqe.toml."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from sqe.errors import SqeError
from sqe.identity.aws_iam_token import BODY, CONTENT_TYPE
from sqe.identity.oidc.http import identity_http, unavailable
from sqe.identity.provider import Rejected

log = logging.getLogger("sqe.identity")

_NAMESPACE = "{https://sts.amazonaws.com/doc/2011-06-15/}"
# STS says "slow down" as a bad request: that is no judgement of the signature.
_BUSY = (b"Throttling", b"RequestLimitExceeded", b"ServiceUnavailable", b"InternalFailure")


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
    # Without "accept", AWS would be asked for JSON.
    answer = identity_http().post(endpoint, dict(parse_qsl(BODY)), {**headers, "content-type": CONTENT_TYPE, "accept": "*/*"})
    if answer.status in (400, 401, 403) and not any(word in answer.body for word in _BUSY):
        raise Rejected
    if answer.status != 200:
        raise _no_answer(f"status {answer.status}")
    return _parsed(answer.body)


def _parsed(content: bytes) -> Caller:
    from xml.etree import ElementTree

    try:
        text = content.decode("utf-8")
        if "<!" in text:  # no declaration of entities: STS has none, and they are how XML explodes
            raise _no_answer("a document type")
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, UnicodeDecodeError):
        raise _no_answer("no XML") from None
    result = f"{_NAMESPACE}GetCallerIdentityResult/{_NAMESPACE}"
    account, arn, user_id = (root.findtext(result + name) for name in ("Account", "Arn", "UserId"))
    if root.tag != f"{_NAMESPACE}GetCallerIdentityResponse" or not account or not arn or not user_id:
        raise _no_answer("an answer to another question")
    return Caller(account, arn, user_id)


def _no_answer(what: str) -> SqeError:
    log.error("STS answered what no STS would: %s", what)
    return unavailable("AWS identities cannot be checked at present")
