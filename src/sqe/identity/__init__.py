"""Who is asking. Providers turn what a client presents into an `Identity`; nothing else in the product creates one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for annotations only: the chain knows the configuration, an identity does not
    from sqe.identity.authenticator import Authenticator as Authenticator


@dataclass(frozen=True)
class Identity:
    """A person (or program) as the provider vouched for it. Frozen: rights never change under a running statement."""

    user: str
    roles: frozenset[str] = field(default_factory=frozenset)
    groups: frozenset[str] = field(default_factory=frozenset)
    provider: str = "anonymous"
    subject: str = ""  # the provider's own, unchanging id of the person, where it has one
