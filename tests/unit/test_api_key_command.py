"""`sqe-server api-key`: a key that works, shown once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from config_files import Written

from sqe import server_main
from sqe.config.providers import ApiKeyProvider
from sqe.config.values import Secret
from sqe.identity.api_key import ApiKey
from sqe.identity.api_key_file import parsed
from sqe.identity.provider import Bearer


def made(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """The key, and the entry for the file."""
    assert server_main.run(["api-key", *arguments]) == 0
    key, _, entry = capsys.readouterr().out.partition("\n\n")
    return key, entry


def test_the_key_logs_in_once_its_entry_is_in_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    (etl, etl_entry), (bi, bi_entry) = made(capsys, "etl", "--roles", "writer,reader", "--groups", "eu"), made(capsys, "bi")
    file.write_text(etl_entry + bi_entry, encoding="utf-8")
    provider = ApiKey(ApiKeyProvider(file))
    first, second = provider.identify(Bearer(Secret(etl))), provider.identify(Bearer(Secret(bi)))
    assert first is not None
    assert second is not None
    assert (first.identity.user, first.identity.roles, first.identity.groups) == ("etl", {"writer", "reader"}, {"eu"})
    assert (second.identity.user, second.identity.roles) == ("bi", frozenset())
    assert etl not in etl_entry


@pytest.mark.parametrize(("text", "days"), [("90d", 90), ("36h", 1.5)])
def test_an_expiry_may_be_a_duration(capsys: pytest.CaptureFixture[str], text: str, days: float) -> None:
    (entry,) = parsed(made(capsys, "etl", "--expires", text)[1].encode()).values()
    assert entry.expires is not None
    assert entry.expires.timestamp() == pytest.approx(time.time() + days * 86400, abs=60)


def test_an_expiry_may_be_a_time_and_without_a_zone_is_utc(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("2999-01-31", "2999-01-31T00:00:00Z", "2999-01-31T02:00:00+02:00"):
        assert "expires = 2999-01-31T00:00:00Z\n" in made(capsys, "etl", "--expires", text)[1]


WRONG = [
    [],
    [""],
    ["a\nb"],
    [" a"],
    ["x" * 257],
    ["etl", "--roles", "a,,b"],
    ["etl", "--expires", "soon"],
    ["etl", "--expires", "2020-01-01"],
    ["etl", "--expires", "99999999999d"],
    ["etl", "--password", "x"],
    ["etl", "more"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_makes_no_key(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        server_main.run(["api-key", *arguments])
    assert caught.value.code == 2
    assert capsys.readouterr().out == ""


def test_the_server_does_not_start_with_a_file_of_keys_that_it_cannot_use(
    capsys: pytest.CaptureFixture[str], written: Written
) -> None:
    path = written("[[auth.providers]]\ntype = 'api_key'\nfile = 'keys.toml'\n")
    assert server_main.run(["--config", str(path), "--check"]) == 2
    keys = path.with_name("keys.toml")
    problem = f"auth.providers of type 'api_key' has a file that cannot be used: {keys} cannot be read: No such file or directory"
    assert capsys.readouterr().err == f"{path}:3: {problem}\n"
    keys.write_text("[[keys]]\nname = 'etl'\n", encoding="utf-8")
    assert server_main.run(["--config", str(path), "--check"]) == 2
    assert capsys.readouterr().err.endswith("cannot be used: entry 1 needs 'sha256', 64 hex digits\n")
    keys.write_text(made(capsys, "etl")[1], encoding="utf-8")
    assert server_main.run(["--config", str(path), "--check"]) == 0
