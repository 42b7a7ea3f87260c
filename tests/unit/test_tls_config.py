"""`coordinator.tls_*`: files that cannot be used are one sentence with the line to change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from authority import Authority
from config_files import Written, problems
from cryptography.hazmat.primitives import serialization

from sqe.config import load


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Good and bad files under names that say which."""
    ours = Authority(tmp_path, "our")
    ours.server("good")
    ours.server("other")
    ours.server("expired", days=-2)
    (tmp_path / "empty.pem").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "garbage.pem").write_bytes(b"-----BEGIN CERTIFICATE-----\nnot base64 !\n-----END CERTIFICATE-----\n")
    key = serialization.load_pem_private_key((tmp_path / "good-key.pem").read_bytes(), None)
    locked = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"password")
    )
    (tmp_path / "locked-key.pem").write_bytes(locked)
    return tmp_path


BAD = {
    "no key": ("tls_cert = 'good.pem'", ":2: coordinator.tls_cert and coordinator.tls_key need each other"),
    "no certificate": ("tls_key = 'good-key.pem'", ":2: coordinator.tls_cert and coordinator.tls_key need each other"),
    "missing": (
        "tls_cert = 'none.pem'\ntls_key = 'good-key.pem'",
        ":2: coordinator.tls_cert none.pem cannot be read: No such file or directory",
    ),
    "a folder": (
        "tls_cert = 'good.pem'\ntls_key = 'folder'",
        ":3: coordinator.tls_key folder cannot be read: Is a directory",
    ),
    "of another certificate": (
        "tls_cert = 'good.pem'\ntls_key = 'other-key.pem'",
        ":3: coordinator.tls_key other-key.pem does not belong to the certificate in good.pem",
    ),
    "expired": (
        "tls_cert = 'expired.pem'\ntls_key = 'expired-key.pem'",
        ":2: coordinator.tls_cert expired.pem has expired on ",
    ),
    "empty": (
        "tls_cert = 'empty.pem'\ntls_key = 'good-key.pem'",
        ":2: coordinator.tls_cert empty.pem holds no certificate in PEM form",
    ),
    "garbage": (
        "tls_cert = 'garbage.pem'\ntls_key = 'good-key.pem'",
        ":2: coordinator.tls_cert garbage.pem holds no certificate in PEM form",
    ),
    "no private key": (
        "tls_cert = 'good.pem'\ntls_key = 'empty.pem'",
        ":3: coordinator.tls_key empty.pem holds no private key in PEM form that fits the certificate",
    ),
    "the certificate as key": (
        "tls_cert = 'good.pem'\ntls_key = 'good.pem'",
        ":3: coordinator.tls_key good.pem holds no private key in PEM form that fits the certificate",
    ),
    "encrypted": (
        "tls_cert = 'good.pem'\ntls_key = 'locked-key.pem'",
        ":3: coordinator.tls_key locked-key.pem is protected by a password, which this server cannot enter",
    ),
    "authority without use": (
        "tls_cert = 'good.pem'\ntls_key = 'good-key.pem'\ntls_client_ca = 'our-authority.pem'",
        ":4: coordinator.tls_client_ca is not used with tls_client_auth = 'none'",
    ),
    "no authority": (
        "tls_cert = 'good.pem'\ntls_key = 'good-key.pem'\ntls_client_auth = 'required'",
        ":4: coordinator.tls_client_auth needs the key 'tls_client_ca'",
    ),
    "clients without a server": (
        "tls_client_ca = 'our-authority.pem'\ntls_client_auth = 'optional'",
        ":3: coordinator.tls_client_auth needs the keys 'tls_cert' and 'tls_key'",
    ),
    "an authority that is none": (
        "tls_cert = 'good.pem'\ntls_key = 'good-key.pem'\ntls_client_auth = 'optional'\ntls_client_ca = 'good.pem'",
        ":5: coordinator.tls_client_ca good.pem holds no certificate of an authority",
    ),
    "an empty authority": (
        "tls_cert = 'good.pem'\ntls_key = 'good-key.pem'\ntls_client_auth = 'optional'\ntls_client_ca = 'empty.pem'",
        ":5: coordinator.tls_client_ca empty.pem holds no certificate in PEM form",
    ),
    "an old version": ("tls_min_version = '1.1'", ":2: coordinator.tls_min_version must be one of 1.2, 1.3, not '1.1'"),
}


@pytest.mark.parametrize(("text", "problem"), BAD.values(), ids=BAD.keys())
def test_a_bad_set_up_is_one_sentence(written: Written, files: Path, text: str, problem: str) -> None:
    (found,) = problems(written(f"[coordinator]\n{text}"))
    assert found.startswith(f"sqe.toml{problem}")


def test_a_good_set_up_is_taken(written: Written, files: Path) -> None:
    text = "[coordinator]\ntls_cert = 'good.pem'\ntls_key = 'good-key.pem'\ntls_client_auth = 'required'\n"
    settings = load(written(text + "tls_client_ca = 'our-authority.pem'"), {}).coordinator
    assert settings.tls_cert == files / "good.pem"


def test_client_certificates_must_be_asked_for(written: Written) -> None:
    text = "[[auth.providers]]\ntype = 'mtls'\nrules = [{ field = 'cn', pattern = '*' }]"
    assert problems(written(text)) == [
        "sqe.toml:1: auth.providers of type 'mtls' sees no certificates while coordinator.tls_client_auth is 'none'"
    ]


def test_rules_that_cannot_work_are_refused(written: Written) -> None:
    base = "[[auth.providers]]\ntype = 'mtls'\n"
    assert "needs the key 'rules', with a rule in it" in problems(written(base))[0]
    (_, found) = problems(written(base + "rules = [{ field = 'cn', pattern = 'a-*', roles = ['$2'] }]"))
    assert found == "sqe.toml:3: auth.providers of type 'mtls' has '$2' for the pattern 'a-*', which has fewer '*'"


@pytest.mark.parametrize("arguments", [["--check"], []])
def test_the_command_says_it_and_exits_with_2(written: Written, files: Path, arguments: list[str]) -> None:
    path = written("[coordinator]\ntls_cert = 'expired.pem'\ntls_key = 'expired-key.pem'\n[[auth.providers]]\ntype = 'anonymous'")
    command = [sys.executable, "-m", "sqe.server_main", "--config", str(path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{path}:2: coordinator.tls_cert ")
    assert done.stderr.count("\n") == 1


def test_a_plain_server_s_configuration_needs_no_openssl() -> None:
    code = (
        "import sys; from sqe.config import load; load(None, {}); print([m for m in ('ssl', 'cryptography') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
