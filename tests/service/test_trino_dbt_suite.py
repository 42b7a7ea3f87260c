"""dbt-trino's own functional tests against a server of ours. What cannot pass is in dbt/failing.json, with the reason.

They are not on PyPI: git clone --branch v1.10.2 https://github.com/starburstdata/dbt-trino, and its folder in SQE_DBT_TRINO.
SQE_DBT_TRINO_TESTS chooses some of them (pytest's arguments).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from environments import clean_environment, python_of
from server_process import ServerProcess, serving

CHECKOUT = os.environ.get("SQE_DBT_TRINO", "")
SOME = shlex.split(os.environ.get("SQE_DBT_TRINO_TESTS", "tests/functional"))
HERE = Path(__file__).parent / "dbt"

pytestmark = [
    pytest.mark.service,
    pytest.mark.long,
    pytest.mark.skipif(not CHECKOUT, reason="SQE_DBT_TRINO names no checkout of dbt-trino"),
]

# The suite's names of catalogs. Those of other connectors are not here, nor is its object store `s3://datalake`.
CONFIG = """
[coordinator]
flight_sql_port = 0
trino_http_port = 0
metrics_port = 0
health_port = 0

[engine]
driver_memory = "2g"

[[auth.providers]]
type = "anonymous"

[catalog]
name = "memory"
path = "{folder}/memory"

[catalogs.iceberg]
type = "sqlite"
path = "{folder}/iceberg"
"""


def prepared(folder: Path, port: int) -> Path:
    """The suite's tests with our address. Roles of a Hive catalog are not asked for."""
    suite = folder / "suite"
    shutil.copytree(Path(CHECKOUT) / "tests", suite / "tests")
    shutil.copy(Path(CHECKOUT) / "pytest.ini", suite)
    conftest = suite / "tests" / "conftest.py"
    text = conftest.read_text().replace('"port": 8080', f'"port": {port}')
    conftest.write_text(re.sub(r'        "roles": \{.*?\},\n', "", text, count=1, flags=re.DOTALL))
    return suite


def test_its_own_suite(tmp_path: Path) -> None:
    failing: dict[str, str] = json.loads((HERE / "failing.json").read_text())
    with serving(ServerProcess, tmp_path, CONFIG.format(folder=tmp_path)) as server:
        suite = prepared(tmp_path, int(server.ready["trino_http"].rpartition(":")[2]))
        command = [python_of(HERE / "requirements.txt"), "-m", "pytest", "-q", "-rA", "--tb=line", "-p", "no:cacheprovider"]
        users = {f"DBT_TEST_USER_{number}": f"user_{number}" for number in (1, 2, 3)}
        done = subprocess.run(
            [*command, "-m", "not delta and not hive and not postgresql", *SOME],
            cwd=suite,
            env=clean_environment(**users),
            capture_output=True,
            text=True,
        )
    said = re.findall(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) tests/functional/adapter/(\S+)", done.stdout, re.MULTILINE)
    assert said, done.stdout[-5000:] + done.stderr[-5000:]
    bad = sorted({name for outcome, name in said if outcome in ("FAILED", "ERROR")})
    good = {name for outcome, name in said if outcome == "PASSED"} - set(bad)
    print(f"\n{len(good)} passed, {len(bad)} failed")
    unexplained = [name for name in bad if not name.startswith(tuple(failing))]
    assert not unexplained, "\n".join([*unexplained, done.stdout[-20_000:]])
