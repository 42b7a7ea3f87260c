"""What ATTACH and CREATE SECRET take, as data: the options of each type, and what a secret is for a catalog or a file."""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqe import errors
from sqe.attached.store import Secret
from sqe.config.catalogs import NEEDS, RESERVED_NAMES, TYPES, backend
from sqe.engine.catalogs import storage
from sqe.engine.files import store_settings
from sqe.errors import SqeError

log = logging.getLogger("sqe.attached")


@dataclass(frozen=True)
class SecretKind:
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()
    scope: str = ""  # what files it opens when it does not say


SECRETS: Mapping[str, SecretKind] = {
    "bearer": SecretKind(("token",)),
    "basic": SecretKind(("user", "password")),
    "aws": SecretKind(("key_id", "secret"), ("region", "endpoint", "path_style"), "s3://"),
    "oauth2": SecretKind(("client_id", "client_secret"), ("token_endpoint", "oauth_scope")),
    "azure": SecretKind(("account_name", "account_key"), ("endpoint",), "abfss://"),
    "gcs": SecretKind((), ("json", "project", "endpoint"), "gs://"),
}

# The option of a catalog that the address in ATTACH stands for.
_ADDRESS = {"sqlite": "path", "hadoop": "warehouse", "glue": "warehouse", "s3tables": "table_bucket_arn"}
_TAKES: Mapping[str, tuple[str, ...]] = {
    "sqlite": (),
    "hadoop": (),
    "jdbc": ("warehouse", "stored_name"),
    "hive": ("warehouse",),
    "rest": ("warehouse", "region", "signing_name", "access_delegation"),
    "glue": ("region", "catalog_id", "uri"),
    "s3tables": ("uri",),
}
_STORAGE = ("s3_endpoint", "s3_region", "s3_path_style")
_USES: Mapping[str, tuple[str, ...]] = {
    "rest": ("bearer", "oauth2", "aws", "basic"),
    "jdbc": ("basic", "aws", "gcs", "azure"),
    "hive": ("aws", "gcs", "azure"),
    "hadoop": ("aws",),
    "glue": ("aws",),
    "s3tables": ("aws",),
}

# A secret's values by the names that [storage] has for them.
_OTHER_STORES: Mapping[str, Mapping[str, str]] = {
    "gcs": {"json": "gcs_credentials", "project": "gcs_project", "endpoint": "gcs_endpoint"},
    "azure": {"account_name": "adls_account", "account_key": "adls_account_key", "endpoint": "adls_endpoint"},
}


def catalog_options(address: str, given: Mapping[str, str], secret: Secret | None) -> dict[str, str]:
    """The options of a catalog as sqe.toml would have them, without the secret's values."""
    kind = given.get("type") or _guessed(address)
    if kind not in TYPES:
        raise _wrong(f"There is no catalog type {kind}", f"one of {', '.join(TYPES)}")
    base = backend(kind)
    unknown = [name for name in given if name not in ("type", "secret", *_TAKES[base], *(() if base == "sqlite" else _STORAGE))]
    if unknown:
        raise _wrong(f"A catalog of type {kind} has no option {unknown[0].upper()}")
    if re.search(r"://[^/@]*:[^/@]*@|password=", address, re.IGNORECASE):
        raise _wrong("The address of a catalog has no password in it", "CREATE SECRET … and the option SECRET")
    options = {"type": kind, _ADDRESS.get(base, "uri"): address} | {
        name: text for name, text in given.items() if name not in ("type",)
    }
    missing = [name for name in NEEDS[base] if not options.get(name)]
    if missing:
        raise _wrong(f"A catalog of type {kind} needs the option {missing[0].upper()}")
    if secret is not None and secret.type not in _USES.get(base, ()):
        raise _wrong(f"A catalog of type {kind} takes no secret of type {secret.type}")
    if base in ("glue", "s3tables") and secret is None:
        raise _wrong(f"A catalog of type {kind} needs a secret of type aws")
    return options


def with_secret(options: Mapping[str, str], secrets: Mapping[str, Secret]) -> dict[str, str]:
    """For the engine only: the catalog's options and what its secret adds to them. A secret that is gone closes the catalog."""
    result = {name: text for name, text in options.items() if name != "secret"}
    name = options.get("secret")
    base = backend(options["type"])
    if name is None:
        return result | ({"auth": "none"} if base == "rest" else {})
    if name not in secrets:
        raise SqeError(errors.NOT_FOUND, f"The secret {name} does not exist")
    values, kind = secrets[name].values, secrets[name].type
    if kind == "aws":
        keys = {"access_key": values["key_id"], "secret_key": values["secret"]}
        if base in ("jdbc", "hive", "hadoop"):
            keys = {"s3_access_key": values["key_id"], "s3_secret_key": values["secret"]}
        return result | keys | _store_options(values) | ({"auth": "sigv4"} if base == "rest" else {})
    if kind == "basic" and base == "jdbc":
        return result | {"user": values["user"], "password": values["password"]}
    if kind in _OTHER_STORES:
        return result | _renamed(values, _OTHER_STORES[kind])
    return result | {f"attached_{key}": text for key, text in values.items()} | {"auth": f"attached_{kind}"}


def _store_options(values: Mapping[str, str]) -> dict[str, str]:
    return _renamed(values, {"region": "s3_region", "endpoint": "s3_endpoint", "path_style": "s3_path_style"})


def _renamed(values: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    return {names[key]: text for key, text in values.items() if key in names}


def file_keys(secrets: Iterable[Secret]) -> dict[str, object]:
    """What files the secrets open (jvm: FileAccess.scala)."""
    headers: list[object] = []
    stores: list[object] = []
    for each in secrets:
        scope = each.scope or SECRETS[each.type].scope
        if each.type == "aws":
            keys = {"s3_access_key": each.values["key_id"], "s3_secret_key": each.values["secret"]}
            stores.append({"scope": scope, "settings": store_settings(keys | _store_options(each.values))})
        elif each.type in _OTHER_STORES and (settings := _settings_of_store(each)):
            stores.append({"scope": scope, "settings": settings})
        elif each.type == "bearer" and scope:
            headers.append({"scope": scope, "headers": {"Authorization": f"Bearer {each.values['token']}"}})
        elif each.type == "basic" and scope:
            both = base64.b64encode(f"{each.values['user']}:{each.values['password']}".encode()).decode()
            headers.append({"scope": scope, "headers": {"Authorization": f"Basic {both}"}})
    return {"headers": headers, "stores": stores}


def _settings_of_store(secret: Secret) -> dict[str, str] | None:
    """None when it cannot be used: a secret must not close the session, nor must a machine without a network."""
    options = _renamed(secret.values, _OTHER_STORES[secret.type])
    try:
        return storage.gcs(options) if secret.type == "gcs" else storage.adls(options)
    except SqeError as error:
        log.warning("the secret %s opens no files: %s", secret.name, error)
        return None


def checked_secret(name: str, given: Mapping[str, str]) -> Secret:
    kind = given.get("type", "").lower()
    if kind not in SECRETS:
        raise _wrong(f"There is no secret type {kind or 'given'}", f"one of {', '.join(SECRETS)}")
    declared = SECRETS[kind]
    values = {key: text for key, text in given.items() if key not in ("type", "scope")}
    for key in values:
        if key not in (*declared.needs, *declared.takes):
            raise _wrong(
                f"A secret of type {kind} has no {key.upper()}", f"it has {', '.join((*declared.needs, *declared.takes)).upper()}"
            )
    for key in declared.needs:
        if not values.get(key):
            raise _wrong(f"A secret of type {kind} needs {key.upper()}")
    if kind == "gcs":
        storage.service_account(_renamed(values, _OTHER_STORES[kind]))
    if kind == "azure":
        storage.storage_account(_renamed(values, _OTHER_STORES[kind]))
    scope = given.get("scope", "")
    if scope and not re.fullmatch(r"(s3|https?|hf|gs|abfss)://\S*", scope):
        raise _wrong("The scope of a secret is a place such as s3://bucket/ or https://host/")
    return Secret(name, kind, values, scope)


def checked_name(name: str, what: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w{0,127}", name):
        raise _wrong(f"{name!r} cannot be the name of a {what}: letters, digits and _ only")
    if what == "catalog" and name.lower() in RESERVED_NAMES:
        raise _wrong(f"The name {name} is reserved")
    return name


def _guessed(address: str) -> str:
    beginnings = {"jdbc:": "jdbc", "thrift:": "hive", "http://": "rest", "https://": "rest", "arn:aws": "s3tables"}
    for beginning, kind in beginnings.items():
        if address.startswith(beginning):
            return kind
    if "://" in address and not storage.location(address).startswith("file:"):
        raise _wrong("What kind of catalog this is cannot be told from its address", "say it with TYPE")
    return "sqlite"


def _wrong(sentence: str, hint: str | None = None) -> SqeError:
    return SqeError(errors.INVALID_ARGUMENTS, sentence, hint=hint)
