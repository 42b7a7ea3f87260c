"""Where the embedded engine keeps its things: `~/.sqe` for what lasts, a private run folder for sockets, locks and the log."""

from __future__ import annotations

import os
import stat

# A unix socket's path fits in 108 bytes with its end mark (104 on macOS); the longest name in a run folder is `/flight.sock`.
_LONGEST_FOLDER = 103 - len("/flight.sock")


class PlaceError(Exception):
    """A folder that is not safe to use; the message is one sentence."""


def home() -> str:
    return os.path.join(os.path.expanduser("~"), ".sqe")


def default_warehouse() -> str:
    return os.path.join(home(), "warehouse")


def history_file() -> str:
    return os.path.join(home(), "history")


def run_root() -> str:
    """The folder of all daemons of this user, not created."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return os.path.join(runtime, "sqe") if runtime else os.path.join(home(), "run")


def run_folder(memory_limit: str = "") -> str:
    """The folder of the daemon with this memory limit, not created. One daemon serves all warehouses of its user."""
    root = run_root()
    name = memory_limit or "default"
    folder = os.path.join(root, name)
    if len(os.fsencode(folder)) <= _LONGEST_FOLDER:
        return folder
    # The name stays the same for the same root, so that all clients find the same daemon.
    import zlib

    return os.path.join(f"/tmp/sqe-{os.getuid()}-{zlib.crc32(os.fsencode(root)):08x}", name)


def run_folders() -> list[str]:
    """The run folders that exist: one for each memory limit ever used."""
    root = os.path.dirname(run_folder())
    try:
        return sorted(entry.path for entry in os.scandir(root) if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []


def make_private(folder: str) -> None:
    """Create the folder and its parent for this user alone, or make sure that they are: sockets in it are the key to the data."""
    parent = os.path.dirname(folder)
    for path in (parent, folder):
        try:
            os.makedirs(path, 0o700, exist_ok=True)
        except OSError as error:
            raise PlaceError(f"The folder {path} cannot be created: {error.strerror}") from None
        _check_private(path)


def is_private(folder: str) -> bool:
    """Whether only this user can have put a socket there. False as well when there is no such folder."""
    try:
        state = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & 0o077


def _check_private(path: str) -> None:
    state = os.lstat(path)
    if not stat.S_ISDIR(state.st_mode):
        raise PlaceError(f"{path} is not a folder; remove it")
    if state.st_uid != os.geteuid():
        raise PlaceError(f"The folder {path} belongs to another user; remove it or set XDG_RUNTIME_DIR")
    if state.st_mode & 0o077:
        os.chmod(path, 0o700)
