"""Kept log-ins: for their owner alone, whole or not at all, renewed by one process at a time."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from identity_provider import TOKEN, Answer, Form, IdentityProvider, answer, running

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, CONFIGURATION_INVALID, IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.login.kept import ServerLogin, kept_for, server_name
from sqe.login.store import KeptLogin, Store

SERVER = "grpc://lake.example.com:50051"


def kept(server: str = SERVER, **changes: object) -> KeptLogin:
    now = time.time()
    values = {
        "server": server,
        "issuer": "https://idp.example.com",
        "client_id": "cli",
        "scopes": ("openid",),
        "user": "alice",
        "access": Secret("access-1"),
        "expires_at": now + 300,
        "obtained_at": now,
        "refresh": Secret("refresh-1"),
    }
    return KeptLogin(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".sqe" / "credentials"


@pytest.fixture
def store(folder: Path) -> Store:
    return Store(str(folder))


def file_of(folder: Path) -> Path:
    (found,) = folder.glob("*.json")
    return found


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def refused(store: Store, server: str = SERVER) -> SqeError:
    with pytest.raises(SqeError) as caught:
        store.read(server)
    assert caught.value.code is CONFIGURATION_INVALID
    assert "access-1" not in str(caught.value)
    return caught.value


def test_what_is_kept_is_read_back_and_listed_and_removed(store: Store) -> None:
    other = kept("grpc+tls://lake.example.com:50051", refresh=None, user="bob")
    assert (store.read(SERVER), store.servers(), store.remove(SERVER)) == (None, [], False)
    store.write(kept_one := kept())
    store.write(other)
    assert (store.read(SERVER), store.read(other.server)) == (kept_one, other)
    assert store.servers() == [other.server, SERVER]
    assert (store.remove(SERVER), store.read(SERVER), store.servers()) == (True, None, [other.server])


def test_folder_and_files_are_for_their_owner_alone_whatever_the_umask_says(store: Store, folder: Path) -> None:
    before = os.umask(0)
    try:
        with store.locked(SERVER):
            store.write(kept())
    finally:
        os.umask(before)
    assert mode(folder) == 0o700
    assert {mode(file) for file in folder.iterdir()} == {0o600}


def test_a_folder_that_others_could_read_is_closed_to_them(store: Store, folder: Path) -> None:
    store.write(kept())
    folder.chmod(0o755)
    assert store.read(SERVER) is not None
    assert mode(folder) == 0o700


@pytest.mark.parametrize("open_to", [0o640, 0o604, 0o620])
def test_a_file_that_others_can_reach_is_not_used(store: Store, folder: Path, open_to: int) -> None:
    store.write(kept())
    file_of(folder).chmod(open_to)
    assert "only you can read" in str(refused(store))


def test_nothing_is_read_or_written_through_a_link(store: Store, folder: Path, tmp_path: Path) -> None:
    store.write(kept())
    file, elsewhere = file_of(folder), tmp_path / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert "is a link" in str(refused(store))
    before = elsewhere.read_bytes()
    store.write(kept(access=Secret("access-2")))
    assert (elsewhere.read_bytes(), file.is_symlink()) == (before, False)


def test_a_link_in_the_place_of_the_folder_is_refused(store: Store, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder.parent.mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    refused(store)
    with pytest.raises(SqeError):
        store.write(kept())
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_link_in_the_place_of_the_lock_is_refused(store: Store, folder: Path, tmp_path: Path) -> None:
    with store.locked(SERVER):
        pass
    (lock,) = folder.iterdir()
    lock.unlink()
    lock.symlink_to(tmp_path / "made-by-a-stranger")
    with pytest.raises(SqeError), store.locked(SERVER):
        pass
    assert not (tmp_path / "made-by-a-stranger").exists()


def test_a_pipe_in_the_place_of_the_file_does_not_hang(store: Store, folder: Path) -> None:
    store.write(kept())
    file = file_of(folder)
    file.unlink()
    os.mkfifo(file, 0o600)
    refused(store)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b'{"format": 2}', b'{"format": 1, "access": 5, "refresh": null}']
)
def test_a_damaged_file_is_one_sentence(store: Store, folder: Path, content: bytes) -> None:
    store.write(kept())
    file_of(folder).write_bytes(content)
    assert "sqe login" in str(refused(store))


def test_a_file_under_the_name_of_another_server_is_not_used(store: Store, folder: Path) -> None:
    """Else whoever can rename files, but not read them, could send a token elsewhere."""
    store.write(kept())
    mine = file_of(folder)
    store.write(kept("grpc://other:1"))
    (other,) = set(folder.glob("*.json")) - {mine}
    mine.rename(other)
    refused(store, "grpc://other:1")


def test_names_of_servers_never_lead_out_of_the_folder(store: Store, folder: Path) -> None:
    for server in ("grpc://../../../etc/passwd:1", "grpc://..:1", "grpc:///:1", f"grpc://{'x' * 3000}:1"):
        store.write(kept(server))
        assert store.read(server) == kept_of(store, server)
    assert len(list(folder.iterdir())) == 4


def kept_of(store: Store, server: str) -> KeptLogin | None:
    return next((store.read(each) for each in store.servers() if each == server), None)


def test_a_write_that_fails_leaves_what_was_there(store: Store, folder: Path) -> None:
    store.write(first := kept())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))  # as on a full disk
    try:
        with pytest.raises(SqeError, match="cannot be used"):
            store.write(kept(access=Secret("x" * 1000)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert store.read(SERVER) == first
    assert [file.name for file in folder.iterdir()] == [file_of(folder).name]


def test_tokens_are_not_shown_by_accident() -> None:
    assert "access-1" not in repr(kept())
    assert "refresh-1" not in str(kept())


def test_one_server_has_one_name_and_with_tls_another() -> None:
    assert server_name("grpc://Lake.Example.COM:50051") == server_name("grpc+tcp://lake.example.com") == SERVER
    assert server_name("grpc+tls://lake.example.com") == "grpc+tls://lake.example.com:50051"
    assert server_name("grpc://[::1]:5") == "grpc://[::1]:5"
    assert server_name("grpc+unix:///run/flight.sock") is None
    with pytest.raises(SqeError, match="grpc://host:port"):
        server_name("grpc://host:port")


def test_a_log_in_over_tls_is_not_used_without_tls(store: Store) -> None:
    store.write(kept("grpc+tls://lake.example.com:50051"))
    assert kept_for("grpc://lake.example.com:50051", store) is None
    assert kept_for("grpc+tls://lake.example.com:50051", store) is not None


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


class Renewals:
    """Gives `access-2`, `access-3`, …, or fails with what the test says."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.count = 0
        self.error: SqeError | None = None

    def __call__(self, old: KeptLogin) -> KeptLogin:
        self.count += 1
        if self.error is not None:
            raise self.error
        return old.renewed(Secret(f"access-{self.count + 1}"), self._clock() + 300, self._clock(), None)


class Kept:
    def __init__(self, store: Store, **changes: object) -> None:
        self.clock = Clock()
        self.renewals = Renewals(self.clock)
        self.store = store
        self.store.write(kept(**changes))
        self.login = self.again()

    def again(self) -> ServerLogin:
        found = self.store.read(SERVER)
        assert found is not None
        return ServerLogin(found, self.store, renew=self.renewals, clock=self.clock)

    def token(self) -> str:
        return self.login.token().reveal()


@pytest.fixture
def alice(store: Store) -> Kept:
    return Kept(store)


def test_a_token_is_renewed_a_minute_before_its_end_and_kept(alice: Kept) -> None:
    alice.clock.now += 200
    assert (alice.token(), alice.login.due()) == ("access-1", False)
    alice.clock.now += 45
    assert alice.login.due()
    assert (alice.token(), alice.renewals.count) == ("access-2", 1)
    found = alice.store.read(SERVER)
    assert found is not None
    assert (found.access.reveal(), found.refresh) == ("access-2", Secret("refresh-1"))
    assert alice.token() == "access-2"


def test_what_another_client_renewed_is_used(alice: Kept) -> None:
    second = alice.again()
    alice.clock.now += 290
    assert second.token().reveal() == alice.token() == "access-2"
    assert alice.renewals.count == 1


def test_an_outage_is_none_while_the_token_is_good(alice: Kept) -> None:
    alice.renewals.error = SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "The identity provider does not answer")
    alice.clock.now += 250
    assert alice.token() == "access-1"
    assert (alice.token(), alice.renewals.count, alice.login.due()) == ("access-1", 1, False)
    alice.clock.now += 51
    with pytest.raises(SqeError) as caught:
        alice.token()
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    alice.renewals.error = None
    assert alice.token() == "access-4"


def test_without_a_refresh_token_a_log_in_ends_with_its_token(store: Store) -> None:
    alice = Kept(store, refresh=None)
    alice.clock.now += 299
    assert alice.token() == "access-1"
    alice.clock.now += 2
    with pytest.raises(SqeError, match="has expired") as caught:
        alice.token()
    assert (caught.value.code, alice.renewals.count) == (AUTHENTICATION_FAILED, 0)


def test_who_logged_out_is_logged_out_everywhere(alice: Kept) -> None:
    alice.store.remove(SERVER)
    alice.clock.now += 290
    with pytest.raises(SqeError, match="You have logged out"):
        alice.token()
    assert alice.renewals.count == 0


def test_nobody_becomes_somebody_else_under_an_open_session(alice: Kept) -> None:
    alice.store.write(kept(user="bob", access=Secret("bobs")))
    alice.clock.now += 290
    with pytest.raises(SqeError, match="Another person"):
        alice.token()


RENEW = """
import sys
from sqe.login.kept import kept_for
from sqe.login.store import Store
print("ready", flush=True)
sys.stdin.readline()
print(kept_for(sys.argv[2], Store(sys.argv[1])).token().reveal(), flush=True)
"""


class OneUse:
    """A token endpoint whose refresh tokens are good for one use, as many providers' are."""

    def __init__(self, provider: IdentityProvider) -> None:
        self.provider = provider
        self.good = {"refresh-1"}
        self._lock = threading.Lock()

    def __call__(self, form: Form) -> Answer:
        with self._lock:
            if form.get("refresh_token") not in self.good:
                return answer(400, error="invalid_grant")
            self.good = {f"{form['refresh_token']}+"}
            return answer(
                access_token=f"access of {form['refresh_token']}".replace(" ", "-"),
                expires_in=300,
                refresh_token=next(iter(self.good)),
            )


def test_of_processes_that_renew_at_once_one_does_and_all_get_the_token(store: Store, folder: Path) -> None:
    with running() as provider:
        provider.token_answer = OneUse(provider)
        store.write(kept(issuer=provider.url, expires_at=time.time() - 1))
        command = [sys.executable, "-c", RENEW, str(folder), SERVER]
        processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        answers = []
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            out, err = process.communicate(timeout=60)
            answers.append((out, err))
        assert answers == [("access-of-refresh-1\n", "")] * 3
        assert provider.count(TOKEN) == 1
    assert json.loads(file_of(folder).read_text())["refresh"] == "refresh-1+"


def test_a_refused_renewal_says_to_log_in_again(store: Store) -> None:
    with running() as provider:
        provider.token_answer = lambda form: answer(400, error="invalid_grant")
        store.write(kept(issuer=provider.url, expires_at=time.time() - 1))
        login = kept_for(SERVER, store)
        assert login is not None
        with pytest.raises(SqeError) as caught:
            login.token()
    assert str(caught.value) == (
        "AUTHENTICATION_FAILED: Your log-in has ended at the identity provider [log in again with sqe login]"
    )
