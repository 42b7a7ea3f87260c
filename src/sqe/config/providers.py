"""`[[auth.providers]]`: the keys of each provider type. What they do is in `sqe.identity`."""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sqe.config.keys import key, record_list, required
from sqe.config.kinds import PATH, SECRET, TEXT, TEXTS
from sqe.config.values import Secret


@dataclass(frozen=True)
class StaticUser:
    """A user of a `static` provider."""

    name: str = required(TEXT, "Name to log in with.")
    password: Secret = required(SECRET, "Password, or its argon2 hash (`$argon2id$…`).")
    roles: tuple[str, ...] = key(TEXTS, (), "Roles of the user.")
    groups: tuple[str, ...] = key(TEXTS, (), "Groups of the user.")


@dataclass(frozen=True)
class Provider:
    """A way to log in."""

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """What is wrong with keys that are fine each: the key to show, and a sentence without the provider's name."""
        yield from ()


@dataclass(frozen=True)
class StaticProvider(Provider):
    """`type = "static"`: users written in this file, for development and small teams."""

    users: tuple[StaticUser, ...] = record_list(StaticUser)


@dataclass(frozen=True)
class AnonymousProvider(Provider):
    """`type = "anonymous"`: everybody who comes without a password is let in; for development only."""

    user: str = key(TEXT, "anonymous", "Name that they all get.")
    roles: tuple[str, ...] = key(TEXTS, (), "Roles that they all get.")


@dataclass(frozen=True)
class ApiKeyProvider(Provider):
    """`type = "api_key"`: programs with a key that `sqe-server api-key` made."""

    file: Path = required(PATH, "File with the hashes of the keys and whose they are. Changes count from the next log-in.")

    def contradictions(self) -> Iterator[tuple[str, str]]:
        from sqe.identity.api_key_file import check_file

        problem = check_file(self.file)
        if problem is not None:
            yield "file", f"has a file that cannot be used: {problem}"


# By the word of the key `type`.
PROVIDERS: Mapping[str, type[Provider]] = {
    "static": StaticProvider,
    "anonymous": AnonymousProvider,
    "api_key": ApiKeyProvider,
}
