"""Who an ARN of AWS is to this server: the first pattern of `arn_patterns` that fits says user, roles and groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sqe.config.providers import ArnPattern
from sqe.identity import Identity
from sqe.identity.aws_sts import Caller

_ARN = re.compile(
    r"arn:[a-z-]+:(?:iam|sts)::(?P<account>[0-9]{12}):"
    r"(?:user/(?:[\x21-\x7e]+/)?(?P<user>[\w+=,.@-]+)"
    r"|assumed-role/(?P<role>[\w+=,.@-]+)/(?P<session>[\w+=,.@-]+)"
    r"|federated-user/(?P<federated>[\w+=,.@:-]+)"
    r"|(?P<root>root))",
    re.ASCII,
)


@dataclass(frozen=True)
class _Rule:
    pattern: re.Pattern[str]
    becomes: ArnPattern


class ArnMapping:
    """`*` stands for characters of one part: not for `/` and `:`, so that it never reaches into another account or role."""

    def __init__(self, patterns: Sequence[ArnPattern]) -> None:
        self._rules = [_Rule(_compiled(each.arn), each) for each in patterns]

    def identity(self, caller: Caller) -> Identity | None:
        """None when no pattern fits, or the ARN is none that STS would say."""
        found = _ARN.fullmatch(caller.arn)
        if found is None or found["account"] != caller.account:
            return None
        rule = next((each for each in self._rules if each.pattern.fullmatch(caller.arn)), None)
        if rule is None:
            return None
        name = found["user"] or found["role"] or found["federated"] or found["root"]
        words = {"name": name, "session": found["session"] or "", "account": caller.account, "arn": caller.arn}
        # In one pass: a session called "{arn}" stays what it is.
        user = re.sub(r"\{(name|session|account|arn)\}", lambda word: words[word[1]], rule.becomes.user)
        return Identity(user, frozenset(rule.becomes.roles), frozenset(rule.becomes.groups), "aws_iam", caller.user_id)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("[^/:]*".join(map(re.escape, pattern.split("*"))))
