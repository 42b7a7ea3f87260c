"""`sqe-server` where no engine is needed: usage, configuration, ports."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from config_files import Written

from sqe.version import __version__

LOG_IN = "[[auth.providers]]\ntype = 'static'\nusers = [{ name = 'root', password = 'very secret' }]\n"


def sqe_server(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SQE_")}
    command = [sys.executable, "-m", "sqe.server_main", *map(str, arguments)]
    return subprocess.run(command, env=environ | variables, capture_output=True, text=True, timeout=30, check=False)


def test_check_prints_the_effective_settings_without_secrets(written: Written) -> None:
    path = written(LOG_IN + "[query]\ntimeout = '5m'\n")
    found = sqe_server("--config", path, "--check", "--set", "coordinator.metrics_port=0", SQE_COORDINATOR__HEALTH_PORT="7")
    assert (found.returncode, found.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in found.stdout.splitlines()]
    assert f'timeout = "5m" # {path}:5' in lines
    assert "metrics_port = 0 # --set coordinator.metrics_port" in lines
    assert "health_port = 7 # SQE_COORDINATOR__HEALTH_PORT" in lines
    assert "very secret" not in found.stdout


REFUSED = {
    "unknown key": (
        LOG_IN + "[coordinator]\nfligt_sql_port = 1\n[log]\nlevel = 'x'",
        [
            "sqe.toml:5: unknown key 'fligt_sql_port' in [coordinator] (did you mean 'flight_sql_port'?)",
            "sqe.toml:7: log.level must be one of debug, info, warning, error, not 'x'",
        ],
    ),
    "nobody could log in": (
        "[log]\nlevel = 'info'",
        ['sqe.toml: auth.providers is empty, so nobody could log in (add [[auth.providers]] with type = "static" and users)'],
    ),
    "a later version's feature": (
        LOG_IN + "[lineage]\nurl = 'http://x'",
        ["sqe.toml:4: lineage is not available in this version yet"],
    ),
}


@pytest.mark.parametrize("check", [["--check"], []], ids=["check", "start"])
@pytest.mark.parametrize(("text", "sentences"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_configuration_ends_it_with_2_and_all_reasons(
    written: Written, text: str, sentences: list[str], check: list[str]
) -> None:
    path = written(text)
    found = sqe_server("--config", path, *check)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.replace(f"{path.parent}/", "").splitlines() == sentences


def test_wrong_usage_ends_it_with_2(written: Written) -> None:
    for arguments in (["--mode", "worker"], ["--mode", "queen"], ["--set", "nonsense"], ["extra"], ["--config"]):
        assert sqe_server("--config", written(LOG_IN), *arguments).returncode == 2
    assert sqe_server("--mode", "worker").stderr == "--mode worker is not available in this version yet\n"


def test_it_knows_its_version() -> None:
    assert sqe_server("--version").stdout == f"sqe-server {__version__}\n"


@pytest.mark.parametrize("key", ["flight_sql_port", "trino_http_port", "metrics_port", "health_port"])
def test_a_port_in_use_is_one_sentence_and_no_engine_is_started(written: Written, key: str) -> None:
    ports = {"flight_sql_port": 0, "trino_http_port": 0, "metrics_port": 0, "health_port": 0}
    with socket.create_server(("127.0.0.1", 0)) as other:
        ports[key] = other.getsockname()[1]
        path = written(LOG_IN + "[coordinator]\n" + "\n".join(f"{name} = {port}" for name, port in ports.items()))
        found = sqe_server("--config", path)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == f"CONFIGURATION_INVALID: coordinator.{key} {ports[key]} is already in use on 127.0.0.1\n"
