"""The command line of `sqe`: what is understood and what is refused, each refusal in one sentence."""

from __future__ import annotations

import pytest

from sqe.cli.arguments import FLAGS, UsageError, help_text, parse


def test_all_flags_are_understood_in_every_spelling() -> None:
    options = parse(
        ["-Hdb", "--port=1234", "-u", "root", "--tls", "--insecure", "-e", "SELECT 1", "-eSELECT 2", "-f", "json", "-o", "x"]
    )
    assert (options.host, options.port, options.user, options.tls, options.insecure) == ("db", 1234, "root", True, True)
    assert (options.execute, options.format, options.output) == (["SELECT 1", "SELECT 2"], "json", "x")
    options = parse(
        ["--embedded", "--catalog", "a=/x", "--catalog=b=y=z", "--memory-limit", "2GB", "--no-daemon", "--dialect", "duckdb"]
    )
    assert (options.catalogs, options.memory_limit) == ({"a": "/x", "b": "y=z"}, "2g")
    assert (options.no_daemon, options.dialect) == (True, "duckdb")
    assert parse(["--protocol", "flight", "--host", "h", "--username", "root"]).user == "root"
    assert parse(["-e", "--1"]).execute == ["--1"]
    assert parse(["daemon", "stop"]).daemon == "stop"
    login = parse(["login", "-H", "db", "--tls", "--browser", "--issuer", "https://idp", "--client-id=cli"])
    assert (login.login, login.browser, login.issuer, login.client_id) == ("login", True, "https://idp", "cli")
    assert login.server == "grpc+tls://db:50051"
    assert parse(["logout", "-H::1", "-p1"]).server == "grpc://[::1]:1"
    assert parse(["login", "--status"]).status


@pytest.mark.parametrize(
    ("arguments", "server"),
    [
        (["--host", "db"], "grpc://db:50051"),
        (["--host", "db", "--port", "1234"], "grpc://db:1234"),
        (["--host", "127.0.0.1:1234", "--tls"], "grpc+tls://127.0.0.1:1234"),
        (["--host", "::1", "--port", "1234"], "grpc://[::1]:1234"),
    ],
)
def test_a_host_may_have_its_port(arguments: list[str], server: str) -> None:
    assert parse(arguments).server == server


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--formt", "csv"], "unknown option --formt; did you mean --format?"),
        (["-f", "xml"], "-f must be one of table, csv, tsv, json, jsonl, markdown, arrow, parquet, not 'xml'"),
        (["SELECT 1"], "unexpected argument 'SELECT 1'; SQL is given with -e"),
        (["-e"], "-e needs a value (SQL)"),
        (["--memory=yes"], "--memory takes no value"),
        (["--host", "a", "--host", "b"], "--host is given twice"),
        (["--host", "a", "--memory"], "--memory is for the embedded engine and does not go with --host"),
        (["--host", "a", "--memory-limit", "2g"], "--memory-limit is for the embedded engine and does not go with --host"),
        (["-u", "root"], "--user needs --host"),
        (["--host", "a", "--protocol", "http"], "--protocol http is not available in this version; use --protocol flight"),
        (["--host", "a", "--insecure"], "--insecure needs --tls"),
        (["--host", "a:1", "--port", "1"], "--host has a port already: leave --port out"),
        (["--host", "a:http"], "--port must be a number from 1 to 65535, not 'http'"),
        (["--host", "a:"], "--port must be a number from 1 to 65535, not ''"),
        (["--host", "a", "--port", "0"], "--port must be a number from 1 to 65535, not '0'"),
        (["--memory", "--warehouse", "x"], "--memory and --warehouse exclude each other"),
        (["--memory-limit", "lots"], "--memory-limit must be a size such as 2g or 1536m, not 'lots'"),
        (["--catalog", "x"], "--catalog needs NAME=PATH with a plain name, not 'x'"),
        (["--catalog", "lake=x"], "catalog 'lake' is mounted already"),
        (["-e", "x", "--file", "y"], "--execute and --file exclude each other"),
        (["daemon"], "sqe daemon takes one of: status, stop"),
        (["daemon", "restart"], "sqe daemon takes one of: status, stop"),
        (["login"], "sqe login needs --host"),
        (["logout"], "sqe logout needs --host"),
        (["login", "db"], "sqe login takes no 'db'; the server is given with --host"),
        (["login", "-H", "db", "-e", "SELECT 1"], "--execute does not go with sqe login"),
        (["login", "-H", "db", "--token", "t"], "--token does not go with sqe login"),
        (["logout", "-H", "db", "--browser"], "--browser does not go with sqe logout"),
        (["login", "-H", "db", "--status", "--browser"], "--status goes alone, or with --host"),
        (["-H", "db", "--browser"], "--browser goes with sqe login"),
        (["--client-id", "x"], "--client-id goes with sqe login"),
    ],
)
def test_a_wrong_command_line_is_refused_in_one_sentence(argv: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse(argv)
    assert str(refusal.value) == sentence


def test_help_wins_and_names_every_flag() -> None:
    assert parse(["--help"]).help
    for flag in FLAGS:
        assert all(name in help_text() for name in flag.names)
