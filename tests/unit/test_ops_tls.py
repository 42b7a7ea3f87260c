"""Health and metrics over TLS."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from authority import Authority, Pair

from sqe.config.sections import Coordinator
from sqe.doors.ops import OpsDoor
from sqe.doors.tls import certificates as certificates_module
from sqe.doors.tls.certificates import Certificates


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def pair(authority: Authority) -> Pair:
    return authority.server()


@pytest.fixture
def door(authority: Authority, pair: Pair) -> Iterator[OpsDoor]:
    """Of a server whose Flight clients must have certificates: probes have none."""
    settings = Coordinator(tls_cert=pair.certificate, tls_key=pair.key, tls_client_auth="required", tls_client_ca=authority.file)
    door = OpsDoor(
        host="127.0.0.1",
        health_port=0,
        metrics_port=0,
        not_ready=lambda: None,
        metrics=lambda: b"sqe_up 1\n",
        tls=Certificates(settings, ["http/1.1"]),
    )
    door.start()
    yield door
    door.stop()


def trusting(authority: Authority) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(authority.file))


def test_probes_and_prometheus_are_answered_over_tls_only(door: OpsDoor, authority: Authority) -> None:
    trust = trusting(authority)
    assert httpx.get(f"https://{door.health_address}/readyz", verify=trust).json() == {"status": "ready"}
    assert httpx.get(f"https://{door.metrics_address}/metrics", verify=trust).text == "sqe_up 1\n"
    for address, page in ((door.health_address, "healthz"), (door.metrics_address, "metrics")):
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://{address}/{page}")
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            httpx.get(f"https://{address}/{page}", verify=ssl.create_default_context())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_tls_is_refused(door: OpsDoor, authority: Authority) -> None:
    old = trusting(authority)
    old.set_ciphers("DEFAULT:@SECLEVEL=0")
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    host, _, port = door.health_address.rpartition(":")
    with socket.create_connection((host, int(port))) as plain, pytest.raises(ssl.SSLError):
        old.wrap_socket(plain, server_hostname="localhost")


def test_a_renewed_certificate_is_served_at_once(
    door: OpsDoor, authority: Authority, pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates_module, "LOOK_SECONDS", 0.0)
    url = f"https://{door.health_address}/healthz"
    newer = Authority(tmp_path, "newer")
    assert httpx.get(url, verify=trusting(authority)).status_code == 200
    pair.replace(newer.server("renewed"))
    assert httpx.get(url, verify=trusting(newer)).status_code == 200
    with pytest.raises(httpx.ConnectError):
        httpx.get(url, verify=trusting(authority))
