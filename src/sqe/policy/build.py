"""Makes a policy from `[policy]` of sqe.toml."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from sqe.config import Settings
from sqe.config.policy import Policy as PolicySettings
from sqe.config.providers import StaticProvider
from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.policy.contract import Decisions
from sqe.policy.decisions import People, Policy
from sqe.policy.engine import Engine, Nobody
from sqe.policy.facts import DriverFacts
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.statements import Rights
from sqe.session import Session
from sqe.sessions import Sessions


@dataclass(frozen=True)
class Built:
    """What the server hands to the query handler."""

    policy: Policy
    rights: Rights
    people: People

    def decisions(self, driver: Driver) -> Callable[[Session], Decisions]:
        """For each session, with the columns that its own catalogs tell it."""
        return lambda session: self.policy.with_facts(DriverFacts(driver, session), self.people)

    def close(self) -> None:
        self.policy.close()


def build_policy(settings: Settings, sessions: Sessions) -> Built:
    """Raises `SqeError` for policies that do not load."""
    section = settings.policy
    admin_roles = frozenset(settings.auth.admin_roles)
    engines = [_engine(name, section, admin_roles) for name in section.engines]
    policy = Policy(
        engines,
        cache_seconds=section.cache_ttl,
        timeout_seconds=section.timeout,
        mask_key=section.mask_key.reveal().encode() if section.mask_key else None,
    )
    grants = next((engine for engine in engines if isinstance(engine, GrantsEngine)), None)
    people = known_people(settings, sessions)
    return Built(policy, Rights(policy, grants, admin_roles, people), people)


def _engine(name: str, section: PolicySettings, admin_roles: frozenset[str]) -> Engine:
    match name:
        case "grants":
            from sqe.policy.grants.store import GrantStore

            return GrantsEngine(GrantStore(_store_url(section)), admin_roles=admin_roles, default=section.default)
        case "opa":
            from sqe.policy.opa.engine import opa_engine

            return opa_engine(section)
        case "cedar":
            from sqe.policy.cedar.engine import cedar_engine

            return cedar_engine(section)
        case _:
            return Nobody()


def _store_url(section: PolicySettings) -> str:
    if section.store_password is None:
        return section.store
    parts = urlsplit(section.store)
    user, at, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}:{quote(section.store_password.reveal(), safe='')}{at}{host}").geturl()


def known_people(settings: Settings, sessions: Sessions) -> People:
    """Roles and groups of others, as far as this server knows them: from its own user lists and from who is logged in."""
    static = {
        user.name: Identity(user.name, frozenset(user.roles), frozenset(user.groups), "static")
        for provider in settings.auth.providers
        if isinstance(provider, StaticProvider)
        for user in provider.users
    }

    def look_up(user: str) -> Identity | None:
        here = (session.identity for session in sessions.all() if session.identity.user == user)
        return next(here, None) or static.get(user)

    return look_up
