"""API keys: who gets in with one, and how soon a change of the file counts."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sqe.config.providers import ApiKeyProvider, StaticProvider, StaticUser
from sqe.config.sections import Auth
from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity.api_key import ApiKey
from sqe.identity.api_key_file import LARGEST_FILE, RELOAD_SECONDS, ApiKeyFile, BadContent, Entry, Unusable, parsed, written
from sqe.identity.api_keys import made_key
from sqe.identity.authenticator import authenticator
from sqe.identity.provider import Bearer, Certificate, Nothing, Password, Rejected

KEY, DIGEST = made_key()
OTHER_KEY, OTHER_DIGEST = made_key()
ETL = Entry("etl", DIGEST, frozenset({"writer"}), frozenset({"eu"}))
REPORTS = Entry("reports", OTHER_DIGEST)


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def let_a_look_be_due(self) -> None:
        self.now += RELOAD_SECONDS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "keys.toml"
    path.write_text(written(ETL) + written(REPORTS), encoding="utf-8")
    return path


@pytest.fixture
def provider(path: Path) -> ApiKey:
    return ApiKey(ApiKeyProvider(path))


def bearer(token: str) -> Bearer:
    return Bearer(Secret(token))


def password(user: str, password: str) -> Password:
    return Password(user, Secret(password))


@pytest.mark.parametrize(
    "credentials", [bearer(KEY), password("etl", KEY), password("", KEY), password("api_key", KEY)], ids=repr
)
def test_a_key_logs_its_user_in(provider: ApiKey, credentials: Bearer | Password) -> None:
    login = provider.identify(credentials)
    assert login is not None
    assert (login.identity.user, login.identity.roles, login.identity.groups) == ("etl", {"writer"}, {"eu"})
    assert login.identity.subject == f"key:{DIGEST.hex()[:16]}"
    assert login.tokens is None  # a key speaks to this server only; no catalog may ever see it


NOT_MINE = {
    "a JWT": bearer("eyJhbGciOiJub25lIn0.e30."),
    "an empty token": bearer(""),
    "a password": password("etl", "secret"),
    "a key as the name": password(KEY, "secret"),
    "the prefix in another case": bearer(KEY.replace("sqe_", "SQE_")),
    "a space before it": bearer(" " + KEY),
    "nothing": Nothing(),
    "a certificate": Certificate(b"0"),
}


@pytest.mark.parametrize("credentials", NOT_MINE.values(), ids=NOT_MINE.keys())
def test_what_is_no_key_is_left_to_the_next_provider(provider: ApiKey, credentials: Any) -> None:
    assert provider.identify(credentials) is None


WRONG = {
    "a key of nobody": bearer(made_key()[0]),
    "one character less": bearer(KEY[:-1]),
    "one character more": bearer(KEY + "A"),
    "a line feed behind it": bearer(KEY + "\n"),
    "a NUL behind it": bearer(KEY + "\0"),
    "the prefix alone": bearer("sqe_"),
    "the hash": bearer(f"sqe_{DIGEST.hex()}"),
    "not ASCII": bearer("sqe_" + "é" * 43),
    "a surrogate": bearer("sqe_\udcff" + "A" * 42),
    "endless": bearer("sqe_" + "A" * 10_000_000),
    "another user's name": password("reports", KEY),
    "the name in another case": password("ETL", KEY),
    "the name and a NUL": password("etl\0", KEY),
    "the name and a space": password("etl ", KEY),
}


@pytest.mark.parametrize("credentials", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_key_is_rejected(provider: ApiKey, credentials: Any) -> None:
    with pytest.raises(Rejected):
        provider.identify(credentials)


def test_a_wrong_key_never_reaches_a_weaker_provider_behind(path: Path) -> None:
    wrong = made_key()[0]
    chain = authenticator(Auth(providers=(ApiKeyProvider(path), StaticProvider((StaticUser("etl", Secret(wrong)),)))))
    with pytest.raises(SqeError) as caught:
        chain.log_in(password("etl", wrong))
    assert caught.value.code is AUTHENTICATION_FAILED
    assert chain.log_in(password("etl", KEY)).identity.provider == "api_key"


def test_a_key_ends_with_its_expiry(path: Path) -> None:
    end = datetime(2027, 1, 31, tzinfo=UTC)
    path.write_text(written(Entry("etl", DIGEST, expires=end)), encoding="utf-8")
    clock = Clock()
    provider = ApiKey(ApiKeyProvider(path), clock=clock)
    clock.now = (end - timedelta(seconds=1)).timestamp()
    login = provider.identify(bearer(KEY))
    assert login is not None
    assert login.renewer is not None
    assert login.renewer.renew(login).identity == login.identity
    clock.now = end.timestamp()
    with pytest.raises(Rejected):
        provider.identify(bearer(KEY))
    with pytest.raises(Rejected):  # so the sessions that it opened end too
        login.renewer.renew(login)


def names(file: ApiKeyFile) -> set[str]:
    return {entry.name for entry in file.entries().values()}


def replace_by_rename(path: Path, text: str) -> None:
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.rename(path)


def write_in_place_with_the_same_time(path: Path, text: str) -> None:
    """Within one tick of the file system's clock: neither time nor inode tell."""
    before = path.stat()
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("change", [replace_by_rename, write_in_place_with_the_same_time])
def test_a_change_counts_from_the_next_look(path: Path, change: Callable[[Path, str], None]) -> None:
    clock = Clock()
    file = ApiKeyFile(path, clock=clock)
    assert names(file) == {"etl", "reports"}
    change(path, written(REPORTS))
    assert names(file) == {"etl", "reports"}  # not looked at more than once a second
    clock.let_a_look_be_due()
    assert names(file) == {"reports"}
    change(path, written(ETL) + written(REPORTS))
    clock.let_a_look_be_due()
    assert names(file) == {"etl", "reports"}


def test_a_broken_file_keeps_the_old_keys_in_force_with_one_error(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    file = ApiKeyFile(path, clock=clock)
    file.entries()
    path.write_text(written(ETL) + f"[[keys]]\nname = '{KEY}'\nsha", encoding="utf-8")
    with caplog.at_level(logging.ERROR):
        for _ in range(5):
            clock.let_a_look_be_due()
            assert names(file) == {"etl", "reports"}
    (record,) = caplog.records
    assert "the keys read before stay in force" in record.getMessage()
    assert KEY not in str(record.__dict__)
    path.write_text(written(REPORTS), encoding="utf-8")
    clock.let_a_look_be_due()
    assert names(file) == {"reports"}


def remove(path: Path) -> None:
    path.unlink()


def forbid(path: Path) -> None:
    path.chmod(0)


def make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def open_to_everybody(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize("harm", [remove, forbid, make_a_folder, make_a_pipe, open_to_everybody])
def test_a_file_that_cannot_be_read_lets_nobody_in(path: Path, harm: Callable[[Path], None]) -> None:
    if harm is forbid and os.geteuid() == 0:
        pytest.skip("root may read everything")
    clock = Clock()
    file = ApiKeyFile(path, clock=clock)
    file.entries()
    harm(path)
    clock.let_a_look_be_due()
    with pytest.raises(Unusable):
        file.entries()


def test_an_outage_of_the_file_is_told_as_one_and_only_to_keys(path: Path) -> None:
    root = StaticProvider((StaticUser("root", Secret("secret")),))
    path.unlink()
    chain = authenticator(Auth(providers=(ApiKeyProvider(path), root)))
    with pytest.raises(SqeError) as caught:
        chain.log_in(bearer(KEY))
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    assert str(path) not in str(caught.value)
    assert chain.log_in(password("root", "secret")).identity.user == "root"


GOOD_HASH = f'sha256 = "{"a" * 64}"'
BAD = {
    "not TOML": "keys = [",
    "not UTF-8": b"\xff",
    "a NUL": b"\0",
    "another table": "[[key]]",
    "keys is a text": "keys = 'all'",
    "an entry is a text": "keys = ['all']",
    "no hash": "[[keys]]\nname = 'a'",
    "no name": f"[[keys]]\n{GOOD_HASH}",
    "the key and not its hash": f"[[keys]]\nname = 'a'\nsha256 = '{KEY}'",
    "a short hash": "[[keys]]\nname = 'a'\nsha256 = 'abc'",
    "an empty name": f"[[keys]]\nname = ''\n{GOOD_HASH}",
    "a name with a line feed": f'[[keys]]\nname = "a\\nb"\n{GOOD_HASH}',
    "a name that is a number": f"[[keys]]\nname = 1\n{GOOD_HASH}",
    "roles is a text": f"[[keys]]\nname = 'a'\n{GOOD_HASH}\nroles = 'admin'",
    "a role is a number": f"[[keys]]\nname = 'a'\n{GOOD_HASH}\nroles = [1]",
    "a misspelt expiry": f"[[keys]]\nname = 'a'\n{GOOD_HASH}\nexpire = 2027-01-31T00:00:00Z",
    "an expiry without a zone": f"[[keys]]\nname = 'a'\n{GOOD_HASH}\nexpires = 2027-01-31T00:00:00",
    "an expiry that is a text": f"[[keys]]\nname = 'a'\n{GOOD_HASH}\nexpires = 'never'",
    "a key twice": f"[[keys]]\nname = 'a'\n{GOOD_HASH}\n[[keys]]\nname = 'b'\n{GOOD_HASH}",
    "deeply nested": "keys = " + "[" * 100_000,
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD.keys())
def test_a_file_is_taken_as_a_whole_or_not_at_all(content: str | bytes) -> None:
    with pytest.raises(BadContent) as caught:
        parsed(content.encode() if isinstance(content, str) else content)
    assert KEY not in str(caught.value)


def test_an_oversized_file_is_not_read_to_its_end(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(LARGEST_FILE * 1000)  # sparse
    with pytest.raises(Unusable, match="larger than 4 MB"):
        ApiKeyFile(path).entries()


def test_what_the_command_writes_is_what_the_file_reads() -> None:
    entry = Entry('a "b" \\ é', DIGEST, frozenset({"x", 'y"'}), frozenset({"z"}), datetime(2027, 1, 31, 12, 30, tzinfo=UTC))
    assert parsed(written(entry).encode()) == {DIGEST: entry}
