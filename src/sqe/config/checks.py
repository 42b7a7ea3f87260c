"""Contradictions: values that are fine each, but not together. A check is not run on keys that could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields

from sqe.config import audit, aws_identity, azure, catalog_places, later, production, tls
from sqe.config.catalogs import NEEDS, RESERVED_NAMES, Catalog
from sqe.config.keys import Key, declarations
from sqe.config.positions import Path
from sqe.config.providers import (
    PROVIDERS,
    AnonymousProvider,
    ClientCredentialsProvider,
    MtlsProvider,
    OidcPasswordProvider,
    StaticProvider,
)
from sqe.config.sections import Auth, Storage
from sqe.config.settings import Settings

ARGON2_HASH = re.compile(r"\$argon2(id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+")

_SIGNING = ("access_key", "secret_key", "region", "signing_name")

Finding = tuple[tuple[Path, ...], str]  # the keys involved (shown: the last one that is written down), the sentence


def contradictions(settings: Settings) -> Iterator[Finding]:
    yield from _ports(settings)
    yield from _catalogs(settings)
    yield from _server_client(settings)
    yield from _users(settings)
    yield from _unused_sections(settings)
    yield from _times(settings)
    yield from _storage(settings)
    yield from _policy(settings)
    yield from _tls(settings)
    yield from audit.contradictions(settings.audit)
    yield from production.weaknesses(settings)


def _ports(settings: Settings) -> Iterator[Finding]:
    taken: dict[int, str] = {}
    for each in fields(settings.coordinator):
        if not each.name.endswith("_port"):
            continue
        port = getattr(settings.coordinator, each.name)
        if port and port in taken:
            paths: tuple[Path, ...] = (("coordinator", taken[port]), ("coordinator", each.name))
            yield paths, f"coordinator.{each.name} and coordinator.{taken[port]} are both {port}"
        taken.setdefault(port, each.name)


def _catalogs(settings: Settings) -> Iterator[Finding]:
    yield from _catalog(settings.catalog, ("catalog",), settings)
    for name, catalog in settings.catalogs.items():
        path: Path = ("catalogs", name)
        yield from _catalog(catalog, path, settings)
        if name.lower() == settings.catalog.name.lower():
            yield (("catalog", "name"), path), f"catalogs.{name} has the name of the default [catalog]"
    names = [name.lower() for name in settings.catalogs]
    for index, name in enumerate(settings.catalogs):
        if name.lower() in names[:index]:
            yield ((("catalogs", name),), f"catalogs.{name} is there twice: names in SQL do not depend on case")


def _catalog(catalog: Catalog, path: Path, settings: Settings) -> Iterator[Finding]:
    title = ".".join(map(str, path))
    kind: Path = (*path, "type")
    if catalog.name.lower() in RESERVED_NAMES:
        yield ((*path, "name"),), f"{title} cannot have the name {catalog.name!r}, which is reserved"
    for name, declared in declarations(Catalog):
        if not isinstance(declared, Key):
            continue
        given = getattr(catalog, name) is not None
        if given and declared.only and catalog.backend not in declared.only:
            yield (kind, (*path, name)), f"{title}.{name} is not a key of a catalog of type {catalog.type!r}"
        if not given and name in NEEDS[catalog.backend]:
            yield (kind, (*path, name)), f"{title} of type {catalog.type!r} needs the key {name!r}"
    yield from _catalog_identity(catalog, path, title)
    yield from _catalog_client(catalog, path, title, settings.auth)
    yield from catalog_places.findings(catalog, path, title, settings.storage)
    for one, other in (("user", "password"), ("access_key", "secret_key")):
        if (getattr(catalog, one) is None) != (getattr(catalog, other) is None):
            yield ((*path, one), (*path, other)), f"{title}.{one} and {title}.{other} need each other"


def _catalog_identity(catalog: Catalog, path: Path, title: str) -> Iterator[Finding]:
    """Keys that a mode of `auth` needs, and keys that it would ignore."""
    mode, at = catalog.auth_mode, (*path, "auth")
    needs = {"static": ("token",)}.get(mode, ())
    exchanging = ("audience", "token_endpoint", "client_id", "client_secret", "scope") if mode == "token_exchange" else ()
    asking = ("token_endpoint", "client_id", "client_secret", "scope") if mode == "client_credentials" else ()
    signing = _SIGNING if mode == "sigv4" else ()
    for name in ("token", "audience", "token_endpoint", "client_id", "client_secret", "scope", *_SIGNING):
        given = getattr(catalog, name) is not None
        if given and catalog.backend == "rest" and name not in (*needs, *exchanging, *asking, *signing):
            yield (at, (*path, name)), f"{title}.{name} is not used with auth = {mode!r}"
        if not given and name in needs:
            yield (at, (*path, name)), f"{title} with auth = {mode!r} needs the key {name!r}"


def _catalog_client(catalog: Catalog, path: Path, title: str, auth: Auth) -> Iterator[Finding]:
    """As whom this server asks for a catalog's tokens, and where; what the catalog does not say is that of `[auth]`."""
    mode, at = catalog.auth_mode, (*path, "auth")
    if mode not in ("token_exchange", "client_credentials"):
        return
    if not (catalog.token_endpoint or auth.token_endpoint or auth.issuer):
        yield (at, (*path, "token_endpoint")), f"{title} with auth = {mode!r} needs the key 'token_endpoint', or that of [auth]"
    if not (catalog.client_id or auth.client_id):
        yield (at, (*path, "client_id")), f"{title} with auth = {mode!r} needs the key 'client_id', or that of [auth]"
    elif mode == "client_credentials" and not (catalog.client_secret if catalog.client_id else auth.client_secret):
        yield (at, (*path, "client_secret")), f"{title} with auth = {mode!r} needs the key 'client_secret'"
    if mode == "token_exchange" and not (catalog.audience or catalog.scope):
        yield (at, (*path, "audience")), f"{title} with auth = {mode!r} needs the key 'audience' (or 'scope')"
    if catalog.client_secret and not catalog.client_id:
        yield ((*path, "client_secret"),), f"{title}.client_secret needs the key 'client_id'"


def _server_client(settings: Settings) -> Iterator[Finding]:
    auth = settings.auth
    place = "issuer" if auth.issuer else "token_endpoint"
    if (auth.issuer or auth.token_endpoint) and not auth.client_id:
        yield (("auth", place),), f"auth.{place} needs the key 'client_id'"
    if auth.client_id and not (auth.issuer or auth.token_endpoint):
        yield (("auth", "client_id"),), "auth.client_id needs the key 'issuer' (or 'token_endpoint')"
    for name in ("client_secret", "scope"):
        if getattr(auth, name) and not auth.client_id:
            yield (("auth", name),), f"auth.{name} needs the key 'client_id'"
    yield from _never_asked(auth)


def _never_asked(auth: Auth) -> Iterator[Finding]:
    """Providers of passwords behind one that takes every name: a user's wrong password ends the log-in there."""
    greedy: str | None = None
    for index, provider in enumerate(auth.providers):
        word = next(word for word, of in PROVIDERS.items() if type(provider) is of)
        takes_passwords = isinstance(provider, (StaticProvider, OidcPasswordProvider, ClientCredentialsProvider))
        if greedy and takes_passwords:
            path: Path = ("auth", "providers", index)
            yield (path,), f"auth.providers of type {word!r} is never asked: {greedy!r} before it takes every name"
        if isinstance(provider, OidcPasswordProvider) or (
            isinstance(provider, ClientCredentialsProvider) and not provider.clients
        ):
            greedy = greedy or word


def _users(settings: Settings) -> Iterator[Finding]:
    names: set[str] = set()
    for index, provider in enumerate(settings.auth.providers):
        path: Path = ("auth", "providers", index)
        word = next(word for word, of in PROVIDERS.items() if type(provider) is of)
        for name, sentence in provider.contradictions():
            yield ((path, (*path, name)), f"auth.providers of type {word!r} {sentence}")
        if isinstance(provider, AnonymousProvider) and index < len(settings.auth.providers) - 1:
            yield ((path,), "auth.providers of type 'anonymous' lets everybody in, so those behind it are never asked")
        if not isinstance(provider, StaticProvider):
            continue
        if not provider.users:
            yield ((*path, "users"),), "auth.providers of type 'static' needs the key 'users', with a user in it"
        for number, user in enumerate(provider.users):
            if user.name in names:
                yield ((*path, "users", number, "name"),), f"auth.providers.users has the name {user.name!r} twice"
            if user.password.reveal().startswith("$argon2") and not ARGON2_HASH.fullmatch(user.password.reveal()):
                yield ((*path, "users", number, "password"),), "auth.providers.users.password is not a complete argon2 hash"
            names.add(user.name)


def _unused_sections(settings: Settings) -> Iterator[Finding]:
    for name in later.UNUSED_SECTIONS:
        section = getattr(settings, name)
        if section != type(section)():
            yield ((name,),), f"{name} {later.NOT_YET}"


def _times(settings: Settings) -> Iterator[Finding]:
    idle, age = settings.session.idle_timeout, settings.session.max_age
    if idle > age:
        paths: tuple[Path, ...] = (("session", "max_age"), ("session", "idle_timeout"))
        yield paths, f"session.idle_timeout ({idle}) is longer than session.max_age ({age})"


def _storage(settings: Settings) -> Iterator[Finding]:
    storage = settings.storage
    if (storage.s3_access_key is None) != (storage.s3_secret_key is None):
        paths: tuple[Path, ...] = (("storage", "s3_access_key"), ("storage", "s3_secret_key"))
        yield paths, "storage.s3_access_key and storage.s3_secret_key need each other"
    for names, sentence in aws_identity.findings(storage):
        yield tuple(("storage", name) for name in names), sentence
    yield from _azure(storage)


def _azure(storage: Storage) -> Iterator[Finding]:
    for name in ("adls_account_key", "adls_endpoint"):
        if getattr(storage, name) is not None and storage.adls_account is None:
            yield (("storage", name),), f"storage.{name} needs storage.adls_account"
    if storage.adls_account is not None and not azure.is_account_name(storage.adls_account):
        yield (("storage", "adls_account"),), "storage.adls_account must have 3 to 24 small letters and digits"
    if storage.adls_account_key is not None and not azure.is_account_key(storage.adls_account_key.reveal()):
        yield (("storage", "adls_account_key"),), "storage.adls_account_key is not the key of a storage account (base64)"


def _tls(settings: Settings) -> Iterator[Finding]:
    for names, sentence in tls.findings(settings.coordinator):
        yield tuple(("coordinator", name) for name in names), sentence
    for index, provider in enumerate(settings.auth.providers):
        if isinstance(provider, MtlsProvider) and settings.coordinator.tls_client_auth == "none":
            path: Path = ("auth", "providers", index)
            yield (
                (("coordinator", "tls_client_auth"), path),
                ("auth.providers of type 'mtls' sees no certificates while coordinator.tls_client_auth is 'none'"),
            )


def _policy(settings: Settings) -> Iterator[Finding]:
    for name, sentence in settings.policy.contradictions(settings.auth.admin_roles):
        yield (("policy",), ("policy", "engines"), ("policy", name)), sentence
