"""The command `sqe-bench`, with the smallest numbers: that it runs, not what it measures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sqe.bench.workspace import alone_in

pytestmark = pytest.mark.service


def test_warm_prints_one_json_line_a_figure(tmp_path: Path) -> None:
    command = [
        str(Path(sys.executable).with_name("sqe-bench")),
        "warm",
        "--repeat",
        "1",
        "--rows",
        "100",
        "--folder",
        str(tmp_path),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [line["name"] for line in lines] == ["warm.select_1", "warm.point_query", "warm.jobs"]
    assert all(list(line) == ["name", "ours", "peer", "ratio", "target", "ok"] for line in lines)
    # The one figure that does not depend on the machine.
    assert lines[2] == {"name": "warm.jobs", "ours": 0, "peer": None, "ratio": None, "target": 0, "ok": True}


def test_a_command_waits_for_another_one_in_its_folder(tmp_path: Path) -> None:
    """Both would make the same files."""
    command = [str(Path(sys.executable).with_name("sqe-bench")), "generate", "ssb", "--scale", "0.01", "--folder", str(tmp_path)]
    with alone_in(tmp_path):
        waiting = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert waiting.stderr is not None
        line = waiting.stderr.readline()
        while line and "waiting" not in line:  # a machine that is not set up says so before
            line = waiting.stderr.readline()
        assert line == f"waiting for another sqe-bench in {tmp_path}\n"
        assert not (tmp_path / "data").exists()
    answer, _ = waiting.communicate(timeout=120)
    assert (waiting.returncode, answer) == (0, f"{tmp_path}/data/ssb_sf0_01\n")
