"""`coordinator.production_mode = true`: set-ups that are fine on a laptop and not on a network. All are named at once.

CHECKS is the whole list; a new kind of weakness is a new row.
"""

from __future__ import annotations

import ipaddress
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from sqe.config.catalogs import Catalog
from sqe.config.keys import Key, NamedTables, RecordList, Table, TableList, declarations
from sqe.config.positions import Path
from sqe.config.providers import AnonymousProvider, StaticProvider
from sqe.config.settings import Settings

Finding = tuple[tuple[Path, ...], str]

# Schemes that carry passwords, tokens or data without encryption.
PLAIN_SCHEMES = ("http", "thrift")  # ldap: starts TLS, unless its provider is insecure


class Check(NamedTuple):
    """`refuses` is the row of docs/tls.md; `find` gives the keys and the end of a sentence that begins with the mode's name."""

    refuses: str
    find: Callable[[Settings], Iterator[Finding]]


def weaknesses(settings: Settings) -> Iterator[Finding]:
    if not settings.coordinator.production_mode:
        return
    for check in CHECKS:
        for paths, sentence in check.find(settings):
            yield paths, f"production_mode refuses {sentence}"


def is_loopback(host: str) -> bool:
    """Names other than `localhost` are not looked up: their address may change."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _plain_ports(settings: Settings) -> Iterator[Finding]:
    coordinator = settings.coordinator
    if coordinator.tls_cert is None and not is_loopback(coordinator.host):
        paths: tuple[Path, ...] = (("coordinator", "production_mode"), ("coordinator", "host"))
        yield paths, f"plain ports on coordinator.host {coordinator.host}: set coordinator.tls_cert and coordinator.tls_key"


def _open_key(settings: Settings) -> Iterator[Finding]:
    path = settings.coordinator.tls_key
    try:
        readable = path is not None and path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH)
    except OSError:
        return  # reported already
    if readable:
        yield (("coordinator", "tls_key"),), f"coordinator.tls_key {path}, which every user of this machine can read"


def _anonymous(settings: Settings) -> Iterator[Finding]:
    for index, provider in enumerate(settings.auth.providers):
        if isinstance(provider, AnonymousProvider):
            yield (("auth", "providers", index),), "auth.providers of type 'anonymous'"


def _plain_passwords(settings: Settings) -> Iterator[Finding]:
    for index, provider in enumerate(settings.auth.providers):
        if not isinstance(provider, StaticProvider):
            continue
        for number, user in enumerate(provider.users):
            if not user.password.reveal().startswith("$argon2"):
                path: Path = ("auth", "providers", index, "users", number, "password")
                yield (path,), f"the plain password of the static user {user.name!r}: write its argon2 hash"


def _unbounded_audience(settings: Settings) -> Iterator[Finding]:
    for index, provider in enumerate(settings.auth.providers):
        if hasattr(provider, "audience") and not provider.audience:
            path: Path = ("auth", "providers", index)
            yield (path, (*path, "audience")), "auth.providers that take tokens for any audience: set audience"


def _plain_urls(settings: Settings) -> Iterator[Finding]:
    for path, value in _texts(settings, ()):
        scheme, colon, _ = value.partition("://")
        if colon and scheme.lower() in PLAIN_SCHEMES:
            host = urlsplit(value).hostname or ""
            if not is_loopback(host):
                name = ".".join(part for part in map(str, path) if not part.isdigit())
                yield (path,), f"the plain connection to {host} of {name}: use {scheme.lower()}s://"


def _insecure_providers(settings: Settings) -> Iterator[Finding]:
    for index, provider in enumerate(settings.auth.providers):
        if getattr(provider, "insecure", False):
            yield (("auth", "providers", index, "insecure"),), "auth.providers with insecure = true"


def _shared_storage_keys(settings: Settings) -> Iterator[Finding]:
    for name in ("s3_access_key", "gcs_credentials_file", "adls_account_key"):
        if getattr(settings.storage, name) is not None:
            yield (("storage", name),), f"storage.{name}, which all users would share: let the catalog vend keys"
    if settings.storage.s3_identity != "keys":
        sentence = (
            f"storage.s3_identity = {settings.storage.s3_identity!r}, which all users would share: let the catalog vend keys"
        )
        yield (("storage", "s3_identity"),), sentence


def _shared_catalog_identity(settings: Settings) -> Iterator[Finding]:
    default: tuple[Path, Catalog] = (("catalog",), settings.catalog)
    for path, catalog in (default, *((("catalogs", name), each) for name, each in settings.catalogs.items())):
        if catalog.backend == "rest" and catalog.auth_mode in ("none", "static"):
            sentence = f"catalog {catalog.name} with auth = {catalog.auth_mode!r}: it would not learn who asks"
            yield (path, (*path, "auth")), sentence


def _sql_in_the_log(settings: Settings) -> Iterator[Finding]:
    if settings.log.sql == "full":
        yield (("log", "sql"),), "log.sql = 'full': statements hold personal data"


def _locations(settings: Settings) -> Iterator[Finding]:
    if settings.files.allow_locations:
        yield (("files", "allow_locations"),), "files.allow_locations: statements would touch files with the server's account"


CHECKS = (
    Check("ports without TLS on an address that other machines reach", _plain_ports),
    Check("a private key that every user of the machine can read", _open_key),
    Check("the provider `anonymous`", _anonymous),
    Check("plain passwords of the provider `static` (hashes are taken)", _plain_passwords),
    Check("providers that take tokens for any audience", _unbounded_audience),
    Check("providers with `insecure = true`", _insecure_providers),
    Check("plain `http://` to other machines, in any key", _plain_urls),
    Check(
        "`s3_access_key`, an `s3_identity` other than `keys`, `gcs_credentials_file` or `adls_account_key` in `[storage]`",
        _shared_storage_keys,
    ),
    Check('REST catalogs with `auth = "none"` or `"static"`', _shared_catalog_identity),
    Check('`sql = "full"` in `[log]`', _sql_in_the_log),
    Check("`allow_locations` in `[files]`", _locations),
)


def _texts(table: object, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text that the settings hold, whatever its key: a URL in a key to come is looked at too."""
    for name, declared in declarations(type(table)):
        value, at = getattr(table, name), (*path, name)
        match declared:
            case Key(kind=kind):
                if isinstance(value, str) and not kind.secret:
                    yield at, value
            case Table():
                yield from _texts(value, at)
            case NamedTables():
                for key, each in value.items():
                    yield from _texts(each, (*at, key))
            case TableList() | RecordList():
                for index, each in enumerate(value):
                    yield from _texts(each, (*at, index))


__all__ = ["CHECKS", "Check", "is_loopback", "weaknesses"]
