"""The kinds of values a key can have: how each is read from TOML and from an environment variable, and what docs call it.

A kind raises `Wrong` with the rest of a sentence that begins with the key's name ("must be …"). It never repeats the
value when that could be a secret.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from sqe.config.later import NOT_YET
from sqe.config.values import Duration, Secret, Size

T = TypeVar("T")


class Wrong(ValueError):
    """Why a value cannot be taken, as the end of a sentence."""


class Context(NamedTuple):
    """What reading a value may depend on: the environment (secrets) and the folder that relative paths start from."""

    environ: Mapping[str, str]
    folder: Path


def toml_value(text: str) -> Any:
    """A value written as in TOML: lists and tables in environment variables."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        raise Wrong("must be written as a TOML value") from None


class Kind(NamedTuple, Generic[T]):
    """One kind of value. `text` turns an environment variable into what TOML would have given."""

    name: str
    read: Callable[[Any, Context], T]
    text: Callable[[str], Any] = toml_value
    secret: bool = False


def _text(raw: Any, _: Context) -> str:
    if not isinstance(raw, str):
        raise Wrong(f"must be a text, not {toml_type(raw)}")
    if not raw.strip():
        raise Wrong("must not be empty")
    return raw


def _boolean(raw: Any, _: Context) -> bool:
    if not isinstance(raw, bool):
        raise Wrong(f"must be true or false, not {toml_type(raw)}")
    return raw


def _boolean_text(text: str) -> Any:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)


def _integer_text(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def integer(least: int, most: int, name: str) -> Kind[int]:
    def read(raw: Any, _: Context) -> int:
        if isinstance(raw, bool) or not isinstance(raw, int):
            raise Wrong(f"must be a whole number, not {toml_type(raw)}")
        if not least <= raw <= most:
            raise Wrong(f"must be between {least} and {most}, not {raw}")
        return raw

    return Kind(name, read, _integer_text)


def duration(least: str, most: str) -> Kind[Duration]:
    lower, upper = Duration.parse(least), Duration.parse(most)

    def read(raw: Any, _: Context) -> Duration:
        try:
            value = Duration.parse(raw) if isinstance(raw, str) else None
        except ValueError:
            value = None
        if value is None:
            raise Wrong('must be a duration such as "30s", "15m" or "8h"')
        if not lower <= value <= upper:
            raise Wrong(f"must be between {least} and {most}, not {value}")
        return value

    return Kind("duration", read, str)


def size(least: str, most: str) -> Kind[Size]:
    lower, upper = Size.parse(least), Size.parse(most)

    def read(raw: Any, _: Context) -> Size:
        try:
            value = Size.parse(str(raw)) if isinstance(raw, (str, int)) and not isinstance(raw, bool) else None
        except ValueError:
            value = None
        if value is None:
            raise Wrong('must be a size such as "512m" or "3g"')
        if not lower <= value <= upper:
            raise Wrong(f"must be between {least} and {most}, not {value}")
        return value

    return Kind("size", read, str)


def choice(values: tuple[str, ...], *, later: tuple[str, ...] = ()) -> Kind[str]:
    """One of a few words; `later` are those of the contract that this version does not have."""

    def read(raw: Any, context: Context) -> str:
        word = _text(raw, context)
        if word in later:
            raise Wrong(f"{word!r} {NOT_YET}")
        if word not in values:
            raise Wrong(f"must be one of {', '.join(values)}, not {word!r}")
        return word

    return Kind(" | ".join(values), read, str)


def _texts(raw: Any, context: Context) -> tuple[str, ...]:
    if not isinstance(raw, list):
        raise Wrong(f"must be a list of texts, not {toml_type(raw)}")
    return tuple(_text(item, context) for item in raw)


def _texts_text(text: str) -> Any:
    """`a,b` as well as `["a", "b"]`."""
    return toml_value(text) if text.lstrip().startswith("[") else [part.strip() for part in text.split(",") if part.strip()]


def _text_or_texts(raw: Any, context: Context) -> tuple[str, ...]:
    return (_text(raw, context),) if isinstance(raw, str) else _texts(raw, context)


def words(values: tuple[str, ...]) -> Kind[tuple[str, ...]]:
    """Some of a few words, at least one."""
    one = choice(values)

    def read(raw: Any, context: Context) -> tuple[str, ...]:
        chosen = tuple(one.read(item, context) for item in _texts(raw, context))
        if not chosen:
            raise Wrong("must not be empty")
        return chosen

    return Kind(f"list of {one.name}", read, _texts_text)


def _path(raw: Any, context: Context) -> Path:
    """Relative paths start at the folder of the file that holds them (in variables and flags: the current one)."""
    path = Path(_text(raw, context)).expanduser()
    return Path(context.folder, path)


def _host(raw: Any, context: Context) -> str:
    host = _text(raw, context)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if not re.fullmatch(r"(?!-)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", host):
            raise Wrong(f"must be an address or a host name, not {host!r}") from None
    return host


def _name(raw: Any, context: Context) -> str:
    name = _text(raw, context)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
        raise Wrong(f"must start with a letter and hold only letters, digits, '_' and '-', not {name!r}")
    return name


def _url(raw: Any, context: Context) -> str:
    url = _text(raw, context)
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:.", url) or re.search(r"\s", url):
        raise Wrong("must be a URI such as https://host/path")
    return url


def _secret(raw: Any, context: Context) -> Secret:
    if isinstance(raw, str):
        value = raw
    elif isinstance(raw, dict) and len(raw) == 1 and isinstance(raw.get("env"), str):
        if raw["env"] not in context.environ:
            raise Wrong(f"takes its value from the environment variable {raw['env']}, which is not set")
        value = context.environ[raw["env"]]
    elif isinstance(raw, dict) and len(raw) == 1 and isinstance(raw.get("file"), str):
        value = _secret_file(Path(context.folder, Path(raw["file"]).expanduser()))
    else:
        raise Wrong('must be a text, { env = "NAME" } or { file = "PATH" }')
    if not value:
        raise Wrong("must not be empty")
    return Secret(value)


def _secret_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        raise Wrong(f"cannot be read from {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Wrong(f"cannot be read from {path}: it is not UTF-8 text") from None


def text_map(checked: Callable[[str, str], None]) -> Kind[Mapping[str, str]]:
    """Names to values. `a.b = 1` without quotes is a nested table in TOML; both spellings mean the name "a.b"."""

    def flat(raw: Any, prefix: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, value in raw.items():
            if isinstance(value, dict):
                found |= flat(value, f"{prefix}{name}.")
            elif isinstance(value, (str, int, float)):
                found[prefix + name] = str(value).lower() if isinstance(value, bool) else str(value)
                checked(prefix + name, found[prefix + name])
            else:
                raise Wrong(f"{prefix}{name} must be a text or a number, not {toml_type(value)}")
        return found

    def read(raw: Any, _: Context) -> Mapping[str, str]:
        if not isinstance(raw, dict):
            raise Wrong(f"must be a table, not {toml_type(raw)}")
        return MappingProxyType(flat(raw, ""))

    return Kind("table", read)


def toml_type(raw: Any) -> str:
    """What TOML calls the type of a value, for messages."""
    names = {str: "a text", bool: "a boolean", int: "a whole number", float: "a fraction", list: "a list", dict: "a table"}
    return names.get(type(raw), "a date or time")


TEXT = Kind("text", _text, str)
TEXTS = Kind("list of texts", _texts, _texts_text)
TEXT_OR_TEXTS = Kind("text or list of texts", _text_or_texts, _texts_text)
BOOLEAN = Kind("boolean", _boolean, _boolean_text)
PORT = integer(0, 65535, "port")
HOST = Kind("address", _host, str)
PATH = Kind("path", _path, str)
NAME = Kind("name", _name, str)
URL = Kind("URI", _url, str)
SECRET = Kind("secret", _secret, str, secret=True)
