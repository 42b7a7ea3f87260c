"""Where the embedded daemon lives, and whom it trusts."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sqe.cli import daemon, places


def test_the_run_folder_is_in_the_runtime_folder_or_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    assert places.run_folder() == "/run/user/7/sqe/default"
    assert places.run_folder("2g") == "/run/user/7/sqe/2g"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setenv("HOME", "/home/ann")
    assert places.run_folder() == "/home/ann/.sqe/run/default"


def test_a_path_too_long_for_a_socket_is_replaced_by_a_short_one_that_all_clients_find(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/" + "x" * 90)
    folder = places.run_folder()
    assert folder == places.run_folder()
    assert folder.startswith(f"/tmp/sqe-{os.getuid()}-")
    assert len(daemon.DaemonPaths(folder).flight_socket) <= 103


def test_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "default"
    places.make_private(str(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o755)
    assert not places.is_private(str(folder))
    places.make_private(str(folder))
    assert places.is_private(str(folder))


def test_a_link_or_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").write_text("")
    for name in ("link", "file"):
        assert not places.is_private(str(tmp_path / name))
        with pytest.raises(places.PlaceError):
            places.make_private(str(tmp_path / name))


def test_nobody_is_asked_in_a_folder_that_others_can_write_to(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    assert daemon.connect(daemon.DaemonPaths(str(folder))) is None


def test_the_log_of_a_daemon_stays_small(tmp_path: Path) -> None:
    # In a process of its own: the log takes over the standard output.
    program = """
import sys
from sqe.embedded import folder
folder.LARGEST_LOG = 1000
log = folder.BoundedLog(sys.argv[1])
for number in range(200):
    log.write(f"line {number} of many\\n")
print("from a library", flush=True)
"""
    path = tmp_path / "daemon.log"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["daemon.log", "daemon.log.1"]
    assert all(each.stat().st_size < 1100 for each in tmp_path.iterdir())
    assert path.read_text().endswith("line 199 of many\nfrom a library\n")
