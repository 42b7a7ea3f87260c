"""The audit log as files: what is written can be checked, and whatever is done to it afterwards shows."""

from __future__ import annotations

import json
import os
import resource
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sqe import server_main
from sqe.config.audit import Audit
from sqe.config.values import Duration, Secret, Size
from sqe.observe.audit.chain import Chain
from sqe.observe.audit.files import AuditFiles, Unusable, set_aside
from sqe.observe.audit.verify import Tampered, verified

NOW = 1_800_000_000.0
KEY = Secret("a key of sufficient length")


def settings(path: Path, **changes: object) -> Audit:
    return Audit(enabled=True, path=path, **changes)  # type: ignore[arg-type]


def write(path: Path, *texts: str, now: float = NOW, key: Secret | None = None, **changes: object) -> AuditFiles:
    """What one life of a server writes, one append a text."""
    files = AuditFiles(settings(path, **changes), Chain(key))
    files.open(now)
    for text in texts:
        files.append([{"event": "statement", "sql": text}], now)
    files.close()
    return files


def log_of(tmp_path: Path, count: int = 5, key: Secret | None = None) -> Path:
    path = tmp_path / "audit.jsonl"
    write(path, *(f"SELECT {number}" for number in range(1, count + 1)), key=key)
    return path


def check(*arguments: object) -> int:
    return server_main.run(["audit", "verify", *map(str, arguments)])


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_an_untouched_log_is_intact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log_of(tmp_path)
    assert check(path) == 0
    said = capsys.readouterr().out
    head = json.loads(lines(path)[-1])["hash"]
    assert said.startswith(f"OK: 5 lines in 1 file, seq 1 to 5, head {head}")
    assert check(path, "--head", head) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def changed(parts: list[bytes]) -> list[bytes]:
    return [parts[0], parts[1], parts[2].replace(b"SELECT 3", b"SELECT 9"), *parts[3:]]


def resealed(parts: list[bytes]) -> list[bytes]:
    """Somebody who knows how lines are made, but not that the next one holds the old hash."""
    fields = json.loads(parts[2])
    fields.pop("hash")
    fields["sql"] = "SELECT 'nothing to see'"
    from sqe.observe.audit.chain import Link

    before = Link(fields.pop("seq") - 1, fields.pop("prev"))
    fields.pop("alg")
    return [*parts[:2], Chain().sealed(fields, before)[0], *parts[3:]]


TAMPERINGS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "a changed line": (changed, "line 3: its hash does not match"),
    "a changed and sealed line": (resealed, "line 4: it does not follow the line before it"),
    "a deleted line": (lambda parts: parts[:2] + parts[3:], "line 3: it has seq 4, but 3 comes next: lines were removed"),
    "a deleted first line": (lambda parts: parts[1:], "line 1: it has seq 2, and the lines before it in this file are missing"),
    "an inserted line": (lambda parts: [*parts[:3], parts[1], *parts[3:]], "line 4: it has seq 2, but 4 comes next"),
    "a foreign line": (lambda parts: [*parts[:2], b'{"event":"statement"}\n', *parts[2:]], "line 3: it is not a whole line"),
    "a blank line": (lambda parts: [*parts[:2], b"\n", *parts[2:]], "line 3: it is not a whole line"),
    "two lines in another order": (lambda parts: [parts[0], parts[2], parts[1], *parts[3:]], "line 2: it has seq 3, but 2"),
    "a cut last line": (lambda parts: [*parts[:4], parts[4][:40]], "line 5: it is cut off"),
    "a last line without its end": (lambda parts: [*parts[:4], parts[4][:-1]], "line 5: it is cut off"),
    "a cut line in the middle": (lambda parts: [*parts[:2], parts[2][:40] + b"\n", *parts[3:]], "line 3: it is not a whole line"),
    "joined lines": (lambda parts: [*parts[:2], parts[2][:-1] + parts[3], parts[4]], "line 3: it is not a whole line"),
    "changed space": (lambda parts: [parts[0].replace(b":", b": ", 1), *parts[1:]], "line 1: its hash does not match"),
    "no lines at all": (lambda _: [], "line 1: the file has no lines"),
}


@pytest.mark.parametrize("name", TAMPERINGS)
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "keyed"])
def test_what_is_done_to_a_log_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, key: Secret | None
) -> None:
    tamper, reason = TAMPERINGS[name]
    path = log_of(tmp_path, key=key)
    path.write_bytes(b"".join(tamper(lines(path))))
    monkeypatch.setenv("AUDIT_KEY", KEY.reveal())
    if key and name == "a changed and sealed line":
        reason = "line 3: it is sealed with sha256, not with hmac-sha256"
    assert check(path, *(["--key-env", "AUDIT_KEY"] if key else [])) == 1
    assert reason in capsys.readouterr().err


def test_lines_missing_at_the_end_show_when_the_head_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log_of(tmp_path)
    head = json.loads(lines(path)[-1])["hash"]
    path.write_bytes(b"".join(lines(path)[:3]))
    assert check(path) == 0
    assert "note: the last line is not a stop of the server" in capsys.readouterr().out
    assert check(path, "--head", head) == 1
    assert "lines are missing at the end" in capsys.readouterr().err


def test_a_keyed_log_needs_its_key(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = log_of(tmp_path, key=KEY)
    (tmp_path / "key").write_text(KEY.reveal() + "\n")
    (tmp_path / "other").write_text("another key of sufficient length")
    assert check(path, "--key-file", tmp_path / "key") == 0
    assert check(path, "--key-file", tmp_path / "other") == 1
    assert "the key is another" in capsys.readouterr().err
    assert check(path) == 2
    assert "sealed with a key" in capsys.readouterr().err
    monkeypatch.delenv("NOT_SET", raising=False)
    with pytest.raises(SystemExit, match="2"):
        check(path, "--key-env", "NOT_SET")


def test_a_new_plain_chain_is_not_taken_for_a_keyed_one(tmp_path: Path) -> None:
    path = log_of(tmp_path, key=KEY)
    forged = tmp_path / "forged.jsonl"
    write(forged, "SELECT 'harmless'")
    with pytest.raises(Tampered, match="sealed with sha256"):
        verified([forged], Chain(KEY))
    with pytest.raises(Tampered):
        verified([path], Chain(Secret("another key of sufficient length")))


@pytest.mark.parametrize("arguments", [[], ["verify"], ["check", "x"], ["verify", "--nonsense", "x"]])
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        server_main.run(["audit", *arguments])


def test_a_missing_file_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path / "none") == 2
    assert "No such file" in capsys.readouterr().err


# Files.


def test_a_restart_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    path = log_of(tmp_path, 2)
    write(path, "SELECT 3")
    assert [json.loads(line)["seq"] for line in lines(path)] == [1, 2, 3]
    assert verified([path], Chain()).lines == 3


def test_a_full_file_is_set_aside_and_the_chain_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, *(f"SELECT {'x' * 400}" for _ in range(10)), rotate_size=Size(1500))
    aside = set_aside(path)
    assert [each.name for each in aside] == [f"audit.{json.loads(lines(each)[0])['seq']:012d}.jsonl" for each in aside]
    assert len(aside) >= 2
    first = json.loads(lines(path)[0])
    assert (first["event"], first["previous_file"]) == ("audit_continued", aside[-1].name)
    assert first["prev"] == json.loads(lines(aside[-1])[-1])["hash"]
    found = verified([path, *reversed(aside)], Chain())
    assert found.files == len(aside) + 1
    assert verified([path], Chain()).first is not None, "a single file is checked as far as it goes"
    with pytest.raises(Tampered, match="a file, or lines at the end of the one before, are missing"):
        verified([aside[0], path], Chain())
    aside[0].write_bytes(b"".join(lines(aside[0])[:-1]))
    with pytest.raises(Tampered, match="line 1: it has seq"):
        verified([path, *aside], Chain())


def test_an_old_file_is_set_aside_also_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    day = Duration.parse("1d")
    files = AuditFiles(settings(path, rotate_every=day), Chain())
    files.open(NOW)
    files.append([{"ts": "2027-01-15T08:00:00.000Z", "event": "statement"}], NOW)
    files.close()
    write(path, "SELECT 2", now=NOW + day - 10, rotate_every=day)
    assert set_aside(path) == []
    write(path, "SELECT 3", now=NOW + day + 10, rotate_every=day)
    assert len(set_aside(path)) == 1
    assert verified([path, *set_aside(path)], Chain()).lines == 4


def test_only_as_many_files_are_kept_as_wanted(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, *("SELECT 1" for _ in range(20)), rotate_size=Size(300), keep_files=2)
    assert len(set_aside(path)) == 2
    found = verified([path, *set_aside(path)], Chain())
    assert found.first is not None
    assert found.first.seq > 1


def test_a_crash_between_two_files_loses_nothing(tmp_path: Path) -> None:
    path = log_of(tmp_path, 3)
    path.rename(tmp_path / "audit.000000000001.jsonl")
    write(path, "SELECT 4")
    assert verified([path, tmp_path / "audit.000000000001.jsonl"], Chain()).lines == 5


@pytest.mark.parametrize("torn", [b'{"seq":4,"prev":"abc', b"\0" * 512, b"x"])
@pytest.mark.parametrize("whole", [3, 0])
def test_what_a_crash_left_is_marked_and_can_be_told(tmp_path: Path, torn: bytes, whole: int) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, *("SELECT 1" for _ in range(whole)))
    with path.open("ab") as file:
        file.write(torn)
    with pytest.raises(Tampered, match="cut off"):
        verified([path], Chain())
    write(path, "SELECT 'after'")
    found = verified([path], Chain())
    assert (found.lines, found.repaired) == (whole + 2, 1)
    path.write_bytes(path.read_bytes().replace(torn, torn + b"y", 1))
    with pytest.raises(Tampered):  # the mark belongs to what was cut
        verified([path], Chain())


def test_a_broken_end_is_not_built_upon(tmp_path: Path) -> None:
    path = log_of(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"SELECT 5", b"SELECT 6"))
    with pytest.raises(Unusable, match="is not intact"):
        write(path, "SELECT 6")


def test_a_new_key_begins_a_new_file(tmp_path: Path) -> None:
    path = log_of(tmp_path, 2)
    write(path, "SELECT 3", key=KEY)
    (old,) = set_aside(path)
    assert verified([old], Chain()).lines == 2
    assert verified([path], Chain(KEY)).lines == 2
    assert json.loads(lines(path)[0])["prev"] == json.loads(lines(old)[-1])["hash"]


def test_a_file_that_is_moved_away_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    files = AuditFiles(settings(path), Chain())
    files.open(NOW)
    files.append([{"event": "statement"}], NOW)
    path.rename(tmp_path / "stolen")
    files.append([{"event": "statement"}], NOW)
    files.close()
    assert [json.loads(line)["event"] for line in lines(path)] == ["audit_continued", "statement"]
    assert verified([tmp_path / "stolen", path], Chain()).lines == 3


def test_links_are_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("keep")
    (tmp_path / "audit.jsonl").symlink_to(target)
    with pytest.raises(Unusable, match="symbolic link"):
        write(tmp_path / "audit.jsonl", "SELECT 1")
    os.link(target, tmp_path / "hard.jsonl")
    with pytest.raises(Unusable, match="plain file"):
        write(tmp_path / "hard.jsonl", "SELECT 1")
    with pytest.raises(Unusable, match="plain file"):
        write(Path("/dev/full"), "SELECT 1")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unusable, match="plain file"):
        write(tmp_path / "pipe", "SELECT 1")
    assert target.read_text() == "keep"


def test_two_servers_do_not_write_one_log(tmp_path: Path) -> None:
    files = AuditFiles(settings(tmp_path / "audit.jsonl"), Chain())
    files.open(NOW)
    with pytest.raises(Unusable, match="another process"):
        write(tmp_path / "audit.jsonl", "SELECT 1")
    files.close()
    write(tmp_path / "audit.jsonl", "SELECT 1")


def test_an_open_file_is_made_private(tmp_path: Path) -> None:
    path = log_of(tmp_path)
    path.chmod(0o666)
    write(path, "SELECT 6")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """Files cannot grow beyond `size`: writes stop in the middle, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    path = log_of(tmp_path, 3)
    files = AuditFiles(settings(path), Chain())
    files.open(NOW)
    whole = path.read_bytes()
    with disk_of(len(whole) + 50), pytest.raises(OSError, match="File too large"):
        files.append([{"event": "statement", "sql": "x" * 1000}], NOW)
    assert path.read_bytes() == whole
    files.append([{"event": "statement", "sql": "later"}], NOW)
    files.close()
    assert verified([path], Chain()).lines == 4


def test_nothing_in_an_entry_can_make_a_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    write(path, '\n{"seq":2}\r\n\u2028\u2029\x00\x1b[2J', "\ud800 lone", '","hash":"' + "0" * 64 + '"}')
    assert len(lines(path)) == 3
    assert all(byte >= 0x20 or byte == 0x0A for byte in path.read_bytes())
    assert path.read_bytes().isascii()
    assert verified([path], Chain()).lines == 3
